import type { RiskCoefficients } from './risk-model.ts';

/** Written by `npm run calibrate:risk`; `risk-fit.ts` says how, and `docs/validity.md` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '1,037 public sessions with a checked outcome: 329 of AgentDojo, 259 of retail, 249 of airline, 80 of telecom, 62 of Spanish-language service, 48 of swe-bench and 10 of mock',
  isProbability: false,
  intercept: -0.919,
  length: { weight: 0.4, centre: 2.56 },
  agreement: { weight: 0.987, centre: 0.314 },
  weights: {
    'miscounted-list': 0.911,
    'stopped-early': 0.837,
    'unconfirmed-change': 0.795,
    'error-repeated-unchanged': 0.779,
    'no-answer': 0.737,
    'long-session': 0.255,
    'failure-at-end': 0.241,
    'abandoned-strategy': 0.233,
    'repeated-call': 0.119,
    'charge-not-named': 0.109,
    'promised-without-call': 0.092,
    'late-handover': 0.022,
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
  levels: { elevated: 0.313, high: 0.426 },
};
