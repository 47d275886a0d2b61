import { describe, expect, it } from 'vitest';
import { describeSamples } from '../../../src/panel/samples.ts';
import { scored } from '../server/report/session-fixture.ts';

describe('several answers of a judge', () => {
  it.each([
    ['scores', { samples: [0.8, 0.6, null] }, 'Asked 3 times: 0.80, 0.60, no score.'],
    ['labels', { samples: ['b', 'a', 'b'] }, 'Asked 3 times: b 2, a 1.'],
    ['failures', { samples: ['x', 'x', 'no failure'], votes: { x: 2, y: 1 } }, 'Asked 3 times: x 2, y 1.'],
    ['no failure', { samples: ['no failure', 'no failure'], votes: {} }, 'Asked 2 times: always no failure.'],
    ['the same score', { samples: [1, 1, 1] }, 'Asked 3 times: always 1.00.'],
    ['the same vote', { votes: { valid: 5, invalid: 0, unanswered: 0 } }, 'Asked 5 times: always valid.'],
    [
      'votes',
      { verdict: 'valid', votes: { valid: 3, invalid: 2, unanswered: 0 } },
      'Asked 5 times: valid 3, invalid 2.',
    ],
    [
      'verdicts on statements',
      {
        samples: [
          { brief: 'yes', kind: 'no' },
          { brief: 'yes', kind: null },
          { brief: 'no', kind: 'no' },
        ],
      },
      'Asked 3 times: brief yes 2, no 1; kind no 2, unclear 1.',
    ],
    ['one answer', { samples: [0.5] }, null],
    ['one vote', { votes: { valid: 1, invalid: 0 } }, null],
    ['nothing noted', {}, null],
  ])('are described in a sentence: %s', (_, metadata, sentence) => {
    expect(describeSamples(scored(0.7, { source: 'judge', metadata }))).toBe(sentence);
  });

  it('are only those of a judge, not of a file or a rule', () => {
    expect(describeSamples(scored(0.7, { source: 'imported', metadata: { samples: [1, 2] } }))).toBeNull();
  });

  it('have a limit', () => {
    const many = Array.from({ length: 40 }, (_, index) => index / 100);
    expect(describeSamples(scored(0.7, { source: 'judge', metadata: { samples: many } }))).toMatch(/0\.07 and more\.$/);
  });
});
