import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { baselineJsonSchema } from '../../../src/config/baseline-json-schema.ts';
import { acceptBaseline } from '../../../src/runs/baseline/accept-baseline.ts';
import { attemptRow, recordedRun } from '../../support/recorded-runs.ts';

const validator = new Validator(baselineJsonSchema(), '7');
const BASELINE = acceptBaseline(recordedRun([attemptRow('a', 0, true), attemptRow('a', 1, false)]), {
  reason: 'first',
  today: '2026-11-23',
});

describe('the JSON schema of baselines', () => {
  it('accepts what turnwise baseline accept writes, and a quarantine added by hand', () => {
    const quarantine = { a: { until: '2026-12-31', reason: 'broken sandbox' } };
    expect(validator.validate(BASELINE).valid).toBe(true);
    expect(validator.validate({ ...BASELINE, quarantine }).valid).toBe(true);
  });

  it('marks a quarantine without a date or a reason, and keys that mean nothing', () => {
    const withQuarantine = (entry: object) => validator.validate({ ...BASELINE, quarantine: { a: entry } }).valid;
    expect(withQuarantine({ until: 'next week', reason: 'x' })).toBe(false);
    expect(withQuarantine({ until: '2026-12-31' })).toBe(false);
    expect(validator.validate({ ...BASELINE, allowDirty: true }).valid).toBe(false);
  });
});
