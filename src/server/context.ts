import type { Connection, InitializeParams, ServerCapabilities } from 'vscode-languageserver/node';
import type { FileSystem } from '../input/file-system.ts';
import type { Initialization } from '../protocol/settings.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Disk } from './disk/disk.ts';
import type { Evaluator } from './evaluating/evaluate.ts';
import type { Freshness } from './following/freshness.ts';
import type { Watchers } from './following/watchers.ts';
import type { Results } from './held/results.ts';
import type { Transcripts } from './held/transcripts.ts';

/** What the features of the server work on; made once, when an editor has introduced itself. */
export interface Context {
  readonly connection: Connection;
  /** What the editor can do. */
  readonly capabilities: InitializeParams['capabilities'];
  readonly files: FileSystem;
  readonly results: Results;
  readonly diagnostics: Diagnostics;
  readonly evaluator: Evaluator;
  /** What was said in the sessions of which something is held. */
  readonly transcripts: Transcripts;
  readonly disk: Disk;
  readonly freshness: Freshness;
  readonly watchers: Watchers;
  /** Paths of the folders that are open now. */
  readonly folders: ReadonlySet<string>;
  /** From now on: before the editor knows what the server can do, to listen would be to register once more. */
  readonly followFolders: () => void;
  /** As they are now. */
  readonly settings: () => Initialization;
  /** What is held has changed: everything that shows it does so anew. */
  readonly refresh: (uris?: readonly string[]) => void;
  /** The same of these files, together with what comes within a fifth of a second. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
  /** Brings back what was kept of these files and folders. @returns how many files came back; null: more are to come. */
  readonly restore: (paths: readonly string[]) => Promise<number | null>;
  /** A file has a new name: what is held of it is held of that. */
  readonly moved: (from: string, to: string) => Promise<void>;
  /** Forgets all that is held, and what was kept of it. */
  readonly clear: () => void;
}

/** Registers its handlers. @returns what the server can do with it. */
export type Feature = (context: Context) => Partial<ServerCapabilities>;
