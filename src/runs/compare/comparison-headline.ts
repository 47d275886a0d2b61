import type { ComparedMetric, RunComparison } from '../../core/run-comparison.ts';
import { limitList } from '../../core/text/lists.ts';
import { relevantDifference } from './figures.ts';

/** What a comparison says in one line, and what to do next. */
export interface ComparisonHeadline {
  /** Of the success of the sessions, else of all metrics; null of more than two runs. */
  readonly conclusion: ComparedMetric['conclusion'] | 'better and worse' | null;
  /** What the conclusion is about; null where it is about all metrics. */
  readonly metric: string | null;
  /** A sentence. */
  readonly text: string;
  /** A sentence: what to do; null where nothing would help. */
  readonly next: string | null;
}

/** The metrics that say whether sessions succeeded, the strongest first. */
const SUCCESS = ['correct', 'verdict'] as const;

export function comparisonHeadline(comparison: RunComparison): ComparisonHeadline {
  const { comparability, leaderboard } = comparison;
  const withheld = comparability.find(({ withholds }) => withholds === 'all');
  if (withheld) {
    return { conclusion: 'not comparable', metric: null, text: withheld.reason, next: withheld.remedy };
  }
  if (leaderboard) {
    const name = SUCCESS.find((metric) => leaderboard[metric] && leaderboard[metric].standings.length > 0) ?? null;
    const text = (name && leaderboard[name]?.reason) ?? 'No run can be ranked by the success of its sessions.';
    return { conclusion: null, metric: name, text, next: null };
  }
  return headlineOfTwo(comparison);
}

function headlineOfTwo({ metrics, comparability }: RunComparison): ComparisonHeadline {
  const known = SUCCESS.filter((name) => metrics[name] && isKnown(metrics[name]));
  const metric = known.find((name) => metrics[name] && isChanged(metrics[name])) ?? known[0] ?? null;
  const success = metric === null ? undefined : metrics[metric];
  if (success && isChanged(success)) {
    return { conclusion: success.conclusion, metric, text: success.reason, next: null };
  }
  const others = Object.entries(metrics)
    .filter(([name]) => !SUCCESS.some((one) => one === name))
    .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  const named = (conclusion: ComparedMetric['conclusion']) =>
    others.filter(([, one]) => one.conclusion === conclusion).map(([name]) => name);
  const [better, worse] = [named('better'), named('worse')];
  const lists = [...listOf('Worse', worse), ...listOf('Better', better)];
  if (success) {
    const text = [success.reason, ...lists].join(' ');
    return { conclusion: success.conclusion, metric, text, next: moreTasks(success) };
  }
  if (lists.length > 0) {
    const conclusion = worse.length === 0 ? 'better' : better.length === 0 ? 'worse' : 'better and worse';
    return { conclusion, metric: null, text: lists.join(' '), next: null };
  }
  const unclear = others.find(([, one]) => isKnown(one));
  if (unclear) {
    const [name, { conclusion, reason }] = unclear;
    return { conclusion, metric: name, text: reason, next: moreTasks(unclear[1]) };
  }
  const note = comparability[0];
  return {
    conclusion: 'not comparable',
    metric: null,
    text: note?.reason ?? 'No metric has a score in both runs.',
    next: note?.remedy ?? null,
  };
}

function isKnown({ conclusion, pairs }: ComparedMetric): boolean {
  return conclusion !== 'not comparable' && pairs > 0;
}

function isChanged({ conclusion }: ComparedMetric): boolean {
  return conclusion === 'better' || conclusion === 'worse';
}

/** How large the difference is, against one that would matter. */
function sizeOf(metric: ComparedMetric): number {
  const { difference, before } = metric;
  if (difference === null || difference === 0) return 0;
  return Math.abs(difference) / relevantDifference(metric, before?.mean ?? 0);
}

const MAX_NAMES = 5;

/** `Worse: cost, latency.` */
function listOf(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`${word}: ${limitList(names, MAX_NAMES).join(', ')}.`];
}

function moreTasks({ conclusion }: ComparedMetric): string | null {
  return conclusion === 'cannot tell' ? 'Run more tasks, or each task several times.' : null;
}
