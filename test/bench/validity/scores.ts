import { evaluate } from '../../../src/index.ts';
import { createRuleView } from '../../../src/rules/rule-view.ts';
import type { LabelledSample } from './risk-samples.ts';

/** Ranks sessions, higher for worse; null where a session has no such figure. */
export type Score = (sample: LabelledSample) => number | null;

const METRICS = ['agent_reliability', 'agent_consistency'];

/** What sessions are ranked by beside their risk, as a user computes it who has no model. */
export async function otherScores(samples: readonly LabelledSample[]): Promise<readonly [name: string, Score][]> {
  const report = await evaluate(
    samples.map(({ session }) => session),
    { metrics: METRICS },
  );
  const scores = new Map(
    samples.map((sample, i) => {
      const { calls } = createRuleView(sample.session);
      return [
        sample,
        {
          calls: calls.length,
          changes: calls.filter(({ effect }) => effect === 'changes').length,
          errors: calls.filter(({ step }) => step.outcome === 'error').length,
          metrics: report.sessions[i]?.metrics ?? {},
        },
      ] as const;
    }),
  );
  const inverse = (metric: string): Score => {
    return (sample) => {
      const score = scores.get(sample)?.metrics[metric]?.score;
      return typeof score === 'number' ? 1 - score : null;
    };
  };
  return [
    ['calls', (sample) => scores.get(sample)?.calls ?? null],
    ['state-changing calls', (sample) => scores.get(sample)?.changes ?? null],
    ['failed calls', (sample) => scores.get(sample)?.errors ?? null],
    ['turns', ({ session }) => session.turns.length],
    ['characters of the conversation', ({ length }) => length],
    ['`agent_reliability` (1 - score)', inverse('agent_reliability')],
    ['`agent_consistency` (1 - score)', inverse('agent_consistency')],
  ];
}
