import type { ClientCapabilities, Connection, ServerCapabilities } from 'vscode-languageserver/node';
import type { Files } from '../input/files.ts';
import type { Initialization } from '../protocol/settings.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Evaluator } from './evaluate.ts';
import type { Results } from './results.ts';

/** What the features of the server work on; made once, when an editor has introduced itself. */
export interface Context {
  readonly connection: Connection;
  readonly files: Files;
  readonly results: Results;
  readonly diagnostics: Diagnostics;
  readonly evaluator: Evaluator;
  /** What the editor can do. */
  readonly capabilities: ClientCapabilities;
  /** As they are now. */
  readonly settings: () => Initialization;
  /** What is held has changed: everything that shows it does so anew. */
  readonly refresh: (uris?: readonly string[]) => void;
}

/** Registers its handlers. @returns what the server can do with it. */
export type Feature = (context: Context) => Partial<ServerCapabilities>;
