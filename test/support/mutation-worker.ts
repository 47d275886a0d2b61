import { parentPort, workerData } from 'node:worker_threads';
import { evaluateFileStream } from '../../src/app/evaluate-files.ts';
import { jsonChunks } from '../../src/reports/json.ts';
import { memoryFileSystem } from '../unit/input/memory-file-system.ts';
import type { MutationJob, MutationWorkerData } from './mutation-run.ts';
import { mutate } from './mutations.ts';

/** Evaluates mutants beside a good file, in a thread that can be ended when one does not end. */

const { texts }: MutationWorkerData = workerData;

const GOOD = '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]';

process.on('unhandledRejection', (error) => {
  throw error;
});

parentPort?.on('message', async ({ name, seed, id }: MutationJob) => {
  const { bytes, kind } = mutate(texts[name] ?? '', seed);
  const before = process.threadCpuUsage();
  const failures = await evaluate(name, bytes).catch((error: unknown) => [
    `it threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ]);
  const { user, system } = process.threadCpuUsage(before);
  // Rejections that nobody handles arrive before the answer.
  await new Promise((resolve) => setImmediate(resolve));
  parentPort?.postMessage({ id, kind, failures, milliseconds: (user + system) / 1000 });
});

/** What a mutant breaks. */
async function evaluate(name: string, bytes: Uint8Array): Promise<string[]> {
  // A file with the name of a sidecar is skipped without a problem where it is no trace.
  const file = `mutant-${name.replace('.turnwise.json', '.json')}`;
  const files = memoryFileSystem({ [file]: bytes, 'zz-good.json': GOOD });
  const { report } = await evaluateFileStream([file, 'zz-good.json'], {}, { files, env: {} });
  const failures: string[] = [];
  const good = report.sessions.find((session) => session.source.file === 'zz-good.json');
  if (good?.turns.length !== 1) failures.push('the good file beside it was not evaluated');
  if (report.sessions.length + report.problems.length < 2) failures.push('it has neither a session nor a problem');
  for (const { file: of, message, code } of report.problems) {
    if (of !== file) failures.push(`a problem names ${of}: ${message}`);
    if (!/^\S.*[.)?!]$/s.test(message)) failures.push(`a problem is no sentence: ${message}`);
    if (message.includes('bug in Turnwise')) failures.push(`${code}: ${message}`);
  }
  for (const session of report.sessions) {
    for (const results of [session.metrics, ...session.turns.map(({ metrics }) => metrics)]) {
      for (const [metric, { status, score, reason }] of Object.entries(results)) {
        // A score in the file may be outside its scale.
        if (status === 'error' && !reason?.startsWith('The file gives ')) failures.push(`${metric} failed: ${reason}`);
        if (typeof score === 'number' && !Number.isFinite(score)) failures.push(`${metric} is ${score}`);
      }
    }
  }
  JSON.parse([...jsonChunks(report)].join(''));
  if (Object.hasOwn(Object.prototype, 'polluted')) failures.push('the prototype of all objects has a new property');
  return [...new Set(failures)];
}
