import { expect, it } from 'vitest';
import { riskLevel } from '../../../src/report-model/risk-level.ts';

it.each([
  [0, 'low'],
  [0.329, 'low'],
  [0.33, 'elevated'],
  [0.659, 'elevated'],
  [0.66, 'high'],
  [1, 'high'],
  [null, null],
])('the level of risk %s is %s', (risk, level) => {
  expect(riskLevel(risk)).toBe(level);
});
