import { describe, expect, it } from 'vitest';
import { get } from '../../../../src/core/json.ts';
import type { Session } from '../../../../src/core/session.ts';
import { lexicalEmbedder } from '../../../../src/embed/lexical.ts';
import { evaluateSessions } from '../../../../src/engine/evaluate.ts';
import type { JudgeSettings } from '../../../../src/judge/judge.ts';
import type { ChatPrompt } from '../../../../src/llm/chat-model.ts';
import { minimalValue } from '../../../support/minimal-value.ts';
import { configuration } from '../../engine/support.ts';
import { createTestJudge, questionNames, scriptedModel } from '../../judge/support.ts';
import { toolCall } from '../calls.ts';
import { sessionOf } from '../views.ts';

const SESSION: Session = sessionOf(
  ['Where is A-1?', 'And A-2?', 'Cancel both.'].map((input, at) => ({
    input,
    output: ['On its way.', 'Delivered on Monday.', 'Both cancelled.'][at] ?? '',
    steps: [
      { type: 'model', pointer: `/turns/${at}/steps/0`, reasoning: 'First look it up, then say so.' },
      toolCall('get_order', { at }, { pointer: `/turns/${at}/steps/1` }),
    ],
  })),
  { tools: [{ name: 'get_order' }] },
);

/** A score for each turn, or `null` for an answer that is never valid. */
type Scores = Readonly<Record<string, readonly (number | null)[]>>;

async function run(metrics: readonly string[], scores: Scores = {}, settings: Partial<JudgeSettings> = {}) {
  const model = scriptedModel((prompt) => {
    const least = minimalValue(prompt.exactSchema());
    return Object.fromEntries(
      questionNames(prompt).map((name) => {
        const score = scores[name]?.[turnOf(prompt)];
        const graded = { evidence: [], reason: 'So it is.', score: score ?? 'none' };
        return [name, score === undefined ? get(least, name) : graded];
      }),
    );
  });
  const judge = createTestJudge(model, settings);
  const report = await evaluateSessions({
    sessions: [SESSION],
    configuration: configuration({ metrics: [...metrics] }),
    judges: { defaultJudge: judge, byMetric: new Map() },
    embedder: lexicalEmbedder(),
    locate: () => new Map(),
    version: '1.2.3',
    signal: new AbortController().signal,
  });
  const [session] = report.sessions;
  if (!session) throw new Error('The session is not in the report.');
  return { session, calls: model.prompts.map(questionNames) };
}

/** Zero-based index of the turn that a prompt asks about. */
function turnOf({ parts }: ChatPrompt): number {
  return Number(/at the top about turn (\d+)/.exec(parts.join('\n'))?.[1]) - 1;
}

const AGGREGATES = ['agent_reliability', 'agent_consistency'];

describe('the session metrics of PandaProbe', () => {
  it("are computed from the judge's score of each turn", async () => {
    const { session, calls } = await run(AGGREGATES, { confidence: [1, 0.5, 0.75], tool_correctness: [1, 1, 0.5] });
    expect(calls).toEqual([0, 1, 2].map(() => ['confidence', 'tool_correctness']));
    expect(session.turns.map(({ metrics }) => metrics.confidence?.judge)).toEqual(['openai/m', 'openai/m', 'openai/m']);
    // The highest risk of each turn is 0, 1 - 0.5 and 0.8 x (1 - 0.5); of three turns, the worst one counts.
    expect(session.metrics.agent_reliability).toMatchObject({
      status: 'scored',
      score: 0.5,
      metadata: {
        per_trace_signals: {
          t2: { confidence_risk: 0.5, tool_risk: 0, step_risk: 0.5 },
          t3: { confidence_risk: 0.25, tool_risk: 0.5, step_risk: 0.4 },
        },
        signals: { scored: 8, vacuous: 1, missing: 3 },
      },
    });
    // Uncertainties 0, 0.5 and (1 + 0.8 x 0.5) x 0.25.
    const uncertainty = Math.sqrt((0.5 ** 2 + 0.35 ** 2) / 3);
    expect(session.metrics.agent_consistency?.status).toBe('scored');
    expect(session.metrics.agent_consistency?.score).toBeCloseTo(1 - uncertainty, 9);
  });

  it('count an invalid answer as missing, never as a score', async () => {
    const { session } = await run(AGGREGATES, { confidence: [1, null, 0.9], tool_correctness: [1, 0.5, 1] });
    expect(session.turns[1]?.metrics.confidence).toMatchObject({ status: 'error', score: null });
    expect(session.metrics.agent_reliability).toMatchObject({
      score: 0.6,
      reason: expect.stringContaining('7 scored, 1 vacuous, 4 missing'),
      metadata: { traces_evaluated: 3, per_trace_signals: { t2: { tool_risk: 0.5, step_risk: 0.4 } } },
    });
    expect(session.metrics.agent_consistency).toMatchObject({
      status: 'scored',
      metadata: { traces_evaluated: 2 },
    });
    expect(Object.keys(Object(session.metrics.agent_consistency?.metadata.per_trace_signals))).toEqual(['t1', 't3']);
  });

  it('have no score if the model answered for no turn', async () => {
    const none = [null, null, null];
    const { session } = await run(AGGREGATES, { confidence: none, tool_correctness: none });
    for (const name of AGGREGATES) {
      expect(session.metrics[name]).toMatchObject({ status: 'error', score: null, passed: null });
      expect(session.metrics[name]?.reason).toMatch(/^No turn has a score for confidence.*does not fit/);
    }
  });

  it('differ: stability needs confidence, the worst case any judge signal', async () => {
    const { session } = await run(AGGREGATES, { confidence: [null, null, null], tool_correctness: [null, 0.5, null] });
    expect(session.metrics.agent_reliability).toMatchObject({ status: 'scored', score: 0.6 });
    expect(session.metrics.agent_consistency).toMatchObject({ status: 'error', score: null });
  });
});

describe('the turn metrics of PandaProbe', () => {
  const seven = [
    'task_completion',
    'tool_correctness',
    'argument_correctness',
    'step_efficiency',
    'confidence',
    'plan_adherence',
    'plan_quality',
  ];

  it('share one call per turn', async () => {
    const { calls } = await run(seven);
    expect(calls).toHaveLength(3);
    expect(calls[0]?.toSorted()).toEqual([...seven, 'argument_verdicts', 'plan', 'task'].toSorted());
  });

  it('ask for task and plan once for all metrics, with one question per call', async () => {
    const { calls } = await run(seven, {}, { questionsPerCall: 1 });
    expect(calls.flat().filter((name) => name === 'task')).toHaveLength(3);
    expect(calls.flat().filter((name) => name === 'plan')).toHaveLength(3);
    expect(calls).toHaveLength(3 * 10);
  });
});
