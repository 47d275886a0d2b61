import { Console } from 'node:console';
import { start } from '../server/start.ts';
import { serveStreams } from '../server/streams.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

export interface LspArguments {
  readonly stdio?: true;
}

/**
 * `turnwise lsp`; the protocol's library ends it with the process of `--clientProcessId`, which it reads itself.
 *
 * @returns the exit code, once the editor is gone. @throws UsageError
 */
export async function lspCommand({ stdio }: LspArguments, host: CommandHost): Promise<number> {
  if (!stdio) {
    throw new UsageError(
      'lsp is for editors, which speak with it on standard input and output: let yours start `turnwise lsp --stdio`.',
    );
  }
  // Standard output belongs to the protocol: one word of anybody else would break it.
  Object.assign(console, new Console(process.stderr, process.stderr));
  const { stdin: input, stdout: output } = process;
  const code = await serveStreams({ input, output, serve: start });
  // An evaluation that nobody waits for any more would keep the process.
  host.exit(code);
  return code;
}
