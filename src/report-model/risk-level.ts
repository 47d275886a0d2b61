import type { RiskLevel } from '../core/statuses.ts';

/** The word for a risk from 0 to 1, a third of the scale each; null where there is no score. */
export function riskLevel(risk: number | null): RiskLevel | null {
  if (risk === null) return null;
  if (risk < 1 / 3) return 'low';
  return risk < 2 / 3 ? 'elevated' : 'high';
}
