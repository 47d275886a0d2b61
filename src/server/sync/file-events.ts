import { fileURLToPath, pathToFileURL } from 'node:url';
import { FileChangeType, type FileEvent } from 'vscode-languageserver/node';
import type { FileSystem } from '../../input/file-system.ts';
import { traceFilesFound } from '../../protocol/messages.ts';
import { onNotification } from '../../protocol/rpc.ts';
import type { Feature, ServerContext } from '../context.ts';
import type { FileStamps } from '../disk/file-stamps.ts';
import { isInside, uriToPath } from '../disk/paths.ts';
import { isTraceByName } from '../disk/trace-globs.ts';
import { isConfigurationFile } from '../results/evaluated-file.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import { ChangeEvaluator } from './evaluate-on-change.ts';
import type { StalenessTracker } from './staleness.ts';

const ANY_FILE = { filters: [{ scheme: 'file', pattern: { glob: '**/*' } }] };

/** Files that are created, changed, deleted and renamed. */
export const fileEvents: Feature = (context) => {
  const { connection, diagnostics, watchers, traceSearch, scenarios, watchFolderChanges: followFolders } = context;
  const changes = new ChangeEvaluator(context);
  const watching = new FileEventHandler({ ...context, evaluateChanged: (paths, isNew) => changes.add(paths, isNew) });
  connection.onInitialized(() => {
    watchers.watchGlobs();
    followFolders();
    void traceSearch.readConfigurations();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    const configurations = changes.filter(({ uri }) => isConfigurationFile(uri));
    if (configurations.length > 0) void traceSearch.readConfigurations();
    for (const { uri } of configurations) diagnostics.setWarnings(fileURLToPath(uri), []);
    scenarios.onFilesChanged(changes.flatMap(({ uri }) => uriToPath(uri) ?? []));
    return watching.onChanged(changes);
  });
  connection.workspace.onDidRenameFiles(async ({ files }) => {
    await watching.onRenamed(files);
    for (const { oldUri, newUri } of files) {
      const [from, to] = [uriToPath(oldUri), uriToPath(newUri)];
      if (from !== null && to !== null) scenarios.move(from, to);
    }
  });
  connection.workspace.onDidDeleteFiles(({ files }) => {
    return watching.onChanged(files.map(({ uri }) => ({ uri, type: FileChangeType.Deleted })));
  });
  onNotification(connection, traceFilesFound, ({ uris }) => {
    watching.onListed(uris);
    traceSearch.schedule();
  });
  return {
    workspace: {
      fileOperations: { didRename: ANY_FILE, didDelete: ANY_FILE },
      workspaceFolders: { supported: true, changeNotifications: true },
    },
  };
};

/** A file that was created longer than this before another was deleted is not its new name. */
const RENAME_WINDOW_MS = 10_000;

/** Limit of new files that are remembered. */
const MAX_NEW_FILES = 500;

const TRACE_EXTENSION = /\.(?:json|jsonl|ndjson|traj|eval)$/i;

interface PathEvent {
  readonly path: string;
  readonly type: FileChangeType;
}

interface FileEventOptions
  extends Pick<ServerContext, 'refreshSoon' | 'settings' | 'folders' | 'traceSearch' | 'live'> {
  readonly results: EvaluationResults;
  readonly files: FileSystem;
  readonly fileStamps: FileStamps;
  readonly staleness: StalenessTracker;
  readonly renameFile: (from: string, to: string) => Promise<void>;
  /** Evaluates files that another program has written, if the user wants it. */
  readonly evaluateChanged: (paths: readonly string[], isNew: boolean) => void;
}

class FileEventHandler {
  readonly #parts: FileEventOptions;
  readonly #now: () => number;
  /** New files without results, and when they were created. */
  readonly #arrived = new Map<string, number>();

  constructor(parts: FileEventOptions, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Resolves when the changes are handled. */
  async onChanged(changes: readonly FileEvent[]): Promise<void> {
    const { staleness, refreshSoon, live } = this.#parts;
    const events = changes.flatMap(({ uri, type }) => {
      const path = uriToPath(uri);
      // A session that is received is evaluated when a turn is finished, and is not outdated before.
      const isReceived = path !== null && type !== FileChangeType.Deleted && live.isReceiving(path);
      return path === null || isReceived ? [] : [{ path, type }];
    });
    refreshSoon(events.flatMap((event) => this.#candidate(event)));
    const paths = new Set(events.flatMap((event) => this.#concerned(event)));
    await Promise.all(Array.from(paths, (path) => staleness.check(path)));
    await this.#adopt();
    this.#evaluateChanged(events);
  }

  #evaluateChanged(events: readonly PathEvent[]): void {
    const { evaluateChanged, staleness, results } = this.#parts;
    evaluateChanged([...new Set(events.flatMap(({ path }) => staleness.filesToEvaluate(path)))], false);
    const created = events.filter(({ path, type }) => type === FileChangeType.Created && this.#isTrace(path));
    evaluateChanged(
      created.map(({ path }) => path).filter((path) => !results.file(path)),
      true,
    );
  }

  /**
   * The file, or all files with results in a deleted folder. The type is only a hint: files are written in many ways.
   */
  #concerned({ path, type }: PathEvent): readonly string[] {
    const { results } = this.#parts;
    if (type !== FileChangeType.Deleted || results.file(path)) return [path];
    return [path, ...results.paths.filter((file) => isInside(file, path))];
  }

  /** Registers files that may be traces. @returns the files to refresh. */
  #candidate({ path, type }: PathEvent): readonly string[] {
    const { results } = this.#parts;
    if (type === FileChangeType.Deleted) return results.removeCandidate(path) ? [path] : [];
    if (!results.file(path) && TRACE_EXTENSION.test(path) && type === FileChangeType.Created)
      this.#arrived.set(path, this.#now());
    return this.#isTrace(path) && results.addCandidate(path) ? [path] : [];
  }

  #isTrace(path: string): boolean {
    const { settings, folders } = this.#parts;
    return isTraceByName(pathToFileURL(path).href, settings().traces, folders);
  }

  /** The complete list of candidates that the editor found. */
  onListed(uris: readonly string[]): void {
    const { results, refreshSoon, traceSearch } = this.#parts;
    const paths = new Set(uris.flatMap((uri) => uriToPath(uri) ?? []).filter((path) => this.#isTrace(path)));
    const gone = results.candidates.filter((path) => !paths.has(path) && !traceSearch.hasNamed(path));
    refreshSoon([
      ...gone.filter((path) => results.removeCandidate(path)),
      ...[...paths].filter((path) => results.addCandidate(path)),
    ]);
  }

  async onRenamed(files: readonly { readonly oldUri: string; readonly newUri: string }[]): Promise<void> {
    const { results, renameFile: moved } = this.#parts;
    for (const { oldUri, newUri } of files) {
      const [from, to] = [uriToPath(oldUri), uriToPath(newUri)];
      if (from === null || to === null) continue;
      const paths = results.paths.filter((path) => path === from || isInside(path, from));
      for (const path of paths) await moved(path, to + path.slice(from.length));
    }
  }

  /** A new file with the content of a deleted one is that file renamed. */
  async #adopt(): Promise<void> {
    const { results, fileStamps, renameFile: moved } = this.#parts;
    this.#forgetOld();
    if (this.#arrived.size === 0) return;
    const gone = results.paths.filter((path) => results.file(path)?.state === 'gone');
    const arrived = gone.length === 0 ? new Map<number, string[]>() : await this.#arrivedBySize();
    for (const from of gone) {
      const stamp = results.file(from)?.stamp;
      for (const to of (stamp && arrived.get(stamp.size)) ?? []) {
        if (!this.#arrived.has(to) || (await fileStamps.get(to))?.hash !== stamp?.hash) continue;
        this.#arrived.delete(to);
        await moved(from, to);
        break;
      }
    }
  }

  /** Checks sizes first: a file without results is read only for a reason. */
  async #arrivedBySize(): Promise<ReadonlyMap<number, string[]>> {
    const sizes = Array.from(this.#arrived.keys(), async (path) => {
      const facts = await this.#parts.files.stat(path).catch(() => null);
      return { path, size: facts?.kind === 'file' ? facts.size : -1 };
    });
    const bySize = Map.groupBy(await Promise.all(sizes), ({ size }) => size);
    return new Map(Array.from(bySize, ([size, all]) => [size, all.map(({ path }) => path)]));
  }

  #forgetOld(): void {
    const oldest = this.#now() - RENAME_WINDOW_MS;
    for (const [path, at] of this.#arrived) {
      if (at < oldest || this.#arrived.size > MAX_NEW_FILES) this.#arrived.delete(path);
    }
  }
}
