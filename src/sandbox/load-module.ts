import { fork } from 'node:child_process';
import * as z from 'zod/mini';
import { resolveChildFile } from './child-file.ts';

const loadReplySchema = z.discriminatedUnion('kind', [
  /** `functions`: where the code stands that the JSON leaves out. `digest`: of the code; see `importDefault`. */
  z.object({
    kind: z.literal('value'),
    json: z.string(),
    functions: z.array(z.array(z.union([z.string(), z.int()]))),
    digest: z.string(),
  }),
  z.object({ kind: z.literal('no-default') }),
  z.object({ kind: z.literal('not-json'), key: z.string(), type: z.string() }),
  z.object({ kind: z.literal('threw'), message: z.string(), stack: z.string() }),
]);

/** What the child process reports about the module. */
export type ModuleLoadReply = z.infer<typeof loadReplySchema>;

/** The module's default export, or why there is none. `ended`: the child process ended without a report. */
export type ModuleLoadResult = ModuleLoadReply | { readonly kind: 'ended'; readonly how: string };

const LOAD_TIMEOUT_MS = 30_000;

/** Where a module may have code, with `*` for any index or key: `custom.*.evaluate`. */
export interface CodePaths {
  readonly functions: readonly string[];
  /** Functions or anything iterable. */
  readonly iterables: readonly string[];
}

/**
 * Runs a module in a child process, freshly each time, and returns its default export. What it prints goes to standard
 * error.
 */
export function loadModule(file: string, allowed: CodePaths, limitMs = LOAD_TIMEOUT_MS): Promise<ModuleLoadResult> {
  return new Promise((resolve) => {
    const child = fork(resolveChildFile('load-module-child', import.meta.url), [file, JSON.stringify(allowed)], {
      stdio: ['ignore', 2, 2, 'ipc'],
      execArgv: [],
    });
    const timer = setTimeout(() => {
      settle({ kind: 'ended', how: `it did not finish within ${limitMs / 1000} seconds` });
    }, limitMs);
    const kill = () => child.kill('SIGKILL');
    // A module in an endless loop would not notice that this process has ended.
    process.once('exit', kill);
    const settle = (result: ModuleLoadResult) => {
      clearTimeout(timer);
      process.off('exit', kill);
      kill();
      resolve(result);
    };
    child.once('message', (message) => {
      const reply = loadReplySchema.safeParse(message);
      if (reply.success) settle(reply.data);
    });
    child.once('error', (error) =>
      settle({ kind: 'ended', how: `its process could not be started: ${error.message}` }),
    );
    child.once('exit', (code, signal) => {
      settle({ kind: 'ended', how: `its process ended by itself (${signal ?? `exit code ${code}`})` });
    });
  });
}
