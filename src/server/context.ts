import type { Connection, InitializeParams, ServerCapabilities } from 'vscode-languageserver/node';
import type { FileSystem } from '../input/file-system.ts';
import type { InitializationSettings } from '../protocol/settings.ts';
import type { AgentToolWork } from './agent-tools/tool-calls.ts';
import type { ModelDecisions } from './consent/model-decisions.ts';
import type { DiagnosticsPublisher } from './diagnostics.ts';
import type { FileStamps } from './disk/file-stamps.ts';
import type { PlanSidecarEdit } from './edits/plan-sidecar-edit.ts';
import type { Evaluator } from './evaluation/evaluator.ts';
import type { LiveWatch } from './live/live-watch.ts';
import type { SessionContents } from './report/session-contents.ts';
import type { EvaluationResults } from './results/evaluation-results.ts';
import type { FileSnapshots } from './results/file-snapshots.ts';
import type { RecordedRuns } from './runs/recorded-runs.ts';
import type { ScenarioResults } from './scenarios/scenario-results.ts';
import type { FileWatchers } from './sync/file-watchers.ts';
import type { StalenessTracker } from './sync/staleness.ts';
import type { TraceSearch } from './sync/trace-search.ts';

/** What the server's features work on; created once, when the editor initializes. */
export interface ServerContext {
  readonly connection: Connection;
  /** What the editor supports. */
  readonly capabilities: InitializeParams['capabilities'];
  readonly files: FileSystem;
  readonly results: EvaluationResults;
  readonly diagnostics: DiagnosticsPublisher;
  readonly evaluator: Evaluator;
  /** The content of the sessions that results are about, read again from their files. */
  readonly contents: SessionContents;
  /** Plans an edit of the sidecar beside a trace. */
  readonly planSidecarEdit: PlanSidecarEdit;
  /** Texts of files on disk, in which pointers are resolved. */
  readonly snapshots: FileSnapshots;
  readonly fileStamps: FileStamps;
  readonly staleness: StalenessTracker;
  readonly watchers: FileWatchers;
  readonly traceSearch: TraceSearch;
  /** The recorded runs; null where none are stored. */
  readonly runs: RecordedRuns | null;
  /** Answers coding agents; null where no thread can. */
  readonly agentTools: AgentToolWork | null;
  /** What the user decides about models. */
  readonly decisions: ModelDecisions;
  /** Receives traces of running agents. */
  readonly live: LiveWatch;
  /** The last results of scenarios. */
  readonly scenarios: ScenarioResults;
  /** Paths of the folders that are open now. */
  readonly folders: ReadonlySet<string>;
  /**
   * Starts to listen for changes of the open folders; not earlier than `initialized`, or they would be registered
   * twice.
   */
  readonly watchFolderChanges: () => void;
  /** The current settings. */
  readonly settings: () => InitializationSettings;
  /** Sets what decides whether lenses that the editor shows, on some files or on any, have changed. */
  readonly onLensCheck: (check: (uris: readonly string[] | undefined) => boolean) => void;
  /** Results have changed: refreshes everything that shows them. */
  readonly refresh: (uris?: readonly string[]) => void;
  /** The same for these files, combined with other changes within 200 ms. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
  /**
   * Restores the stored results of these files and folders. @returns the number of restored files; null: more may
   * follow.
   */
  readonly restore: (paths: readonly string[]) => Promise<number | null>;
  /** A file was renamed: its results move with it. */
  readonly renameFile: (from: string, to: string) => Promise<void>;
  /** Removes all results, also from the store. */
  readonly clear: () => void;
}

/** Registers its handlers. @returns the capabilities that it adds. */
export type Feature = (context: ServerContext) => Partial<ServerCapabilities>;
