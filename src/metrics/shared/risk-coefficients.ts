import type { RiskCoefficients } from './risk-model.ts';

/** Written by `npm run calibrate:risk`; `risk-fit.ts` says how, and `docs/validity.md` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '1,037 public sessions with a checked outcome: 329 of AgentDojo, 259 of retail, 249 of airline, 80 of telecom, 62 of Spanish-language service, 48 of swe-bench and 10 of mock',
  isProbability: false,
  intercept: -0.924,
  length: { weight: 0.395, centre: 2.56 },
  agreement: { weight: 0.99, centre: 0.314 },
  weights: {
    'miscounted-list': 0.912,
    'stopped-early': 0.838,
    'unconfirmed-change': 0.795,
    'error-repeated-unchanged': 0.781,
    'no-answer': 0.727,
    'long-session': 0.247,
    'abandoned-strategy': 0.219,
    'failure-at-end': 0.196,
    'repeated-call': 0.121,
    'charge-not-named': 0.104,
    'promised-without-call': 0.094,
    'late-handover': 0.02,
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
  levels: { elevated: 0.31, high: 0.422 },
};
