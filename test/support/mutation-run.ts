import { Worker } from 'node:worker_threads';

export interface MutationJob {
  readonly id: number;
  readonly name: string;
  readonly seed: number;
}

export interface MutationWorkerData {
  readonly texts: Readonly<Record<string, string>>;
}

interface MutationAnswer {
  readonly id: number;
  readonly kind: string;
  readonly failures: readonly string[];
  readonly milliseconds: number;
}

/** Of the thread's own time, which other work on the machine does not lengthen. */
const MAX_MILLISECONDS = 2000;
/** After this, a thread counts as endless. It has waited for other work too. */
const ENDLESS_MILLISECONDS = 60_000;

/** Evaluates mutants in worker threads. Returns a sentence for each that breaks something. */
export async function runMutants(
  jobs: readonly MutationJob[],
  texts: Readonly<Record<string, string>>,
  threads: number,
): Promise<readonly string[]> {
  const queue = jobs.values();
  const broken: string[] = [];

  const title = ({ name, seed }: MutationJob) => `${name} with seed ${seed}`;

  async function lane(): Promise<void> {
    let worker: Worker | null = null;
    for (const job of queue) {
      worker ??= startWorker(texts);
      const answer = await evaluateIn(worker, job);
      if (typeof answer === 'string') {
        broken.push(`${title(job)}: ${answer}`);
        await worker.terminate();
        worker = null;
        continue;
      }
      const { kind, failures, milliseconds } = answer;
      const all = milliseconds > MAX_MILLISECONDS ? [...failures, `it took ${Math.round(milliseconds)} ms`] : failures;
      if (all.length > 0) broken.push(`${title(job)} (${kind}): ${all.join('; ')}`);
    }
    await worker?.terminate();
  }

  await Promise.all(Array.from({ length: threads }, lane));
  return broken;
}

function startWorker(texts: Readonly<Record<string, string>>): Worker {
  const worker = new Worker(new URL('mutation-worker.ts', import.meta.url), { workerData: { texts } });
  worker.setMaxListeners(0);
  return worker;
}

/** The answer, or why there is none. */
function evaluateIn(worker: Worker, job: MutationJob): Promise<MutationAnswer | string> {
  return new Promise((resolve) => {
    const finish = (answer: MutationAnswer | string) => {
      clearTimeout(timer);
      worker.off('message', finish).off('error', fail).off('exit', exit);
      resolve(answer);
    };
    const fail = (error: unknown) =>
      finish(`the thread failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const exit = (code: number) => finish(`the thread ended with code ${code}`);
    const timer = setTimeout(() => finish(`no end after ${ENDLESS_MILLISECONDS} ms`), ENDLESS_MILLISECONDS);
    worker.on('message', finish).on('error', fail).on('exit', exit);
    worker.postMessage(job);
  });
}
