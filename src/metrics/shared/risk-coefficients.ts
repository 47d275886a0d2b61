import type { RiskCoefficients } from './risk-model.ts';

/** Written by `npm run calibrate:risk`; `risk-fit.ts` says how, and `docs/validity.md` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '1,037 public sessions with a checked outcome: 329 of AgentDojo, 259 of retail, 249 of airline, 80 of telecom, 62 of Spanish-language service, 48 of swe-bench and 10 of mock',
  isProbability: false,
  intercept: -0.913,
  length: { weight: 0.375, centre: 2.56 },
  agreement: { weight: 0.999, centre: 0.314 },
  weights: {
    'miscounted-list': 0.909,
    'unconfirmed-change': 0.794,
    'error-repeated-unchanged': 0.779,
    'stopped-early': 0.575,
    'long-session': 0.269,
    'failure-at-end': 0.242,
    'abandoned-strategy': 0.238,
    'repeated-call': 0.117,
    'charge-not-named': 0.109,
    'promised-without-call': 0.092,
    'late-handover': 0.017,
    'amount-stated': 0,
    hedging: 0,
    'many-failed-calls': 0,
    'selection-from-search': 0,
    'self-contradiction': 0,
    'state-change': 0,
    'token-outlier': 0,
    'ungrounded-argument': 0,
    'unrecovered-error': 0,
  },
  levels: { elevated: 0.31, high: 0.423 },
};
