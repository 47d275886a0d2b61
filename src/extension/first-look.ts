import type * as vscode from 'vscode';
import { setContext } from './contexts.ts';
import type { FoundTraces } from './found-traces.ts';
import type { Held } from './held.ts';
import type { LanguageServer } from './language-server.ts';
import type { Restoring } from './restoring.ts';

interface Parts {
  readonly server: LanguageServer;
  readonly held: Held;
  readonly restoring: Restoring;
  readonly found: FoundTraces;
  readonly log: vscode.LogOutputChannel;
}

/**
 * What is done when somebody looks at the results for the first time in a window: those of an earlier one come back, and
 * traces that were never evaluated are looked for, which nothing waits for. What goes wrong is logged.
 */
export async function firstLook({ server, held, restoring, found, log }: Parts): Promise<void> {
  const logged = (error: unknown): void => log.error(String(error));
  found
    .look()
    .then(() => setContext('turnwise.hasLooked', true))
    .catch(logged);
  if (restoring.isExpected) {
    await server
      .start()
      .then(() => held.refresh())
      .catch(logged);
  }
  await setContext('turnwise.isReady', true);
}
