import { resolve } from 'node:path';
import { sanitizeLine } from '../core/sanitize.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { writeFile } from '../output/write-file.ts';
import type { ParkedSession, QueuedRunState, SessionQueue } from '../queue/session-queue.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { type QueueArguments, useQueue } from './queue.ts';
import { checkRecordPlace } from './run-recording.ts';
import { UsageError } from './usage-error.ts';

export interface StatusArguments extends QueueArguments {
  readonly format: 'table' | 'json';
  /** A file for the record that a worker made. */
  readonly record?: string;
  readonly delete?: true;
}

/** `turnwise status`. @returns the exit code. @throws UsageError */
export async function statusCommand(
  reference: string | undefined,
  args: StatusArguments,
  host: CommandHost,
): Promise<number> {
  if (reference === undefined && (args.delete || args.record !== undefined)) {
    throw new UsageError(`${args.delete ? '--delete' : '--record'} is about one run. Name it.`);
  }
  using interrupt = listenForInterrupt(host, 'stopping.');
  const code = await useQueue(args, host, interrupt.signal, async (queue) => {
    const states = await queue.states(reference ?? null);
    if (reference === undefined) {
      await host.stdout.write(args.format === 'json' ? toJson(states) : listRuns(states, queue));
      return EXIT_CODES.passed;
    }
    const [state, ...others] = states;
    if (!state) throw new UsageError(`The queue at ${queue.database.name} has no run ${sanitizeLine(reference)}.`);
    if (others.length > 0) {
      const ids = states.map(({ id }) => shortRunId(id)).join(', ');
      throw new UsageError(`Several runs begin with ${sanitizeLine(reference)}: ${ids}.`);
    }
    if (args.record !== undefined) await saveRecord(args.record, state, queue, host);
    const details = { workerNames: await queue.workers(state.id), parkedSessions: await queue.parked(state.id) };
    await host.stdout.write(args.format === 'json' ? toJson({ ...state, ...details }) : describeRun(state, details));
    if (args.delete) await deleteRun(state, queue, host);
    return EXIT_CODES.passed;
  });
  return code ?? EXIT_CODES.interrupted;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function listRuns(states: readonly QueuedRunState[], { database }: SessionQueue): string {
  if (states.length === 0) return `The queue at ${database.name} has no runs.\n`;
  return states.map((state) => `${summarize(state)}\n`).join('');
}

/** `4f2a91c0  2026-01-02 10:11  running  120 of 300 sessions, 4 workers` */
function summarize(state: QueuedRunState): string {
  const { id, createdAt, name } = state;
  const when = createdAt.slice(0, 16).replace('T', ' ');
  return [shortRunId(id), when, ...(name === null ? [] : [sanitizeLine(name)]), describeState(state)].join('  ');
}

function describeState(run: QueuedRunState): string {
  const { state, sessions, done, parked, workers, isAwaited } = run;
  const counts = [
    `${done} of ${pluralize(sessions, 'session')}`,
    ...(parked > 0 ? [`${parked} parked`] : []),
    ...(workers > 0 ? [pluralize(workers, 'worker')] : []),
  ].join(', ');
  switch (state) {
    case 'queuing':
      return `${counts}; ${isAwaited ? 'sessions are being added' : 'not all sessions are in: run the command that queued it again'}`;
    case 'running':
      return `running, ${counts}${workers === 0 ? '; no worker evaluates it' : ''}`;
    case 'evaluated':
      return `evaluated, ${counts}; the report is being made`;
    case 'reported':
      return `${verdictOf(run)}, ${counts}; the report is in the database (--record FILE)`;
    case 'finished':
      return `${verdictOf(run)}, ${counts}`;
  }
}

/** A run whose files could not all be read has not passed, whatever the others did. */
function verdictOf({ verdict, errors }: QueuedRunState): string {
  if (errors === 0) return verdict ?? 'undecided';
  const withErrors = `with ${pluralize(errors, 'error')}`;
  return verdict === 'failed' ? `failed, ${withErrors}` : `ended ${withErrors}`;
}

interface RunDetails {
  readonly workerNames: readonly string[];
  readonly parkedSessions: readonly ParkedSession[];
}

function describeRun(state: QueuedRunState, { workerNames, parkedSessions }: RunDetails): string {
  const workers = workerNames.map((name) => `  ${sanitizeLine(name)}\n`);
  const sessions = parkedSessions.map(({ session, reason }) => `  ${sanitizeLine(session)}: ${sanitizeLine(reason)}\n`);
  return [
    `${summarize(state)}\n`,
    ...withHeading('Evaluated now by:\n', workers),
    ...withHeading('Parked after three tries, so that the run is undecided:\n', sessions),
  ].join('');
}

function withHeading(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines];
}

async function saveRecord(
  file: string,
  { id, state }: QueuedRunState,
  queue: SessionQueue,
  host: CommandHost,
): Promise<void> {
  const record = await queue.record(id);
  if (!record) {
    throw new UsageError(
      state === 'finished'
        ? `Run ${shortRunId(id)} was recorded where it was queued.`
        : `Run ${shortRunId(id)} has no report yet.`,
    );
  }
  const path = file.endsWith('.turnwise.zip') ? file : `${file}.turnwise.zip`;
  const replaced = await checkRecordPlace('--record', path, host);
  if (replaced && replaced.id !== id) {
    throw new UsageError(`--record ${path} would replace run ${shortRunId(replaced.id)}. Name another file.`);
  }
  await writeFile(resolve(host.cwd, path), bytesOf(record));
  await host.stderr.write(`Saved ${path}. To read it: turnwise report ${path}\n`);
}

async function* bytesOf(record: Uint8Array): AsyncGenerator<Uint8Array> {
  yield record;
}

async function deleteRun({ id, isAwaited }: QueuedRunState, queue: SessionQueue, host: CommandHost): Promise<void> {
  if (isAwaited) throw new UsageError(`A command waits for run ${shortRunId(id)}. Stop it first.`);
  await queue.delete(id);
  await host.stderr.write(`Deleted run ${shortRunId(id)} from the queue.\n`);
}
