import type { Readable, Writable } from 'node:stream';
import { createConnection, type WatchDog } from 'vscode-languageserver';
import {
  type Connection,
  createProtocolConnection,
  ErrorCodes,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { Lifecycle } from './lifecycle.ts';

/** An editor that was killed may leave its pipes open in another process. */
const WATCH_INTERVAL_MS = 3000;

interface StreamServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Registers the handlers, and listens. */
  readonly serve: (connection: Connection) => void;
}

/**
 * Speaks the Language Server Protocol over two streams until the editor sends `exit` or disappears.
 *
 * @returns the exit code of the specification: 0 when `shutdown` came first.
 */
export async function serveStreams({ input, output, serve }: StreamServerOptions): Promise<number> {
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  let watch: Disposable | undefined;
  const watchDog: WatchDog = {
    shutdownReceived: false,
    initialize: ({ processId }) => {
      if (processId !== null && Number.isSafeInteger(processId)) watch = watchProcess(processId, gone);
    },
    exit: resolve,
  };
  const gone = () => resolve(watchDog.shutdownReceived ? 0 : 1);
  for (const event of ['end', 'close', 'error']) input.once(event, gone);
  for (const event of ['close', 'error']) output.once(event, gone);

  const reader = new StreamMessageReader(input);
  const writer = new StreamMessageWriter(output);
  const lifecycle = new Lifecycle(writer);
  reader.onError(({ message }) => {
    lifecycle
      .reject(null, { code: ErrorCodes.ParseError, message: `A message cannot be read: ${message}` })
      .catch(gone);
  });
  const connection = createConnection(
    (logger) => createProtocolConnection(reader, writer, logger, { messageStrategy: lifecycle }),
    watchDog,
    ProposedFeatures.all,
  );
  serve(connection);
  try {
    return await ended;
  } finally {
    watch?.[Symbol.dispose]();
    connection.dispose();
  }
}

function watchProcess(processId: number, tell: () => void): Disposable {
  const timer = setInterval(() => {
    if (!isRunning(processId)) tell();
  }, WATCH_INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // A process of another user exists as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
