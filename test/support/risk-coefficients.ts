import type { RiskCoefficients } from '../../src/metrics/shared/risk-model.ts';

/** Coefficients of a project, where only the intercept and the weights of rules count. */
export function coefficientsOf(given: Partial<RiskCoefficients> = {}): RiskCoefficients {
  const none = { weight: 0, centre: 0 };
  return {
    fittedOn: 'sessions of the project',
    isProbability: false,
    intercept: 0,
    length: none,
    agreement: none,
    weights: {},
    levels: { elevated: 0.4, high: 0.6 },
    ...given,
  };
}
