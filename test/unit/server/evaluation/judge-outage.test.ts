import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../../src/core/problem.ts';
import type { Undecided } from '../../../../src/core/report.ts';
import { judgeOutage } from '../../../../src/server/evaluation/judge-outage.ts';
import { report, session } from '../report-fixture.ts';
import { score } from '../results/results-fixture.ts';

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
    expect(judgeOutage(report({ undecided: [UNANSWERED], sessions }))).toBe('3 questions got no answer: m is away.');
  });

  it('calls a judge not reachable only where there was no connection', () => {
    const [cause, reason] = ['127.0.0.1:9 does not answer (connection refused).', '3 questions got no answer: m.'];
    expect(judgeOutage(report({ undecided: [{ ...UNANSWERED, cause, reason }] }))).toBe(
      `Judge not reachable: ${reason}`,
    );
    const misfit = "The judge's answers did not fit: 3 questions: helpfulness: score was missing.";
    const undecided = [
      { ...UNANSWERED, reason: misfit, cause: 'm gave an answer that does not fit: score was missing.' },
    ];
    expect(judgeOutage(report({ undecided }))).toBe(misfit);
  });

  it('has the sentence of a run that stopped asking, even if there were answers before', () => {
    const sessions = [session('s', 'a.json', { metrics: { helpfulness: score(1, { judge: 'ollama/m' }) } })];
    const problems = [createProblem('warning', 'model-outage', '', 'No model answered for 2 min.')];
    expect(judgeOutage(report({ undecided: [UNANSWERED], sessions, problems }))).toBe(
      'Judge not reachable: No model answered for 2 min.',
    );
  });

  it('is absent where anything was answered or nothing was asked', () => {
    const sessions = [session('s', 'a.json', { metrics: { helpfulness: score(1, { judge: 'ollama/m' }) } })];
    expect(judgeOutage(report({ undecided: [UNANSWERED], sessions }))).toBeNull();
    expect(judgeOutage(report({ undecided: [{ ...UNANSWERED, code: 'gate' }] }))).toBeNull();
  });
});
