import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.ts';
import {
  agreementSentence,
  compareWithJudged,
  type JudgedFinding,
  type JudgedVerdict,
  mergeJudgements,
  precisionOf,
  verdictOf,
} from '../../bench/validity/judged.ts';
import type { SetSession } from '../../bench/validity/labelled-sets.ts';
import { findingKey } from '../../bench/validity/sample.ts';
import { sessionOf } from '../metrics/views.ts';

const reading = (verdict: JudgedVerdict) => ({ verdict, proof: 'Turn 2 says so.' });

function judged(key: string, first?: JudgedVerdict, second?: JudgedVerdict): JudgedFinding {
  const readers = { ...(first && { first: reading(first) }), ...(second && { second: reading(second) }) };
  return { key, rule: 'no-answer', severity: 'medium', readers };
}

describe('a finding that was judged by hand', () => {
  it.each([
    ['true', 'true', 'true'],
    ['false', 'false', 'false'],
    ['true', 'false', 'arguable'],
    ['arguable', 'true', 'arguable'],
    ['false', undefined, 'false'],
  ] as const)('is, by readers who say %s and %s, %s', (first, second, verdict) => {
    expect(verdictOf(judged('a', first, second))).toBe(verdict);
  });

  it('is counted by its verdict', () => {
    const findings = [judged('a', 'true', 'true'), judged('b', 'true', 'false'), judged('c', 'false', 'false')];
    expect(precisionOf(findings)).toEqual({ judged: 3, true: 1, arguable: 1, false: 1 });
    expect(agreementSentence(findings)).toContain('2 alike (67 %)');
  });
});

describe('mergeJudgements', () => {
  const known = new Map([['a', { rule: 'no-answer', severity: 'medium' as const }]]);

  it('adds a reader to what another said, and replaces what the same one said', () => {
    const first = mergeJudgements([], { first: [{ key: 'a', ...reading('true') }] }, known);
    expect(first).toEqual([judged('a', 'true')]);
    const again = { first: [{ key: 'a', ...reading('false') }], second: [{ key: 'a', ...reading('true') }] };
    expect(mergeJudgements(first, again, new Map())).toEqual([judged('a', 'false', 'true')]);
  });

  it('keeps what is not judged again, in the order of the keys', () => {
    const merged = mergeJudgements([judged('b', 'true')], { second: [{ key: 'a', ...reading('false') }] }, known);
    expect(merged.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('rejects a finding that was never drawn', () => {
    expect(() => mergeJudgements([], { first: [{ key: 'x', ...reading('true') }] }, known)).toThrow('never drawn: x');
  });
});

describe('compareWithJudged', () => {
  const finding = (rule: string, severity: Finding['severity']): Finding => {
    return {
      rule,
      severity,
      label: null,
      turn: 0,
      message: 'It failed.',
      evidence: [{ pointer: `/${rule}`, note: '' }],
    };
  };
  const sessionWith = (findings: readonly Finding[]): SetSession => {
    const session = sessionOf([{}]);
    return { set: 's', domain: 'd', agent: 'a', task: '1', file: 'f', session, failed: true, attack: null, findings };
  };

  it('tells findings that are still made, with their severity of today, from those that are gone', () => {
    const now = sessionWith([finding('still', 'high'), finding('new', 'medium'), finding('hint', 'info')]);
    const still = judged(findingKey(now, finding('still', 'medium')), 'true');
    const { present, gone, unjudged } = compareWithJudged([now], [still, judged('f s1 gone 1 /gone', 'false')]);
    expect(present).toEqual([{ ...still, severity: 'high' }]);
    expect(gone.map(({ key }) => key)).toEqual(['f s1 gone 1 /gone']);
    expect(unjudged).toMatchObject([{ rule: 'new', severity: 'medium' }]);
  });
});
