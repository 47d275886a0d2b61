import { describe, expect, it } from 'vitest';
import { labelledAnswers, sessionsOf } from '../../bench/judge/labelled-answers.ts';
import { sharedData } from '../../support/shared-data.ts';

describe('answers that are known to be right or wrong', () => {
  it('are sessions of one turn, with what is right as their reference and the label as their reward', () => {
    const inputs = { input: 'Where?', input_answer: 'In Rome.', input_prediction: 'In Paris.' };
    const examples = [{ inputs, outputs: { output_correctness_score: 0 } }];
    expect(sessionsOf('Wrong', 'wrong.json', { examples })).toMatchObject([
      {
        id: 'Wrong 1',
        scores: { reward: 0 },
        turns: [{ input: 'Where?', output: 'In Paris.', reference: { response: 'In Rome.' } }],
      },
    ]);
  });

  it('are refused in another shape', () => {
    expect(() => sessionsOf('Wrong', 'wrong.json', { examples: [{ inputs: {} }] })).toThrow();
  });

  it.skipIf(sharedData('judge-meta-eval') === null)('are there, right and wrong ones', async () => {
    const rewards = (await labelledAnswers())?.map(({ scores }) => scores?.reward) ?? [];
    expect(rewards.filter((reward) => reward === 1).length).toBeGreaterThan(20);
    expect(rewards.filter((reward) => reward === 0).length).toBeGreaterThan(20);
  });
});
