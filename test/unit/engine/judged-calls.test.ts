import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../../src/config/check.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import type { Report } from '../../../src/core/report.ts';
import type { Session, Step, Turn } from '../../../src/core/session.ts';
import { lexicalEmbedder } from '../../../src/embed/lexical.ts';
import { evaluateSessions } from '../../../src/engine/evaluate.ts';
import type { JudgeSettings } from '../../../src/judge/judge.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import { type Metric, turnMetric } from '../../../src/metrics/metric.ts';
import { createTestJudge, NEVER, questionNames, type ScriptedModel, scriptedModel } from '../judge/support.ts';
import { sessionOf } from '../metrics/views.ts';

/** A turn in which every default metric has something to judge: a plan, a call, an answer. */
function busyTurn(index: number): Partial<Turn> {
  const pointer = `/turns/${index}/steps`;
  const steps: Step[] = [
    { type: 'model', pointer: `${pointer}/0`, reasoning: 'First I look the order up, then I tell the state.' },
    {
      type: 'tool',
      pointer: `${pointer}/1`,
      id: `c${index}`,
      name: 'get_order',
      arguments: { order_id: `A-${index}` },
      result: { state: `on its way since day ${index}` },
      outcome: 'ok',
      requestedBy: 'agent',
    },
  ];
  return { input: `Where is order A-${index}?`, output: `It is on its way since day ${index}.`, steps };
}

function sessionOfTurns(count: number): Session {
  return sessionOf(
    Array.from({ length: count }, (_, index) => busyTurn(index)),
    { goal: 'Know where the orders are.', tools: [{ name: 'get_order', description: 'Looks an order up.' }] },
  );
}

async function run(
  session: Session,
  settings: Partial<JudgeSettings>,
  metrics: readonly Metric[] = [],
): Promise<{ report: Report; model: ScriptedModel }> {
  const model = scriptedModel();
  const { configuration } = checkConfiguration({ judge: { provider: 'openai', model: 'm' } }, REGISTRY);
  if (!configuration) throw new Error('The configuration is refused.');
  const report = await evaluateSessions({
    sessions: [session],
    configuration,
    judges: { defaultJudge: createTestJudge(model, settings), byMetric: new Map() },
    metrics: [...METRICS, ...metrics],
    embedder: lexicalEmbedder(),
    locate: () => new Map(),
    version: '0',
    signal: NEVER,
  });
  return { report, model };
}

/** What a judge is needed for is asked: nothing is left over as `needs_judge`. */
function unasked({ sessions }: Report): string[] {
  const all = sessions.flatMap(({ metrics, turns }) => [metrics, ...turns.map((turn) => turn.metrics)]);
  const names = all.flatMap((metrics) =>
    Object.entries(metrics).flatMap(([name, { status }]) => (status === 'needs_judge' ? name : [])),
  );
  return [...new Set(names)];
}

describe('the calls of a run with all default metrics', () => {
  it.each([
    [2, 5],
    [200, 205],
  ])('of %d turns are no more than %d, and leave nothing unasked', async (turns, most) => {
    const { report, model } = await run(sessionOfTurns(turns), { questionsPerCall: 32 });
    expect(model.prompts.length).toBeGreaterThanOrEqual(turns + 1);
    expect(model.prompts.length).toBeLessThanOrEqual(most);
    expect(report.run.usage.judgeCalls).toBe(model.prompts.length);
    expect(unasked(report)).toEqual([]);
  });

  // PandaProbe's sixteen stages of a turn, without what the trace's structure says (two), the task that three metrics
  // share and the plan that two do; a stage for each metric of Agentest and of ADK that runs by default.
  const STAGES = {
    turn: [
      ...[
        'task',
        'task_completion',
        'tool_correctness',
        'argument_verdicts',
        'argument_correctness',
        'step_efficiency',
      ],
      ...['confidence', 'plan', 'plan_adherence', 'plan_quality'],
      ...['helpfulness', 'conversation_coherence', 'relevance', 'faithfulness', 'verbosity'],
      ...['agent_behavior_failure', 'tool_call_behavior_failure', 'safety_v1'],
    ],
    session: ['goal_completion', 'resolution_rate'],
  };

  it('are the stages that the sources define, with shared stages asked once, at one question per call', async () => {
    const { report, model } = await run(sessionOfTurns(2), { questionsPerCall: 1 });
    const expected = [...STAGES.turn, ...STAGES.turn, ...STAGES.session];
    expect(model.prompts.flatMap(questionNames).sort()).toEqual(expected.sort());
    expect(model.prompts).toHaveLength(expected.length);
    expect(unasked(report)).toEqual([]);
  });

  it('are half as many with two turns per call, also where some turns take longer', async () => {
    const slow = turnMetric({
      ...{ name: 'slow', question: '?', source: 'test', scale: 'unit', threshold: 0.5, needs: [] },
      evaluate: async ({ index }) => {
        await setTimeout(10 * (index % 7));
        return { status: 'scored', score: 1, source: 'rules', reason: null };
      },
    });
    const { report, model } = await run(sessionOfTurns(41), { questionsPerCall: 32, turnsPerCall: 2 }, [slow]);
    expect(model.prompts).toHaveLength(22);
    expect(unasked(report)).toEqual([]);
  });
});
