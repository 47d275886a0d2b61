import { availableParallelism } from 'node:os';
import type { EvaluateRunOptions } from '../app/evaluate-files.ts';
import { serveSessionWorker } from '../app/serve-session-worker.ts';
import { reasonForOneThread, ThreadedSessions } from '../app/session-workers.ts';
import type { Configuration } from '../config/schema.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';

// This module is also what the threads of --jobs load: nothing else of the command line is in it.
serveSessionWorker();

/** A run that takes less is not worth the start of threads, each of which has to warm up. */
const START_AFTER_MS = 2000;

/** More threads wait for the one that reads. */
const MAX_DEFAULT_JOBS = 8;

/** One core is for the thread that reads and writes. */
function defaultJobs(): number {
  return Math.min(MAX_DEFAULT_JOBS, Math.max(1, availableParallelism() - 1));
}

/** Opens the threads of `--jobs`: without the option as many as suit the machine, once a run takes long. */
export async function workersOf(
  configuration: Configuration,
  { jobs, quiet }: Pick<EvalArguments, 'jobs' | 'quiet'>,
  { stderr }: Pick<CommandHost, 'stderr'>,
): Promise<EvaluateRunOptions['openWorkers']> {
  const threads = jobs ?? defaultJobs();
  if (threads < 2) return undefined;
  const reason = reasonForOneThread(configuration);
  if (reason !== null && jobs !== undefined && !quiet) {
    await stderr.write(`turnwise: --jobs changes nothing here: ${reason}.\n`);
  }
  const options = {
    entry: new URL(import.meta.url),
    threads,
    startAfterMs: jobs === undefined ? START_AFTER_MS : 0,
  };
  // Criteria beside the files can change the configuration.
  return (actual, addsHashes) =>
    reasonForOneThread(actual) === null ? new ThreadedSessions(actual, addsHashes, options) : null;
}
