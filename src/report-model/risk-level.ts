import { get } from '../core/json.ts';
import type { Result } from '../core/result.ts';
import { RISK_LEVELS, type RiskLevel } from '../core/statuses.ts';

/** The level that the result of a risk states; by thirds of the scale where it states none. Null without a score. */
export function riskLevel(result: Result | undefined): RiskLevel | null {
  if (result?.status !== 'scored' || result.score === null) return null;
  const stated = get(result.metadata, 'level');
  return RISK_LEVELS.find((level) => level === stated) ?? riskLevelByThirds(result.score);
}

/** The level of a turn's risk, or of one that states no level, from 0 to 1. */
export function riskLevelByThirds(risk: number): RiskLevel {
  if (risk < 1 / 3) return 'low';
  return risk < 2 / 3 ? 'elevated' : 'high';
}
