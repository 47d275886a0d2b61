import type { FoundTraces } from './found-traces.ts';
import type { LanguageServer } from './language-server.ts';
import type { Restoring } from './restoring.ts';

/** What is done when somebody looks at the results: those of an earlier window come back, and traces are looked for. */
export async function firstLook(server: LanguageServer, restoring: Restoring, found: FoundTraces): Promise<void> {
  if (restoring.isExpected) await server.start();
  await found.look();
}
