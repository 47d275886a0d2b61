import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../../support/time-growth.ts';
import { ok, session } from '../session-builder.ts';

function stated(of: Session) {
  return collectFindings(of).filter(({ rule }) => rule === 'amount-stated');
}

function answering(agent: string): Session {
  return session([{ user: 'What does it cost?', steps: [ok('get_price')], agent }]);
}

describe('amount-stated', () => {
  it('lists the amounts of an answer without duplicates, and cites the answer', () => {
    const [finding, ...others] = stated(
      answering(
        'It is $1,286.50, or €1,190 today. The fee of 25 USD is extra, and 3 dollars go to charity; $1,286.50.',
      ),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      severity: 'info',
      turn: 0,
      message: 'The answer states "$1,286.50", "€1,190", "25 USD" and 1 more.',
    });
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/output']);
  });

  it.each([
    ['Die Lampe kostet 1.204,50 €, der Schirm 30 € mehr.', '"1.204,50 €" and "30 €"'],
    ['Il reste 5€.', '"5€"'],
    ['In room 5 €6 are due.', '"€6"'],
    ['It is 10 $ or €5 €6.', '"10 $", "€5" and "€6"'],
  ])('recognizes a currency sign after the amount: %j', (answer, amounts) => {
    expect(stated(answering(answer)).map(({ message }) => message)).toEqual([`The answer states ${amounts}.`]);
  });

  it.each(['1.', '1,', '1 ', '1', '€ '])('takes linear time for an answer that repeats %j', (unit) => {
    expect(timeGrowth((text) => stated(answering(text)), unit)).toBeLessThan(MAX_LINEAR_GROWTH);
  });

  it.each([
    'Your order A-1001 has 3 items.',
    'It costs a few dollars.',
    'Room 25 USDA',
    '$HOME is set.',
    'Size A5 € as printed.',
  ])('ignores %j', (answer) => {
    expect(stated(answering(answer))).toEqual([]);
  });

  it('skips coding agents', () => {
    expect(stated({ ...answering('It is $5.'), coding: true })).toEqual([]);
  });

  it('reports the same for a turn when turns are added', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 3 }), (text, count) => {
        const before = answering('It is $5.');
        const added = session(Array.from({ length: count }, () => ({ user: text, agent: null }))).turns;
        expect(stated({ ...before, turns: [...before.turns, ...added] })).toEqual(stated(before));
      }),
    );
  });
});
