import { join } from 'node:path';
import type { RecordedRun } from '../../src/core/run-record.ts';
import { openRunStore } from '../../src/store/runs/run-store.ts';
import { type CliResult, turnwise } from './cli.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A project with recorded runs, and a data folder of its own. */
export interface RecordedProject extends AsyncDisposable {
  readonly path: string;
  /** Runs the command line in it. */
  run(...args: readonly string[]): Promise<CliResult>;
}

/** @param runs the oldest first. @param files by name: their contents */
export async function recordedProject(
  runs: readonly RecordedRun[],
  files: Readonly<Record<string, string>> = {},
): Promise<RecordedProject> {
  const folder = await temporaryFolder(files);
  const home = join(folder.path, 'home');
  using store = openRunStore(home, { cwd: folder.path, warn: () => {} });
  for (const { manifest, rows } of runs) {
    const { totals, endedAt, ...started } = { ...manifest, project: folder.path };
    const writer = await store.create({ ...started, endedAt: null, totals: null, state: 'running' });
    await writer.finish(rows, { ...started, totals, endedAt });
  }
  return {
    path: folder.path,
    run: (...args) => turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: home } }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
