import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createMutex } from '../core/async/mutex.ts';
import { errorMessage } from '../core/error-message.ts';
import { describeSystemError } from '../input/system-error.ts';
import { createFolder, removeFile, writeFile } from '../output/write-file.ts';
import { RecordInUse, WriterLock } from '../store/runs/writer-lock.ts';
import { ENDPOINT_FILE, endpointLine, readEndpoint } from './endpoint.ts';
import { HttpReceiver, RefusedRequest } from './http-receiver.ts';
import { LiveFolder } from './live-folder.ts';
import { FolderFull, type LiveChanges, LiveTraces } from './live-traces.ts';
import type { OtlpSignal, PartialSuccess } from './otlp-protobuf.ts';
import { type RequestContent, readTraceParts } from './trace-parts.ts';

export interface ReceiverOptions {
  /** Absolute. Created if it does not exist. */
  readonly folder: string;
  /** The first port to try. */
  readonly port: number;
  readonly maxBytes: number;
  readonly keepMs: number;
  /** A session without news for so long is complete. */
  readonly quietMs: number;
}

/** What a receiver tells while it runs. Plain data: it crosses threads. */
export type ReceiverNews =
  | { readonly kind: 'receiving'; readonly port: number; readonly bytes: number }
  /** Another process receives for this folder; this one takes over when that ends. */
  | { readonly kind: 'waiting'; readonly endpoint: string | null }
  | ({ readonly kind: 'changes'; readonly totals: ReceiverTotals } & LiveChanges)
  /** Sessions that were deleted: to make room for new ones, or because they had not changed for too long. */
  | {
      readonly kind: 'deleted';
      readonly files: readonly string[];
      readonly reason: 'size' | 'age';
      /** Of all files that are left. */
      readonly bytes: number;
    }
  | { readonly kind: 'problem'; readonly message: string };

export interface ReceiverTotals {
  readonly spans: number;
  /** Spans of traces in which nothing showed an agent. */
  readonly otherSpans: number;
  /** Of all files in the folder. */
  readonly bytes: number;
}

const TAKEOVER_MS = 500;
const QUIET_CHECK_MS = 250;
const DELETE_OLD_MS = 60 * 60_000;

/** Receives traces into a folder until the signal is aborted; then nothing is written any more. @throws the system's error */
export async function receiveTraces(
  options: ReceiverOptions,
  tell: (news: ReceiverNews) => void,
  signal: AbortSignal,
): Promise<void> {
  await createFolder(options.folder);
  using lock = await waitForLock(options.folder, tell, signal);
  if (!lock) return;
  const folder = await LiveFolder.open(options.folder, options);
  await deleteOldFiles(folder, tell);
  const traces = new LiveTraces({
    folder,
    quietMs: options.quietMs,
    now: () => performance.now(),
    known: await folder.traces(),
  });
  const intake = new TraceIntake(traces, folder, tell);
  const server = await HttpReceiver.start(options.port, { onRequest: (...request) => intake.take(...request) });
  const endpoint = join(options.folder, ENDPOINT_FILE);
  const checks = [
    setInterval(() => void intake.completeQuiet(), QUIET_CHECK_MS),
    setInterval(() => void intake.deleteOld(), DELETE_OLD_MS),
  ];
  try {
    await writeFile(endpoint, `${endpointLine(server.port)}\n`);
    tell({ kind: 'receiving', port: server.port, bytes: folder.bytes });
    await aborted(signal);
  } finally {
    for (const check of checks) clearInterval(check);
    await server[Symbol.asyncDispose]();
    await intake.settle();
    await removeFile(endpoint);
  }
}

async function waitForLock(
  folder: string,
  tell: (news: ReceiverNews) => void,
  signal: AbortSignal,
): Promise<WriterLock | null> {
  let known: string | null | undefined;
  while (!signal.aborted) {
    try {
      return new WriterLock(folder);
    } catch (error) {
      if (!(error instanceof RecordInUse)) throw error;
    }
    const endpoint = await readEndpoint(folder);
    if (endpoint !== known) tell({ kind: 'waiting', endpoint });
    known = endpoint;
    await delay(TAKEOVER_MS, undefined, { signal }).catch(() => {});
  }
  return null;
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

async function deleteOldFiles(folder: LiveFolder, tell: (news: ReceiverNews) => void): Promise<void> {
  try {
    await folder.deleteOld();
  } catch (error) {
    tell({ kind: 'problem', message: `Old traces could not be deleted: ${errorMessage(error)}` });
  }
  tellDeleted(folder, 'age', tell);
}

function tellDeleted(folder: LiveFolder, reason: 'size' | 'age', tell: (news: ReceiverNews) => void): void {
  const files = folder.takeDeleted();
  if (files.length > 0) tell({ kind: 'deleted', files, reason, bytes: folder.bytes });
}

/** Takes one request after the other into the files. */
class TraceIntake {
  readonly #traces: LiveTraces;
  readonly #folder: LiveFolder;
  readonly #tell: (news: ReceiverNews) => void;
  readonly #inTurn = createMutex();
  #spans = 0;

  constructor(traces: LiveTraces, folder: LiveFolder, tell: (news: ReceiverNews) => void) {
    this.#traces = traces;
    this.#folder = folder;
    this.#tell = tell;
  }

  /** @throws RefusedRequest */
  take(signal: OtlpSignal, request: unknown): Promise<PartialSuccess | null> {
    const content = readTraceParts(signal, request);
    if (!content) throw new RefusedRequest(400, `This is no OTLP request of ${signal}.`);
    return this.#inTurn(() => this.#write(content));
  }

  async #write({ parts, endedSessions, partial }: RequestContent): Promise<PartialSuccess | null> {
    try {
      this.#report(await this.#traces.add(parts));
    } catch (error) {
      if (error instanceof FolderFull) {
        const reason =
          'The folder is full with sessions in progress: raise its size limit (--max-size, in VS Code turnwise.liveMaxSize). Nothing of this request was kept.';
        this.#tell({ kind: 'problem', message: reason });
        return { rejected: parts.reduce((sum, { spans }) => sum + spans.length, partial?.rejected ?? 0), reason };
      }
      const reason = `The traces could not be written: ${describeSystemError(error)}.`;
      this.#tell({ kind: 'problem', message: reason });
      throw new RefusedRequest(503, reason, { 'Retry-After': '2' });
    } finally {
      tellDeleted(this.#folder, 'size', this.#tell);
    }
    this.#spans += parts.reduce((sum, { spans }) => sum + spans.length, 0);
    this.#report(this.#traces.complete(endedSessions));
    return partial;
  }

  completeQuiet(): Promise<void> {
    return this.#inTurn(() => this.#report(this.#traces.complete()));
  }

  deleteOld(): Promise<void> {
    return this.#inTurn(() => deleteOldFiles(this.#folder, this.#tell));
  }

  /** Resolves when all that was taken is written. */
  settle(): Promise<void> {
    return this.#inTurn(() => {});
  }

  #report(changes: LiveChanges): void {
    if (Object.values(changes).every((files) => files.length === 0)) return;
    const otherSpans = this.#traces.skippedSpans + this.#traces.pendingSpans;
    this.#tell({ kind: 'changes', ...changes, totals: { spans: this.#spans, otherSpans, bytes: this.#folder.bytes } });
  }
}
