import { describe, expect, it } from 'vitest';
import type { Undecided } from '../../../../src/core/report.ts';
import { outageOf } from '../../../../src/server/evaluating/outage.ts';
import { score } from '../held/held.ts';
import { report, session } from '../report.ts';

const UNANSWERED: Undecided = {
  code: 'judge-unanswered',
  reason: '3 questions got no answer: m is away.',
  cause: 'm is away.',
  count: 3,
  metrics: { helpfulness: 3 },
};

describe('an outage of all judges', () => {
  it('has its cause', () => {
    const sessions = [session('s', 'a.json', { metrics: { tool_correctness: score(1) } })];
    expect(outageOf(report({ undecided: [UNANSWERED], sessions }))).toBe('3 questions got no answer: m is away.');
  });

  it('is none where anything was answered, or nothing asked', () => {
    const sessions = [session('s', 'a.json', { metrics: { helpfulness: score(1, { judge: 'ollama/m' }) } })];
    expect(outageOf(report({ undecided: [UNANSWERED], sessions }))).toBeNull();
    expect(outageOf(report({ undecided: [{ ...UNANSWERED, code: 'gate' }] }))).toBeNull();
  });
});
