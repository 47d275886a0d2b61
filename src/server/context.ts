import type { Connection, InitializeParams, ServerCapabilities } from 'vscode-languageserver/node';
import type { FileSystem } from '../input/file-system.ts';
import type { InitializationSettings } from '../protocol/settings.ts';
import type { DiagnosticsPublisher } from './diagnostics.ts';
import type { FileStamps } from './disk/file-stamps.ts';
import type { Evaluator } from './evaluation/evaluator.ts';
import type { EvaluationResults } from './results/evaluation-results.ts';
import type { SessionCache } from './results/session-cache.ts';
import type { FileWatchers } from './sync/file-watchers.ts';
import type { StalenessTracker } from './sync/staleness.ts';

/** What the features of the server work on; made once, when an editor has introduced itself. */
export interface ServerContext {
  readonly connection: Connection;
  /** What the editor can do. */
  readonly capabilities: InitializeParams['capabilities'];
  readonly files: FileSystem;
  readonly results: EvaluationResults;
  readonly diagnostics: DiagnosticsPublisher;
  readonly evaluator: Evaluator;
  /** What was said in the sessions of which something is held. */
  readonly sessionCache: SessionCache;
  readonly fileStamps: FileStamps;
  readonly staleness: StalenessTracker;
  readonly watchers: FileWatchers;
  /** Paths of the folders that are open now. */
  readonly folders: ReadonlySet<string>;
  /** From now on: before the editor knows what the server can do, to listen would be to register once more. */
  readonly watchFolderChanges: () => void;
  /** As they are now. */
  readonly settings: () => InitializationSettings;
  /** What is held has changed: everything that shows it does so anew. */
  readonly refresh: (uris?: readonly string[]) => void;
  /** The same of these files, together with what comes within a fifth of a second. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
  /** Brings back what was kept of these files and folders. @returns how many files came back; null: more are to come. */
  readonly restore: (paths: readonly string[]) => Promise<number | null>;
  /** A file has a new name: what is held of it is held of that. */
  readonly renameFile: (from: string, to: string) => Promise<void>;
  /** Forgets all that is held, and what was kept of it. */
  readonly clear: () => void;
}

/** Registers its handlers. @returns what the server can do with it. */
export type Feature = (context: ServerContext) => Partial<ServerCapabilities>;
