import { expect, it } from 'vitest';
import { evaluateSessionGates } from '../../../../src/engine/gates.ts';
import { toSessionReport } from '../../../../src/engine/reduce.ts';
import { METRICS } from '../../../../src/metrics/index.ts';
import { toRecordedSession } from '../../../../src/runs/record/session-row.ts';
import { exampleOutcomes } from '../../../support/example-outcomes.ts';
import { runPlan } from '../../engine/support.ts';

const [OUTCOME] = await exampleOutcomes(1);
if (!OUTCOME) throw new Error('There is no example.');
const PLAN = runPlan(METRICS, {});

function rowOf(outcome: NonNullable<typeof OUTCOME>) {
  const report = toSessionReport(outcome, evaluateSessionGates(outcome, outcome.problems, PLAN));
  const problems = outcome.problems.map(({ occurrence }) => occurrence);
  return { report, row: toRecordedSession({ outcome, report, problems, plan: PLAN, file: 'a.json' }) };
}

it('has the scored results of a session, and nothing of its texts', () => {
  const { report, row } = rowOf(OUTCOME);
  const scored = Object.entries(report.metrics).filter(
    ([, { status, score }]) => status === 'scored' && score !== null,
  );
  expect(scored.length).toBeGreaterThan(3);
  expect(row.scores).toEqual(Object.fromEntries(scored.map(([name, { score }]) => [name, score])));
  expect(row.judged).toEqual([]);
  expect(row).toMatchObject({
    inputs: OUTCOME.hashes?.inputs,
    turns: OUTCOME.turns.length,
    verdict: report.verdict,
  });
  expect(Object.values(row.rules).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  expect(row.severity).not.toBeNull();
});

it('names a mean as judged where a judge scored one of the turns', () => {
  const judged = { ...OUTCOME.turns[0]?.metrics.turn_risk, status: 'scored', score: 1, source: 'judge' } as const;
  const base = Object.values(OUTCOME.metrics)[0];
  if (!base) throw new Error('There is no result.');
  const mean = { ...base, status: 'scored', score: 1, source: 'aggregate' } as const;
  const turns = OUTCOME.turns.map((turn, index) => ({
    ...turn,
    metrics: { ...turn.metrics, faithfulness: { ...base, ...(index === 0 ? judged : {}) } },
  }));
  expect(rowOf({ ...OUTCOME, turns, metrics: { ...OUTCOME.metrics, faithfulness: mean } }).row.judged).toEqual([
    'faithfulness',
  ]);
});

it('knows whether an attempt was correct where the trace says how it ended', () => {
  const recorded = { status: 'succeeded', reason: 'reward 1.0 in the trace' } as const;
  expect(rowOf({ ...OUTCOME, recorded }).row.correct).toBe(true);
  expect(rowOf({ ...OUTCOME, recorded: { ...recorded, status: 'failed' } }).row.correct).toBe(false);
});
