import { expect, it } from 'vitest';
import { riskLevel } from '../../../src/report-model/risk-level.ts';

it.each([
  [0, 'low'],
  [0.333, 'low'],
  [1 / 3, 'elevated'],
  [0.666, 'elevated'],
  [2 / 3, 'high'],
  [1, 'high'],
  [null, null],
])('the level of risk %s is %s', (risk, level) => {
  expect(riskLevel(risk)).toBe(level);
});
