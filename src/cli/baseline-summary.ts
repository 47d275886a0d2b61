import type { Baseline } from '../core/baseline.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { baselineFigures } from '../runs/baseline/run-figures.ts';
import { formatValue, unitOf } from '../runs/compare/figures.ts';
import { shortRunId } from '../runs/run-label.ts';

/** What a baseline says, for a person. */
export function baselineSummary(baseline: Baseline, verbose: boolean): string {
  const lines = [
    ...originLines(baseline),
    '',
    ...figureLines(baseline),
    ...taskLines(baseline, verbose),
    ...quarantineLines(baseline),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function originLines({ reason, accepted, run, raised = [], tasks, identity }: Baseline): string[] {
  const agent = [run.agent.name, run.agent.version].filter((part) => part !== null).join(' ');
  const from = [
    `run ${shortRunId(run.id)}`,
    ...(run.commit === null ? [] : [`commit ${run.commit.slice(0, 8)}`]),
    ...(agent === '' ? [] : [`agent ${agent}`]),
    `Turnwise ${identity.tool}`,
    identity.judge === null ? 'rules only' : `judge ${identity.judge}`,
  ];
  return [
    `Accepted ${accepted}: ${sanitizeLine(reason)}`,
    `${pluralize(Object.keys(tasks).length, 'task')} of ${sanitizeLine(from.join(', '))}`,
    ...raised.map(
      (one) =>
        `Raised ${one.on} from run ${shortRunId(one.run)}: ${sanitizeLine(`${one.reason} (${one.columns.join(', ')})`)}`,
    ),
  ];
}

function figureLines(baseline: Baseline): string[] {
  const { columns, tasks } = baselineFigures(baseline);
  const all = [...tasks.values()];
  const passed = columns.passed.map((name): [string, string] => {
    const known = all.flatMap((task) => task.passed[name] ?? []);
    const of = known.reduce((sum, one) => sum + one.of, 0);
    const count = known.reduce((sum, one) => sum + one.passed, 0);
    return [
      name,
      of === 0 ? 'unknown' : `${count} of ${pluralize(of, 'attempt')} (${((100 * count) / of).toFixed(1)} %)`,
    ];
  });
  const means = columns.means.map((name): [string, string] => {
    const known = all.flatMap((task) => task.means[name] ?? []);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    return [
      name,
      known.length === 0 ? 'unknown' : `${formatValue(mean, unitOf(name))} over ${pluralize(known.length, 'task')}`,
    ];
  });
  const width = Math.max(...[...passed, ...means].map(([name]) => name.length));
  return [...passed, ...means].map(([name, text]) => `  ${sanitizeLine(name).padEnd(width)}  ${text}`);
}

const SHOWN = 10;

/** The flaky tasks; with `verbose`, all. */
function taskLines(baseline: Baseline, verbose: boolean): string[] {
  const gate = baseline.columns.passed[0] ?? 'verdict';
  const counts = Array.from(baselineFigures(baseline).tasks, ([name, { passed }]) => ({
    name,
    count: passed[gate] ?? null,
  }));
  const flaky = counts.filter(({ count }) => count && count.passed > 0 && count.passed < count.of);
  const listed = verbose ? counts : flaky.slice(0, SHOWN);
  if (listed.length === 0) return [];
  const more = verbose ? 0 : flaky.length - listed.length;
  return [
    '',
    verbose ? `Tasks (${gate})` : `Flaky tasks, whose attempts disagree (${gate})`,
    ...listed.map(
      ({ name, count }) => `  ${count ? `${count.passed} of ${count.of}` : 'unknown'}  ${sanitizeLine(name)}`,
    ),
    ...(more > 0 ? [`  and ${more} more; --verbose lists all tasks`] : []),
  ];
}

function quarantineLines({ quarantine = {} }: Baseline): string[] {
  const entries = Object.entries(quarantine);
  if (entries.length === 0) return [];
  return [
    '',
    'Quarantine',
    ...entries.map(([task, { until, reason }]) => `  until ${until}  ${sanitizeLine(`${task}: ${reason}`)}`),
  ];
}
