import { relative, resolve } from 'node:path';
import { baselinePath, readBaseline, type SetBaseline, setBaseline } from '../app/baseline-file.ts';
import { findProject } from '../app/git-state.ts';
import type { Baseline } from '../core/baseline.ts';
import { errorMessage } from '../core/error-message.ts';
import { escapeInvisible, sanitizeLine } from '../core/sanitize.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { dataFolder } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { baselineSummary } from './baseline-summary.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { checkOutputFile, writeStdout } from './output-file.ts';
import { UsageError } from './usage-error.ts';

export interface AcceptArguments {
  readonly reason: string;
  readonly raise?: true;
  readonly file?: string;
}

/** `turnwise baseline accept`. @returns the exit code. @throws UsageError */
export async function acceptBaselineCommand(
  reference: string,
  { reason, raise, file }: AcceptArguments,
  host: CommandHost,
): Promise<number> {
  if (reason.trim() === '') throw new UsageError('--reason is empty. Say why these figures are good enough.');
  using interrupt = listenForInterrupt(host);
  const project = await findProject(host.cwd);
  const path = file === undefined ? await baselinePath(host.cwd, project) : resolve(host.cwd, file);
  const name = relative(host.cwd, path);
  await checkOutputFile({ file: name, option: file === undefined ? 'baseline accept' : `--file ${file}` }, host);
  using store = openRunStore(dataFolder(host.env), {
    cwd: host.cwd,
    warn: (sentence) => void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`),
  });
  const change = await (async () => {
    try {
      const record = await store.find(reference, project);
      return await setBaseline({ store, record, path, name, reason, raise, signal: interrupt.signal });
    } catch (error) {
      throw new UsageError(errorMessage(error));
    }
  })();
  if (change.kind === 'refused') throw new UsageError(change.reasons.join('\n'));
  await host.stderr.write(`${describeChange(change, name)}\n`);
  return EXIT_CODES.passed;
}

function describeChange(change: Exclude<SetBaseline, { kind: 'refused' }>, file: string): string {
  const name = sanitizeLine(file);
  if (change.kind === 'accepted') {
    const { tasks, columns } = change.baseline;
    const what = `${pluralize(Object.keys(tasks).length, 'task')}, ${pluralize(columns.passed.length + columns.means.length, 'gate')}`;
    return `Wrote ${name}: ${what}. Review and commit it; turnwise eval --baseline gates against it.`;
  }
  const { raised, added } = change;
  if (raised.length === 0 && added.length === 0) {
    return `${name} is as it was: the run does nothing better beyond chance.`;
  }
  const gates = raised.map(({ gate, tasks }) => `${gate.name} in ${pluralize(tasks, 'task')}`);
  const parts = [
    ...(gates.length > 0 ? [`raised ${gates.join(', ')}`] : []),
    ...(added.length > 0 ? [`added ${pluralize(added.length, 'task')}`] : []),
  ];
  return sanitizeLine(`${file}: ${parts.join('; ')}. Review and commit it.`);
}

export interface ShowArguments {
  readonly format: 'table' | 'json';
  readonly verbose?: true;
}

/** `turnwise baseline show`. @returns the exit code. @throws UsageError */
export async function showBaselineCommand(
  file: string | undefined,
  { format, verbose }: ShowArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  const path = file === undefined ? await baselinePath(host.cwd, await findProject(host.cwd)) : resolve(host.cwd, file);
  const read = await readBaseline(path, relative(host.cwd, path), interrupt.signal);
  if (read.baseline === null) throw new UsageError(read.problem);
  await writeStdout(format === 'json' ? json(read.baseline) : baselineSummary(read.baseline, verbose === true), host);
  return EXIT_CODES.passed;
}

function json(baseline: Baseline): string {
  return `${escapeInvisible(JSON.stringify(baseline, null, 2))}\n`;
}
