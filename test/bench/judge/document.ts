import type { Report } from '../../../src/core/report.ts';
import { figure, percent, table } from '../validity/markdown.ts';
import { compareRuns, type LabelAgreement, labelAgreement, type RunComparison } from './comparison.ts';

/** The runs that were made over the same sessions. */
export interface JudgeMeasurements {
  /** `provider/model`. */
  readonly judge: string;
  /** ISO 8601, of the day. */
  readonly day: string;
  /** What the sessions are. */
  readonly sessions: string;
  readonly packed: Report;
  /** Each stage of each metric in a call of its own. */
  readonly separate: Report;
  /** Packed once more: how far the model agrees with itself. */
  readonly again: Report | null;
  /** Packed, with two turns in a call. */
  readonly twoTurns: Report | null;
  readonly outcomes: Outcomes;
}

/** Sets of sessions by name, of which each says what came of every session; null where nobody knows, or it is of no such set. */
export type Outcomes = Readonly<Record<string, readonly (boolean | null)[]>>;

/** `docs/agreement.md`. */
export function renderDocument(measurements: JudgeMeasurements): string {
  const { judge, day, sessions, packed, separate, again, twoTurns, outcomes } = measurements;
  const runs = {
    packed,
    separate,
    ...(again && { 'packed again': again }),
    ...(twoTurns && { 'two turns in a call': twoTurns }),
  };
  const labelled = Object.entries(outcomes).flatMap(([set, failed]) => {
    const agreements = labelAgreement(Object.values(runs), failed);
    return agreements.length === 0 ? [] : [`### ${set}\n\n${labelTable(Object.keys(runs), agreements)}`];
  });
  const blocks = [
    '# Agreement of packed and separate questions',
    `Questions about one turn travel together in one call; \`questionsPerCall: 1\` asks each stage of each metric on its own, as the source systems do. This is how far one model said the same both ways. Written by \`npm run bench:judge\`: ${judge}, ${day}, ${sessions}.`,
    '## What it took',
    table(['', 'calls', 'tokens sent', 'tokens answered', 'without an answer'], ...Object.entries(runs).map(costRow)),
    '## Packed against separate',
    'Of what the model scored both ways. Exact: the share of equal scores, or of equal first labels. Difference: the mean absolute one, on the scale of the metric. Rank: Spearman’s correlation. Kappa: Cohen’s, of first labels and of what is 0 or 1. A dash: nothing varies, or it is not defined. What proven findings cap is equal both ways, and raises agreement.',
    comparisonTable(compareRuns(packed, separate)),
    again
      ? `## Packed against packed again\n\nHow far the model agrees with itself: where this is no better than the table above, packing is not what changes answers.\n\n${comparisonTable(compareRuns(packed, again))}`
      : 'How far the model agrees with itself when it is asked the same twice was not measured: `--again` does.',
    ...(twoTurns
      ? [`## One turn against two turns in a call\n\nBoth packed.\n\n${comparisonTable(compareRuns(packed, twoTurns))}`]
      : []),
    labelled.length === 0
      ? 'No session has a known outcome, so nothing is said about which way tells failures better.'
      : `## Against outcomes\n\nAUROC: the probability that a session that failed has a worse score, or mean over its turns, than one that did not; 0.5 is chance.\n\n${labelled.join('\n\n')}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function costRow([name, { run, sessions }]: [string, Report]): string[] {
  const results = sessions.flatMap(({ turns }) => turns.flatMap(({ metrics }) => Object.values(metrics)));
  const lost = results.filter(({ status }) => status === 'error' || status === 'cancelled').length;
  const { judgeCalls, promptTokens, completionTokens } = run.usage;
  return [name, ...[judgeCalls, promptTokens, completionTokens, lost].map((count) => count.toLocaleString('en'))];
}

function comparisonTable(comparisons: readonly RunComparison[]): string {
  return table(
    ['metric', 'of', 'pairs', 'scored in one run only', 'exact', 'difference', 'rank', 'kappa'],
    ...comparisons.map(({ metric, pairs, unpaired, exact, difference, rank, kappa }) => [
      `\`${metric.name}\``,
      metric.scope,
      String(pairs),
      String(unpaired),
      percent(exact),
      figure(difference, 2),
      figure(rank, 2),
      figure(kappa, 2),
    ]),
  );
}

function labelTable(runs: readonly string[], labelled: readonly LabelAgreement[]): string {
  return table(
    ['metric', 'sessions', ...runs],
    ...labelled.map(({ metric, sessions, aurocs }) => [
      `\`${metric.name}\``,
      String(sessions),
      ...aurocs.map((auroc) => figure(auroc)),
    ]),
  );
}
