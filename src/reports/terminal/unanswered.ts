import { coverage, type Result } from '../../core/result.ts';
import { plain, wrap } from '../text.ts';
import type { Style } from './style.ts';

/** Reasons of failures that are shown, and metrics that are named for each. */
const FAILURES = 8;
const NAMES = 3;
/** Reasons that are looked for in others. */
const ROOTS = 200;

/** What could not be asked, and why: one outage fails many metrics, and is told once. */
export function* unansweredLines(byMetric: ReadonlyMap<string, readonly Result[]>, style: Style): Generator<string> {
  const groups = failuresTogether(byMetric);
  for (const { metrics, reason, count } of groups.slice(0, FAILURES)) {
    // An average stands on fewer results than it seems.
    const { scored, of } = coverage(metrics.flatMap((metric) => byMetric.get(metric) ?? []));
    const text = `${listed(metrics)}: ${scored} of ${of} scored, ${count} failed: ${plain(reason)}`;
    for (const [index, line] of wrap(text, style.columns - 4).entries()) {
      yield `  ${index === 0 ? style.paint('!', 'bad') : ' '} ${line}`;
    }
  }
  const left = groups.slice(FAILURES).reduce((sum, { count }) => sum + count, 0);
  if (left > 0) yield `    ${style.paint(`and ${left} more failed; --format json has them`, 'quiet')}`;
}

interface Failed {
  readonly metrics: readonly string[];
  readonly reason: string;
  readonly count: number;
}

/** Failures of one reason, or of one metric where the reason is its own. The most first. */
function failuresTogether(byMetric: ReadonlyMap<string, readonly Result[]>): Failed[] {
  const failed = [...byMetric].flatMap(([metric, results]) =>
    results.flatMap(({ status, reason }) =>
      status === 'error' ? [{ metric, reason: reason || 'no reason was given' }] : [],
    ),
  );
  const rootOf = rootReasons(failed.map(({ reason }) => reason));
  const metricsOf = (alike: typeof failed) => [...new Set(alike.map(({ metric }) => metric))];
  const byReason = [...Map.groupBy(failed, ({ reason }) => rootOf(reason))];
  const keyed = byReason.flatMap(([root, alike]) => {
    const [metric, ...others] = metricsOf(alike);
    return alike.map((one) => ({ ...one, root, key: others.length === 0 ? `metric ${metric}` : `reason ${root}` }));
  });
  return [...Map.groupBy(keyed, ({ key }) => key).values()]
    .map((alike) => ({ metrics: metricsOf(alike), reason: alike[0]?.root ?? '', count: alike.length }))
    .sort((a, b) => b.count - a.count);
}

/** A failure that rests on another repeats its reason, and has more to say: the root is the reason that it repeats. */
function rootReasons(reasons: readonly string[]): (reason: string) => string {
  const distinct = [...new Set(reasons)].sort((a, b) => a.length - b.length);
  const candidates = distinct.slice(0, ROOTS);
  const roots = new Map(distinct.map((reason) => [reason, candidates.find((root) => reason.includes(root)) ?? reason]));
  return (reason) => roots.get(reason) ?? reason;
}

/** The first names, and how many there are besides. */
function listed(names: readonly string[]): string {
  const left = names.length - NAMES;
  return left > 1 ? `${names.slice(0, NAMES).join(', ')} and ${left} more` : names.join(', ');
}
