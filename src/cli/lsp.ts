import { Console } from 'node:console';
import { start } from '../server/start.ts';
import { serveStreams } from '../server/streams.ts';
import { serveWorker } from '../server/workers/serve-worker.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

// This module is also what the server starts as its workers.
serveWorker();

export interface LspArguments {
  readonly stdio?: true;
}

/**
 * `turnwise lsp`. The protocol library reads `--clientProcessId` itself and exits with that process.
 *
 * @returns the exit code when the editor disconnects. @throws UsageError
 */
export async function lspCommand({ stdio }: LspArguments, host: CommandHost): Promise<number> {
  if (!stdio) {
    throw new UsageError('The language server is started by an editor: configure it to run `turnwise lsp --stdio`.');
  }
  // Standard output belongs to the protocol: any other text would break it.
  Object.assign(console, new Console(process.stderr, process.stderr));
  const { stdin: input, stdout: output } = process;
  const code = await serveStreams({
    input,
    output,
    serve: (connection) => start(connection, new URL(import.meta.url)),
  });
  // A running evaluation would keep the process alive.
  host.exit(code);
  return code;
}
