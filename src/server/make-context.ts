import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Connection, InitializeParams } from 'vscode-languageserver/node';
import type { FileSystem } from '../input/file-system.ts';
import { listen } from '../protocol/request.ts';
import { type Initialization, type Settings, settingsChanged } from '../protocol/settings.ts';
import type { ResultsStore } from '../store/results-store.ts';
import type { Context } from './context.ts';
import { Diagnostics } from './diagnostics.ts';
import { Disk } from './disk/disk.ts';
import { pathOf } from './disk/folders.ts';
import { initializationOf, settingsAfter } from './editor-settings.ts';
import { type EvaluateFiles, Evaluator } from './evaluating/evaluate.ts';
import { Freshness } from './following/freshness.ts';
import { Watchers } from './following/watchers.ts';
import { Documents } from './held/documents.ts';
import { namesBeside } from './held/held-file.ts';
import { Keeping } from './held/keeping.ts';
import { Results } from './held/results.ts';
import { Transcripts } from './held/transcripts.ts';
import { Refreshing } from './refreshing.ts';

/** What is made anew for each connection, over which it asks and tells. */
export interface EvaluationOn {
  readonly on: (context: Pick<Context, 'connection' | 'settings'>) => EvaluateFiles;
}

/** What a server is made of. */
export interface ServerParts {
  readonly evaluation: EvaluateFiles | EvaluationOn;
  readonly files: FileSystem;
  /** Where what is held outlives the server; null: nowhere. */
  readonly store: ResultsStore | null;
}

/** How long whoever has results brought back is kept waiting. */
const PATIENCE_MS = 1000;

/** Makes all that the features work on, when an editor has introduced itself. */
export function contextOf(
  connection: Connection,
  { evaluation, files, store }: ServerParts,
  { initializationOptions, capabilities, workspaceFolders, rootUri }: InitializeParams,
): Context {
  let settings: Initialization = initializationOf(initializationOptions);
  const settingsNow = () => settings;
  const results = new Results();
  const diagnostics = new Diagnostics(connection, results, settingsNow);
  const refreshing = new Refreshing(connection, diagnostics, capabilities, settings.client);
  const refreshSoon = (paths: Iterable<string>) => refreshing.soon(paths);
  const [documents, disk] = [new Documents(), new Disk(files)];
  const freshness = new Freshness({ results, documents, disk, refreshSoon });
  const transcripts = new Transcripts(files, results, () => settings.trusted);
  const folders = new Set(pathsOf(workspaceFolders ?? (rootUri ? [{ uri: rootUri }] : [])));
  const watchers = new Watchers(connection, capabilities, folders, () => settings.traces);
  const followFolders = () => {
    if (!capabilities.workspace?.workspaceFolders) return;
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      for (const path of pathsOf(removed)) folders.delete(path);
      for (const path of pathsOf(added)) folders.add(path);
    });
  };
  const keeping = new Keeping({ results, disk, documents, store, refreshSoon });
  connection.onShutdown(async () => {
    refreshing[Symbol.dispose]();
    await keeping.done();
  });
  const evaluateFiles =
    typeof evaluation === 'function' ? evaluation : evaluation.on({ connection, settings: settingsNow });
  const evaluator = new Evaluator({
    evaluateFiles,
    results,
    documents,
    disk,
    files,
    log: connection.console,
    refresh: (paths, when) => {
      if (when === 'soon') refreshing.soon(paths);
      else refreshing.now(Array.from(paths, (path) => pathToFileURL(path).href));
    },
    onLanded: (touched) => {
      watchers.hold(touched.filter((path) => results.file(path)));
      keeping.keep(touched);
    },
    onComplete: (paths) => keeping.keepOnly(paths),
  });

  const change = (now: Settings) => {
    settings = { ...settings, ...now };
    watchers.useNames();
    refreshing.now();
  };
  listen(connection, settingsChanged, change);
  connection.onDidChangeConfiguration((given) => change(settingsAfter(settings, given)));

  return {
    connection,
    capabilities,
    files,
    results,
    diagnostics,
    evaluator,
    transcripts,
    disk,
    freshness,
    watchers,
    folders,
    followFolders,
    settings: settingsNow,
    refresh: (uris) => refreshing.now(uris),
    refreshSoon,
    async restore(paths) {
      const restored = keeping.restore(paths).then((count) => {
        watchers.hold(results.paths);
        return count;
      });
      // Whoever waits for what is there has waited long enough then; the rest comes as it does.
      return Promise.race([restored, setTimeout(PATIENCE_MS, null, { ref: false })]);
    },
    async moved(from, to) {
      const text = results.file(from)?.renamed(to);
      if (!text) return;
      const touched = results.move(from, text);
      watchers.hold([to]);
      keeping.keep([...touched, from]);
      refreshSoon([...touched, from]);
      await Promise.all([to, ...namesBeside(to)].map((path) => freshness.check(path)));
    },
    clear() {
      keeping.forget([...results.paths, ...folders]);
      results.clear();
      transcripts.clear();
      disk.clear();
      watchers.release();
      refreshing.now();
    },
  };
}

/** Those on disk. */
function pathsOf(folders: readonly { readonly uri: string }[]): string[] {
  return folders.flatMap(({ uri }) => pathOf(uri) ?? []);
}
