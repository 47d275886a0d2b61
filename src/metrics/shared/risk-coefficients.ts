import type { RiskCoefficients } from './risk-model.ts';

/** Written by `npm run calibrate:risk`; `risk-fit.ts` says how, and `docs/validity.md` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '1,037 public sessions with a checked outcome: 329 of AgentDojo, 259 of retail, 249 of airline, 80 of telecom, 62 of Spanish-language service, 48 of swe-bench and 10 of mock',
  isProbability: false,
  intercept: -0.956,
  length: { weight: 0.39, centre: 2.56 },
  agreement: { weight: 0.995, centre: 0.314 },
  weights: {
    'miscounted-list': 0.908,
    'stopped-early': 0.839,
    'unconfirmed-change': 0.796,
    'error-repeated-unchanged': 0.779,
    'no-answer': 0.727,
    'ungrounded-value': 0.575,
    'ungrounded-argument': 0.565,
    'long-session': 0.231,
    'abandoned-strategy': 0.214,
    'failure-at-end': 0.183,
    'repeated-call': 0.125,
    'charge-not-named': 0.12,
    'self-contradiction': 0.105,
    'promised-without-call': 0.087,
    'late-handover': 0.008,
    'amount-stated': 0,
    hedging: 0,
    'many-failed-calls': 0,
    'selection-from-search': 0,
    'state-change': 0,
    'token-outlier': 0,
    'unrecovered-error': 0,
  },
  levels: { elevated: 0.304, high: 0.421 },
};
