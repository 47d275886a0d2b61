import type { RiskCoefficients } from '../../../src/metrics/shared/risk-model.ts';
import { calibrate, FEWEST_SESSIONS, PRIOR_SD } from './calibration.ts';
import { datasets, type LabelledSession } from './labelled-sessions.ts';

/** Fitted on all sessions that have an outcome. */
export function shippedCoefficients(sessions: readonly LabelledSession[]): RiskCoefficients {
  const parts = datasets().map((name) => `${sessions.filter(({ dataset }) => dataset === name).length} of ${name}`);
  return calibrate(
    sessions,
    `${sessions.length} customer-service sessions with a checked outcome: ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
  );
}

/** The source of `src/metrics/shared/risk-coefficients.ts`. */
export function coefficientsFile({ fittedOn, intercept, weights }: RiskCoefficients): string {
  const heaviest = Object.entries(weights).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const lines = heaviest.map(([rule, weight]) => `    ${/^\w+$/.test(rule) ? rule : `'${rule}'`}: ${weight},`);
  return `import type { RiskCoefficients } from './risk-model.ts';

/**
 * Written by \`npm run calibrate:risk\`; \`docs/validity.md\` says what it is worth.
 *
 * risk = sigmoid(intercept + Σ weight x log2(1 + n)), over the rules that found something, n times each (at most 7).
 * Logistic regression whose weights cannot be negative. Each is drawn to the weight of its rule's severity, by a normal
 * prior with a standard deviation of ${PRIOR_SD}. Rules that spoke in fewer than ${FEWEST_SESSIONS} of the sessions are not listed: they keep the
 * weight of their findings' severity (\`PRIOR_WEIGHTS\`).
 */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '${fittedOn}',
  intercept: ${intercept},
  weights: {${lines.length === 0 ? '' : `\n${lines.join('\n')}\n  `}},
};
`;
}
