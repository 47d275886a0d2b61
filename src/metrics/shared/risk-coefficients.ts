import type { RiskCoefficients } from './risk-model.ts';

/** Written by `npm run calibrate:risk`; `risk-fit.ts` says how, and `docs/validity.md` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '1,037 public sessions with a checked outcome: 329 of AgentDojo, 259 of retail, 249 of airline, 80 of telecom, 62 of Spanish-language service, 48 of swe-bench and 10 of mock',
  isProbability: false,
  intercept: -0.965,
  length: { weight: 0.381, centre: 2.56 },
  agreement: { weight: 0.997, centre: 0.314 },
  weights: {
    'stopped-early': 1.057,
    'miscounted-list': 0.907,
    'error-repeated-unchanged': 0.772,
    'no-answer': 0.747,
    'unconfirmed-change': 0.728,
    'ungrounded-argument': 0.573,
    'ungrounded-value': 0.557,
    'failure-at-end': 0.528,
    'long-session': 0.247,
    'abandoned-strategy': 0.223,
    'repeated-call': 0.212,
    'charge-not-named': 0.126,
    'self-contradiction': 0.11,
    'promised-without-call': 0.084,
    'amount-stated': 0,
    hedging: 0,
    'late-handover': 0,
    'many-failed-calls': 0,
    'selection-from-search': 0,
    'state-change': 0,
    'token-outlier': 0,
    'unrecovered-error': 0,
  },
  levels: { elevated: 0.303, high: 0.423 },
};
