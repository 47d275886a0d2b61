import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Connection, InitializeParams } from 'vscode-languageserver/node';
import { findProject } from '../app/git-state.ts';
import { UNMATCHED_GATE } from '../app/unmatched-gates.ts';
import type { FileSystem } from '../input/file-system.ts';
import { onNotification } from '../protocol/rpc.ts';
import { runsChanged } from '../protocol/runs.ts';
import { scenarioResultsChanged } from '../protocol/scenarios.ts';
import { type ClientSettings, type InitializationSettings, settingsChanged } from '../protocol/settings.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { ResultsStore } from '../store/results-store.ts';
import { watchRuns } from '../store/runs/watch-runs.ts';
import { createModelDecisions } from './consent/model-decisions.ts';
import type { ServerContext } from './context.ts';
import { DiagnosticsPublisher } from './diagnostics.ts';
import { FileStamps } from './disk/file-stamps.ts';
import { uriToPath } from './disk/paths.ts';
import { mergeSettings, parseInitialization } from './editor-settings.ts';
import { Evaluator } from './evaluation/evaluator.ts';
import { coversConfiguration } from './evaluation/group-by-config.ts';
import type { EvaluateFiles } from './evaluation/group-evaluation.ts';
import { stuckFileClause } from './evaluation/lost-evaluation.ts';
import { problemText } from './evaluation/run-log.ts';
import { type FileWork, type StartFileWork, workInThisThread } from './file-work.ts';
import { LiveWatch } from './live/live-watch.ts';
import { RefreshScheduler } from './refresh-scheduler.ts';
import { SessionContents } from './report/session-contents.ts';
import { DirtyDocuments } from './results/dirty-documents.ts';
import { companionInputPaths } from './results/evaluated-file.ts';
import { EvaluationResults } from './results/evaluation-results.ts';
import { FileSnapshots } from './results/file-snapshots.ts';
import { ResultsPersistence } from './results/results-persistence.ts';
import { START } from './results/session-results-view.ts';
import type { RecordedRuns } from './runs/recorded-runs.ts';
import { RunHistory } from './runs/run-history.ts';
import { RecordedScenarios } from './scenarios/restore-scenarios.ts';
import { ScenarioResults } from './scenarios/scenario-results.ts';
import { FileWatchers } from './sync/file-watchers.ts';
import { StalenessTracker } from './sync/staleness.ts';
import { TraceSearch } from './sync/trace-search.ts';

/** Creates the evaluation for one connection, over which it asks the user. */
interface EvaluateFilesFactory {
  readonly create: (context: Pick<ServerContext, 'connection' | 'settings'>) => EvaluateFiles;
}

/** What a server is built from. */
export interface ServerOptions {
  /** How files are evaluated in this thread, or where all work on them is done. */
  readonly evaluation: EvaluateFiles | EvaluateFilesFactory | { readonly startFileWork: StartFileWork };
  readonly files: FileSystem;
  /** Where results are stored; null: nowhere. */
  readonly store: ResultsStore | null;
  /** Where runs are recorded; null: nowhere. */
  readonly runs: RunStore | null;
}

/** How long a request waits for results to be restored. */
const RESTORE_TIMEOUT_MS = 1000;

/** Creates what the features work on, when the editor initializes. */
export function createContext(
  connection: Connection,
  { evaluation, files, store, runs: runStore }: ServerOptions,
  { initializationOptions, capabilities, workspaceFolders, rootUri }: InitializeParams,
): ServerContext {
  let settings: InitializationSettings = parseInitialization(initializationOptions);
  /** Globs of traces in configurations. */
  let configured: readonly string[] = [];
  const settingsNow = () =>
    configured.length === 0 ? settings : { ...settings, traces: [...settings.traces, ...configured] };
  const results = new EvaluationResults();
  const diagnostics = new DiagnosticsPublisher(connection, results, settingsNow);
  let hasOtherLenses = (_uris: readonly string[] | undefined): boolean => false;
  const refreshing = new RefreshScheduler(connection, diagnostics, capabilities, settings.client, (uris) =>
    hasOtherLenses(uris),
  );
  const refreshSoon = (paths: Iterable<string>) => refreshing.schedule(paths);
  const documents = new DirtyDocuments();
  const fileStamps = new FileStamps(files);
  const reportStuckFile = (path: string, clause: string) => {
    const message = l10n.t('Turnwise has stopped working on this file: {0}.', stuckFileClause(clause));
    const location = { uri: pathToFileURL(path).href, range: START };
    const problem = { file: path, row: { severity: 'error', message, location } } as const;
    refreshSoon(results.merge({ sessions: [], problems: [problem] }, new Map()));
    connection.console.error(problemText(problem.row));
  };
  const work = startFileWork(
    { connection, settings: settingsNow },
    { evaluation, files, runs: runStore },
    reportStuckFile,
  );
  const snapshots = new FileSnapshots(work.find);
  const contents = new SessionContents({ results, isTrusted: () => settings.trusted, answer: work.answer });
  const staleness = new StalenessTracker({ results, documents, disk: fileStamps, refreshSoon });
  const folders = new Set(folderPaths(workspaceFolders ?? (rootUri ? [{ uri: rootUri }] : [])));
  const runs =
    runStore &&
    recordedRuns(connection, runStore, {
      folders,
      answer: work.answerRuns,
      evaluateGroup: work.evaluateGroup,
    });
  const watchers = new FileWatchers(connection, capabilities, folders, () => settingsNow().traces);
  const followFolders = () => {
    if (!capabilities.workspace?.workspaceFolders) return;
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      for (const path of folderPaths(removed)) folders.delete(path);
      for (const path of folderPaths(added)) folders.add(path);
      void traceSearch.readConfigurations();
    });
  };
  const persistence = new ResultsPersistence({ results, disk: fileStamps, documents, store, refreshSoon });
  connection.onShutdown(async () => {
    refreshing[Symbol.dispose]();
    traceSearch[Symbol.dispose]();
    runs?.history[Symbol.dispose]();
    await live.stop();
    work[Symbol.dispose]();
    await persistence.flush();
  });
  const evaluator = new Evaluator({
    evaluateGroup: work.evaluateGroup,
    results,
    documents,
    disk: fileStamps,
    files,
    log: connection.console,
    refresh: (paths, when) => {
      if (when === 'soon') refreshing.schedule(paths);
      else refreshing.refresh(Array.from(paths, (path) => pathToFileURL(path).href));
    },
    onReport: ({ paths, configurations }, { run, problems }) => {
      if (!run.complete) return;
      for (const path of configurations.filter((configuration) => coversConfiguration(paths, configuration)))
        diagnostics.setWarnings(
          path,
          problems.filter(({ code, file }) => code === UNMATCHED_GATE && file === path),
        );
    },
    onResults: (touched) => {
      watchers.watchFolders(touched.filter((path) => results.file(path)));
      persistence.save(touched);
    },
    onComplete: (paths) => persistence.saveFolders(paths),
  });

  const decisions = work.decisions ?? createModelDecisions({ connection, settings: settingsNow });
  const live = new LiveWatch({
    connection,
    results,
    evaluator,
    settings: settingsNow,
    refreshSoon,
    check: (path) => staleness.check(path),
    save: (paths) => persistence.save(paths),
    notify: decisions.editor.notify,
  });

  const scenarios = new ScenarioResults({
    files,
    recorded: new RecordedScenarios({ files, folders, runs }),
    sessionKey: (path) => results.sessionsIn(path)[0]?.row.key ?? null,
    onChange: (paths) => {
      const uris = paths.map((path) => pathToFileURL(path).href);
      // A closed connection cannot be notified.
      connection.sendNotification(scenarioResultsChanged.method, { uris }).catch(() => {});
    },
  });

  const traceSearch = new TraceSearch({
    files,
    looksLikeTrace: work.looksLikeTrace,
    results,
    folders,
    traces: () => settingsNow().traces,
    isTrusted: () => settings.trusted,
    isIdle: () => evaluator.isIdle,
    onConfigured: (globs) => {
      configured = globs;
      watchers.watchGlobs();
      refreshing.refresh();
    },
    refresh: refreshSoon,
  });
  const change = (now: ClientSettings) => {
    const wasTrusted = settings.trusted;
    settings = { ...settings, ...now };
    watchers.watchGlobs();
    refreshing.refresh();
    if (settings.trusted !== wasTrusted) void traceSearch.readConfigurations();
  };
  onNotification(connection, settingsChanged, change);
  connection.onDidChangeConfiguration((params) => change(mergeSettings(settings, params)));

  return {
    connection,
    capabilities,
    files,
    results,
    diagnostics,
    evaluator,
    contents,
    planSidecarEdit: work.planSidecarEdit,
    fileStamps,
    snapshots,
    staleness,
    watchers,
    traceSearch,
    runs,
    agentTools: work.agentTools,
    decisions,
    live,
    scenarios,
    folders,
    watchFolderChanges: followFolders,
    settings: settingsNow,
    onLensCheck: (check) => {
      hasOtherLenses = check;
    },
    refresh: (uris) => refreshing.refresh(uris),
    refreshSoon,
    async restore(paths) {
      const restored = persistence.restore(paths).then((count) => {
        watchers.watchFolders(results.paths);
        return count;
      });
      // The request is answered after this time; the rest is restored in the background.
      return Promise.race([restored, setTimeout(RESTORE_TIMEOUT_MS, null, { ref: false })]);
    },
    async renameFile(from, to) {
      const text = results.file(from)?.withPath(to);
      if (!text) return;
      const touched = results.move(from, text);
      watchers.watchFolders([to]);
      persistence.save([...touched, from]);
      refreshSoon([...touched, from]);
      await Promise.all([to, ...companionInputPaths(to)].map((path) => staleness.check(path)));
    },
    clear() {
      scenarios.clear();
      persistence.forget([...results.paths, ...folders]);
      results.clear();
      diagnostics.clearWarnings();
      contents.clear();
      fileStamps.clear();
      work.clear();
      watchers.unwatchFolders();
      refreshing.refresh();
    },
  };
}

function startFileWork(
  context: Pick<ServerContext, 'connection' | 'settings'>,
  { evaluation, files, runs }: Pick<ServerOptions, 'evaluation' | 'files' | 'runs'>,
  onStuck: (path: string, clause: string) => void,
): FileWork {
  if (typeof evaluation === 'function') return workInThisThread(evaluation, files, runs);
  return 'create' in evaluation
    ? workInThisThread(evaluation.create(context), files, runs)
    : evaluation.startFileWork(context, onStuck);
}

function recordedRuns(
  connection: Connection,
  store: RunStore,
  { evaluateGroup, ...parts }: Pick<RecordedRuns, 'answer' | 'evaluateGroup'> & Pick<ServerContext, 'folders'>,
): RecordedRuns {
  const notify = (progressed?: readonly string[]) => {
    // A closed connection cannot be notified.
    connection.sendNotification(runsChanged.method, progressed ? { progressed } : {}).catch(() => {});
  };
  const history = new RunHistory({ ...parts, store, findProject, watch: watchRuns, notify });
  return { store, history, answer: parts.answer, evaluateGroup };
}

/** Paths of the folders that are on disk. */
function folderPaths(folders: readonly { readonly uri: string }[]): string[] {
  return folders.flatMap(({ uri }) => uriToPath(uri) ?? []);
}
