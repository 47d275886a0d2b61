import { describe, expect, it } from 'vitest';
import { agenticTools } from '../../../../src/metrics/reference/agentic-tools.ts';
import { evaluateTurn, toolCall } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';

const CALL = toolCall('get_hours', { day: 'Monday' }, { pointer: '/turns/0/steps/0', result: { open: '09:00' } });
const EXPECTED = { name: 'get_hours', arguments: { day: 'Monday' } };
const TURN = { output: 'Yes, we are open then.', steps: [CALL], reference: { toolCalls: [EXPECTED] } };

const answer = (score: unknown) => ({ evidence: ['t1.result1'], reason: 'It concludes from the hours.', score });

const evaluate = (...answers: readonly unknown[]) => judgeTurn(agenticTools, TURN, { agentic_tools: answers });

describe('agentic_tools if the answer repeats no value of a result', () => {
  it.each([
    [1, 1, true],
    [0, 0.75, false],
  ])('lets a judge decide whether results were used: %d', async (used, score, passed) => {
    const { result, calls } = await evaluate(answer(used));
    expect(result).toMatchObject({ status: 'scored', score, passed, source: 'reference', judge: 'openai/m' });
    expect(result.metadata).toMatchObject({
      result_utilization: used,
      overall_correctness: score,
      is_correct: passed,
      reasoning: expect.stringContaining('Use of the results: It concludes from the hours.'),
    });
    expect(result.evidence).toMatchObject([
      { pointer: '/turns/0/steps/0', note: expect.stringContaining('get_hours') },
    ]);
    expect(calls).toEqual([['agentic_tools']]);
  });

  it.each([
    [[1, 1, 0], 1],
    [[1, 0], 0],
  ])('uses the majority of samples, with 0 for a tie: %j', async (votes, used) => {
    const answers = { agentic_tools: votes.map(answer) };
    const { result } = await judgeTurn(agenticTools, TURN, answers, { settings: { samples: votes.length } });
    expect(result.metadata.result_utilization).toBe(used);
  });

  it.each([
    ['a share', answer(0.5), /agentic_tools\.score/],
    ['no reason', { evidence: [], score: 1 }, /agentic_tools\.reason/],
    ['a passage that is not shown', { ...answer(1), evidence: ['t1.result2'] }, /agentic_tools\.evidence/],
  ])('asks again once for %s, then fails', async (_, wrong, complaint) => {
    const failed = await evaluate(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null, metadata: { result_utilization: null } });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await evaluate(wrong, answer(1))).result.score).toBe(1);
  });

  it.each([
    ['the answer repeats a value', { ...TURN, output: 'We open at 09:00.' }, {}, 1],
    ['the flag says so', { ...TURN, reference: { ...TURN.reference, usesToolResults: true } }, {}, 1],
    ['there is no answer', { ...TURN, output: ' ' }, {}, 0.75],
    ['its weight is 0', TURN, { weights: { utilization: 0 } }, 1],
    ['it goes by its source', TURN, { compat: 'fair-forge' }, 0.75],
  ])('skips the judge if %s', async (_, turn, options, score) => {
    const { result, calls } = await judgeTurn(agenticTools, turn, {}, { options });
    expect(result).toMatchObject({ status: 'scored', score });
    expect(calls).toEqual([]);
  });

  it('needs a judge', () => {
    expect(evaluateTurn(agenticTools, TURN)).toMatchObject({
      status: 'needs_judge',
      metadata: { result_utilization: null },
    });
  });
});
