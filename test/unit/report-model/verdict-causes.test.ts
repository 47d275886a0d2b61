import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import { verdictCauses } from '../../../src/report-model/verdict-causes.ts';

const gate = (parts: Partial<Gate>): Gate => ({
  scope: 'session',
  subject: 'conv_42',
  metric: 'step_efficiency',
  threshold: 0.5,
  actual: 0.4,
  scored: 1,
  of: 1,
  met: false,
  reason: '0.40 is below 0.50',
  ...parts,
});

const scored = (score: number): Result => ({
  status: 'scored',
  score,
  label: null,
  labels: [],
  scale: [0, 1],
  threshold: null,
  passed: null,
  band: null,
  reason: null,
  source: 'aggregate',
  evidence: [],
  metadata: {},
});

describe('verdictCauses', () => {
  it('names the gates that a failed session does not meet', () => {
    const causes = verdictCauses({
      report: { verdict: 'failed', metrics: {} },
      gates: [gate({}), gate({ metric: 'relevance', met: true })],
      hasProblems: false,
    });
    expect(causes).toEqual([{ kind: 'gate', metric: 'step_efficiency', met: false, text: '0.40 is below 0.50' }]);
  });

  it('names a threshold of the run that the session itself does not meet', () => {
    const causes = verdictCauses({
      report: { verdict: 'failed', metrics: { step_efficiency: scored(0.4) } },
      gates: [gate({ scope: 'run', subject: null, met: true })],
      hasProblems: false,
    });
    expect(causes).toEqual([
      { kind: 'threshold', metric: 'step_efficiency', met: false, score: 0.4, threshold: 0.5, scale: [0, 1] },
    ]);
  });

  it('does not repeat the severity gate where the problems themselves are shown', () => {
    const facts = {
      report: { verdict: 'failed', metrics: {} },
      gates: [gate({ metric: 'severity', reason: 'a high failure was found, high fails' })],
    } as const;
    expect(verdictCauses({ ...facts, hasProblems: true })).toEqual([]);
    expect(verdictCauses({ ...facts, hasProblems: false })).toHaveLength(1);
  });

  it('gives what leaves an undecided session undecided, and nothing for one that passed', () => {
    const undecided = verdictCauses({
      report: { verdict: 'undecided', undecided: ['2 questions got no answer'], metrics: {} },
      gates: [gate({ met: null })],
      hasProblems: false,
    });
    expect(undecided).toEqual([{ kind: 'undecided', text: '2 questions got no answer' }]);
    const passed = { report: { verdict: 'passed', metrics: {} }, gates: [gate({})], hasProblems: false } as const;
    expect(verdictCauses(passed)).toEqual([]);
  });
});
