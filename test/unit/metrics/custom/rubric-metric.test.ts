import { describe, expect, it } from 'vitest';
import type { CustomDefinition } from '../../../../src/metrics/custom/definition.ts';
import { rubricMetric } from '../../../../src/metrics/custom/rubric-metric.ts';
import type { SessionMetric, TurnMetric } from '../../../../src/metrics/metric.ts';
import { judgeSession, judgeTurn } from '../judge-script.ts';
import { resultOf, sessionOf, turnOf, turnView } from '../views.ts';

const RUBRIC = 'The answer names the order and makes no jokes.';

function metricOf(definition: Partial<CustomDefinition> = {}) {
  return rubricMetric({ name: 'tone', scope: 'turn', scale: 'likert', optIn: false, rubric: RUBRIC, ...definition });
}

function ofTurn(definition: Partial<CustomDefinition> = {}): TurnMetric {
  const metric = metricOf(definition);
  if (metric.scope !== 'turn') throw new Error('It is a metric of sessions.');
  return metric;
}

function ofSession(definition: Partial<CustomDefinition> = {}): SessionMetric {
  const metric = metricOf({ scope: 'session', ...definition });
  if (metric.scope !== 'session') throw new Error('It is a metric of turns.');
  return metric;
}

const evidence = ['t1.answer'];

describe('a rubric metric', () => {
  it.each([
    [{ scale: 'likert', threshold: 4 }, { score: 4 }, { score: 4, scale: [1, 5], passed: true }],
    [{ scale: 'unit', threshold: 0.8 }, { score: 0.75 }, { score: 0.75, scale: [0, 1], passed: false }],
    [{ scale: 'binary' }, { score: 1 }, { score: 1, scale: [0, 1], passed: null, threshold: null }],
    [{ scale: 'label', labels: ['warm', 'cold'] }, { label: 'cold' }, { label: 'cold', labels: ['cold'], scale: null }],
  ] as const)('is scored on its scale: %j', async (definition, answer, result) => {
    const evaluation = await judgeTurn(
      ofTurn(definition),
      {},
      { custom_tone: { evidence, reason: 'It does.', ...answer } },
    );
    expect(evaluation.result).toMatchObject({
      status: 'scored',
      source: 'judge',
      judge: expect.any(String),
      ...result,
    });
    expect(evaluation.result).toMatchObject({ reason: 'It does.', evidence: [{ pointer: '/turns/0' }] });
    expect(evaluation.calls).toEqual([['custom_tone']]);
  });

  it('sends the rubric to the judge verbatim, with the steps of the scale', async () => {
    const { shown: prompt } = await judgeTurn(ofTurn(), {}, {});
    expect(prompt).toContain(`"""\n${RUBRIC}\n"""`);
    expect(prompt).toContain('5 fully met; 4 but for minor points');
    expect((await judgeTurn(ofTurn({ scale: 'binary' }), {}, {})).shown).toContain('0 if any part of it is not');
    expect((await judgeTurn(ofTurn({ scale: 'unit' }), {}, {})).shown).toContain('0.5 to 0.74 in part');
  });

  it.each([
    [{ scale: 'likert' }, { score: 6 }],
    [{ scale: 'likert' }, { score: 2.5 }],
    [{ scale: 'unit' }, { score: -0.1 }],
    [{ scale: 'binary' }, { score: 0.5 }],
    [{ scale: 'label', labels: ['warm', 'cold'] }, { label: 'tepid' }],
    [{ scale: 'likert' }, {}],
    [{ scale: 'likert' }, { score: 3, evidence: ['t9.answer'] }],
  ] as const)(
    'asks again once, then fails, if the answer is off scale or cites something not shown: %j %j',
    async (definition, answer) => {
      const evaluation = await judgeTurn(
        ofTurn(definition),
        {},
        { custom_tone: { evidence, reason: 'It does.', ...answer } },
      );
      expect(evaluation.result).toMatchObject({ status: 'error', score: null, label: null });
      expect(evaluation.calls).toHaveLength(2);
    },
  );

  it('is not applicable, with the reason and without a score, if the judge says so', async () => {
    const answer = { evidence: [], reason: 'No order was spoken of.', score: null };
    const { result } = await judgeTurn(ofTurn(), {}, { custom_tone: answer });
    expect(result).toMatchObject({ status: 'not_applicable', score: null, reason: 'No order was spoken of.' });
  });

  it('uses the configured number of samples', async () => {
    const answers = [2, 4, 4].map((score) => ({ evidence, reason: `It is ${score}.`, score }));
    const evaluation = await judgeTurn(ofTurn({ samples: 3 }), {}, { custom_tone: answers });
    expect(evaluation.calls).toHaveLength(3);
    expect(evaluation.result.score).toBeCloseTo(10 / 3);
    expect(evaluation.result.metadata).toMatchObject({ samples: [2, 4, 4] });
  });

  it('uses the majority for binary and label scales', async () => {
    const votes = [1, 1, 0].map((score) => ({ evidence, reason: 'x', score }));
    expect((await judgeTurn(ofTurn({ scale: 'binary', samples: 3 }), {}, { custom_tone: votes })).result.score).toBe(1);
    const labels = ['cold', 'warm', 'cold'].map((label) => ({ evidence, reason: 'x', label }));
    const metric = ofTurn({ scale: 'label', labels: ['warm', 'cold'], samples: 3 });
    expect((await judgeTurn(metric, {}, { custom_tone: labels })).result.label).toBe('cold');
  });

  it('shows the whole session if its scope is session', async () => {
    const session = sessionOf([{ output: 'The first answer.' }, { output: 'The second answer.' }]);
    const answer = { evidence: ['t2.answer'], reason: 'Both do.', score: 5 };
    const { result, shown: prompt } = await judgeSession(ofSession(), session, { custom_tone: answer });
    expect(result).toMatchObject({ status: 'scored', score: 5, evidence: [{ pointer: '/turns/1' }] });
    expect(prompt).toContain('The first answer.');
    expect(prompt).toContain('The second answer.');
  });

  it.each([
    ['a turn in which nothing was done or said', {}, { output: null }],
    ['a turn that was not recorded', {}, { output: null, captured: false as const }],
  ])('does not ask about %s', async (_, definition, turn) => {
    const { result, calls } = await judgeTurn(ofTurn(definition), turn, {});
    expect([result.status, calls]).toEqual(['not_applicable', []]);
  });

  it('does not ask about a session without turns', async () => {
    const { result, calls } = await judgeSession(ofSession(), sessionOf([]), {});
    expect([result.status, calls]).toEqual(['not_applicable', []]);
  });

  it('needs a judge', async () => {
    const metric = ofTurn();
    const view = turnView({ id: 's', source: { file: 'a', format: 'test', pointer: '' }, turns: [turnOf(0)] }, 0);
    expect(resultOf(await metric.evaluate(view, {}), metric)).toMatchObject({ status: 'needs_judge', score: null });
  });

  it('uses a shortened rubric as its question if it has none', () => {
    expect(metricOf().question).toBe(RUBRIC);
    expect(metricOf({ question: 'Is it kind?' }).question).toBe('Is it kind?');
    expect(metricOf({ rubric: `One.\n  ${'long '.repeat(99)}` }).question).toMatch(/^One\. long long .{100,}…$/);
  });
});
