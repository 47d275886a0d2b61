import type { RiskCoefficients } from './risk-model.ts';

/**
 * Written by `npm run calibrate:risk`; `docs/validity.md` says what it is worth.
 *
 * risk = sigmoid(intercept + Σ weight x log2(1 + n)), over the rules that found something, n times each (at most 7).
 * Logistic regression whose weights cannot be negative. Each is drawn to the weight of its rule's severity, by a normal
 * prior with a standard deviation of 0.5. Rules that spoke in fewer than 5 of the sessions are not listed: they keep the
 * weight of their findings' severity (`PRIOR_WEIGHTS`).
 */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '136 customer-service sessions with a checked outcome: 100 of tau-bench airline, 25 of tau2-bench airline and 11 of tau2-bench mock and telecom',
  intercept: -0.566,
  weights: {
    'unconfirmed-change': 1.02,
    'error-repeated-unchanged': 0.977,
    'selection-from-search': 0.577,
    'amount-stated': 0.441,
    'state-change': 0.296,
    'repeated-call': 0.125,
    'unrecovered-error': 0,
  },
};
