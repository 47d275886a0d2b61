import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.ts';
import type { LabelledSample } from '../../bench/validity/risk-samples.ts';
import { ruleTable, setTable, withProblems } from '../../bench/validity/set-tables.ts';
import { sessionOf } from '../metrics/views.ts';

function sample(set: string, failed: boolean, severity?: Finding['severity']): LabelledSample {
  const evidence = [{ pointer: '', note: '' }];
  const rule = 'no-answer';
  const findings = severity === undefined ? [] : [{ rule, severity, label: null, turn: 0, message: '', evidence }];
  return {
    ...{ domain: 'retail', set: `${set}, retail`, agent: set, family: set, task: set, failed, findings },
    ...{ session: sessionOf([{}]), length: 0, agreement: null, attempt: { changes: [] } },
  };
}

/** In one set 2 of 3 failed with a finding and 1 of 3 without; in the other, where all failed, a finding tells nothing. */
const SAMPLES = [
  sample('a', true, 'medium'),
  sample('a', true, 'medium'),
  sample('a', false, 'medium'),
  sample('a', true),
  sample('a', false),
  sample('a', false),
  sample('b', true, 'info'),
  sample('b', true),
];

describe('tables of labelled sessions', () => {
  it('count sessions with problems of a severity or above, and no observations', () => {
    expect(withProblems(SAMPLES, true, 'medium')).toEqual({ count: 2, of: 5 });
    expect(withProblems(SAMPLES, false, 'medium')).toEqual({ count: 1, of: 3 });
    expect(withProblems(SAMPLES, true, 'high')).toEqual({ count: 0, of: 5 });
  });

  it('compare the sessions with and without findings of a rule within their sets', () => {
    // (2 x 2) / (1 x 1): the set in which all failed adds nothing.
    expect(ruleTable(SAMPLES, { 'no-answer': 0.5 })).toContain('| 4.0 |');
  });

  it('name each set without its domain, which has a column of its own', () => {
    expect(setTable(SAMPLES)).toContain('| retail | a | 6 | 1 | 50 % | 2 of 3 | 1 of 3 |');
  });
});
