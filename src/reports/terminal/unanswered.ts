import { coverage, type Result } from '../../core/result.ts';
import { plain, wrap } from '../text.ts';
import type { Style } from './style.ts';

/** Reasons that are shown, and metrics that are named for each. */
const REASONS = 8;
const NAMES = 3;
/** Reasons that are looked for in others. */
const ROOTS = 200;

const KINDS = {
  error: { mark: '!', tone: 'bad', said: 'failed' },
  needs_judge: { mark: '?', tone: 'doubtful', said: 'open' },
} as const;

/** What has no answer, and why: one outage fails many metrics, and is told once. */
export function* unansweredLines(
  status: keyof typeof KINDS,
  byMetric: ReadonlyMap<string, readonly Result[]>,
  style: Style,
): Generator<string> {
  const { mark, tone, said } = KINDS[status];
  const groups = together(status, byMetric);
  for (const { metrics, reason, count } of groups.slice(0, REASONS)) {
    // An average stands on fewer results than it seems.
    const { scored, of } = coverage(metrics.flatMap((metric) => byMetric.get(metric) ?? []));
    const text = `${listed(metrics)}: ${scored} of ${of} scored, ${count} ${said}: ${plain(reason)}`;
    for (const [index, line] of wrap(text, style.columns - 4).entries()) {
      yield `  ${index === 0 ? style.paint(mark, tone) : ' '} ${line}`;
    }
  }
  const left = groups.slice(REASONS).reduce((sum, { count }) => sum + count, 0);
  if (left > 0) yield `    ${style.paint(`and ${left} more ${said}; --format json has them`, 'quiet')}`;
}

interface Unanswered {
  readonly metrics: readonly string[];
  readonly reason: string;
  readonly count: number;
}

/** Results of one reason, or of one metric where the reason is its own. The most first. */
function together(wanted: Result['status'], byMetric: ReadonlyMap<string, readonly Result[]>): Unanswered[] {
  const found = [...byMetric].flatMap(([metric, results]) =>
    results.flatMap(({ status, reason }) =>
      status === wanted ? [{ metric, reason: reason || 'no reason was given' }] : [],
    ),
  );
  const rootOf = rootReasons(found.map(({ reason }) => reason));
  const metricsOf = (alike: typeof found) => [...new Set(alike.map(({ metric }) => metric))];
  const byReason = [...Map.groupBy(found, ({ reason }) => rootOf(reason))];
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
