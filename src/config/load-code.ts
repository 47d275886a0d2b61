import { fork } from 'node:child_process';
import * as z from 'zod';
import { resolveChildFile } from './node-child-file.ts';

const loadReplySchema = z.discriminatedUnion('kind', [
  /** `functions`: positions in `custom` of the entries that have one, which the JSON leaves out. */
  z.object({ kind: z.literal('value'), json: z.string(), functions: z.array(z.int()) }),
  z.object({ kind: z.literal('no-default') }),
  z.object({ kind: z.literal('not-json'), key: z.string(), type: z.string() }),
  z.object({ kind: z.literal('threw'), message: z.string(), stack: z.string() }),
]);

/** What the child process says of the module. */
export type ModuleLoadReply = z.infer<typeof loadReplySchema>;

/** What the module was, or how the child process ended without saying. */
export type ModuleLoadResult = ModuleLoadReply | { readonly kind: 'ended'; readonly how: string };

const LOAD_TIMEOUT_MS = 30_000;

/** Runs a module in a child process, freshly each time. What it prints goes to standard error. */
export function loadModule(file: string, limitMs = LOAD_TIMEOUT_MS): Promise<ModuleLoadResult> {
  return new Promise((resolve) => {
    const child = fork(resolveChildFile('load-code-child'), [file], { stdio: ['ignore', 2, 2, 'ipc'], execArgv: [] });
    const timer = setTimeout(() => {
      settle({ kind: 'ended', how: `it did not finish within ${limitMs / 1000} seconds` });
    }, limitMs);
    const end = () => child.kill('SIGKILL');
    // One that counts in circles does not notice that nobody waits for it any more.
    process.once('exit', end);
    const settle = (outcome: ModuleLoadResult) => {
      clearTimeout(timer);
      process.off('exit', end);
      end();
      resolve(outcome);
    };
    child.once('message', (message) => {
      const answer = loadReplySchema.safeParse(message);
      if (answer.success) settle(answer.data);
    });
    child.once('error', (error) =>
      settle({ kind: 'ended', how: `its process could not be started: ${error.message}` }),
    );
    child.once('exit', (code, signal) => {
      settle({ kind: 'ended', how: `its process ended by itself (${signal ?? `exit code ${code}`})` });
    });
  });
}
