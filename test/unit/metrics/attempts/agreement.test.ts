import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreements, type ComparedAttempt } from '../../../../src/metrics/attempts/agreement.ts';

/** Each letter is a change. */
function attempt(changes: string, more: Partial<ComparedAttempt> = {}): ComparedAttempt {
  return { changes: [...changes], ...more };
}

const sharesOf = (...attempts: readonly ComparedAttempt[]) => agreements(attempts).map(({ share }) => share);

describe('agreement of attempts', () => {
  it('is the share of the other attempts with the same changes, in any order', () => {
    expect(sharesOf(attempt('ab'), attempt('ba'), attempt('ab'), attempt('ac'))).toEqual([2 / 3, 2 / 3, 2 / 3, 0]);
  });

  it('of two attempts is all or nothing', () => {
    expect(sharesOf(attempt('a'), attempt('a'))).toEqual([1, 1]);
    expect(sharesOf(attempt('a'), attempt('b'))).toEqual([0, 0]);
  });

  it('of a single attempt is unknown', () => {
    expect(agreements([attempt('a')])).toMatchObject([{ others: 0, share: null, overlap: null, majority: null }]);
  });

  it('has an overlap by single changes', () => {
    expect(agreements([attempt('ab'), attempt('ac')]).map(({ overlap }) => overlap)).toEqual([1 / 3, 1 / 3]);
    expect(agreements([attempt(''), attempt('a')]).map(({ overlap }) => overlap)).toEqual([0, 0]);
  });

  it('of attempts that change nothing is complete, and says that there were no changes', () => {
    expect(agreements([attempt(''), attempt('')])).toMatchObject([
      { share: 1, overlap: 1, anyChanges: false },
      { share: 1, overlap: 1, anyChanges: false },
    ]);
  });

  it('counts the attempts of the same agent', () => {
    const attempts = [
      attempt('a', { agent: 'x' }),
      attempt('a', { agent: 'x' }),
      attempt('a', { agent: 'y' }),
      attempt('a'),
    ];
    expect(agreements(attempts).map(({ others, sameAgent }) => [others, sameAgent])).toEqual([
      [3, 1],
      [3, 1],
      [3, 0],
      [3, null],
    ]);
  });

  it('counts a session that was read twice once', () => {
    const twice = [attempt('a', { fingerprint: '1' }), attempt('a', { fingerprint: '1' })];
    expect(agreements(twice).map(({ others }) => others)).toEqual([0, 0]);
    const [first, again, other] = agreements([...twice, attempt('b', { fingerprint: '2' })]);
    expect(first).toEqual(again);
    expect(first).toMatchObject({ others: 1, share: 0 });
    expect(other).toMatchObject({ others: 1, share: 0 });
  });

  it('compares an attempt that ended early with the others, and none of them with it', () => {
    const compared = agreements([attempt('a', { endedEarly: true }), attempt('ab'), attempt('ab')]);
    expect(compared.map(({ others, share }) => [others, share])).toEqual([
      [2, 0],
      [1, 1],
      [1, 1],
    ]);
  });

  it('gives each attempt what one comparison with each other attempt gives', () => {
    const one = fc.record({ changes: fc.stringMatching(/^[abc]{0,3}$/), endedEarly: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 7 }), (ones) => {
        const attempts = ones.map(({ changes, endedEarly }) => attempt(changes, { endedEarly }));
        const setOf = ({ changes }: ComparedAttempt) => [...new Set(changes.length === 0 ? ['none'] : changes)].sort();
        for (const [index, agreement] of agreements(attempts).entries()) {
          const own = setOf(attempts[index] ?? attempt(''));
          const others = attempts.filter((other, at) => at !== index && !other.endedEarly).map(setOf);
          expect(agreement.others).toBe(others.length);
          if (others.length === 0) continue;
          const same = others.filter((set) => set.join() === own.join()).length;
          expect(agreement.share).toBeCloseTo(same / others.length, 12);
          const shared = others.reduce((sum, set) => sum + set.filter((change) => own.includes(change)).length, 0);
          const all = others.reduce((sum, set) => sum + new Set([...set, ...own]).size, 0);
          expect(agreement.overlap).toBeCloseTo(shared / all, 12);
          const counts = [...Map.groupBy(others, (set) => set.join())].map(([, sets]) => sets.length);
          expect(agreement.majority?.count).toBe(Math.max(...counts));
        }
      }),
    );
  });
});
