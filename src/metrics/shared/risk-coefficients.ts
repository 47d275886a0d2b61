import type { RiskCoefficients } from './risk-model.ts';

/** Written by `npm run calibrate:risk`; `risk-fit.ts` says how, and `docs/validity.md` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '1,037 public sessions with a checked outcome: 329 of AgentDojo, 259 of retail, 249 of airline, 80 of telecom, 62 of Spanish-language service, 48 of swe-bench and 10 of mock',
  isProbability: false,
  intercept: -0.752,
  length: { weight: 0.473, centre: 2.56 },
  agreement: { weight: 0, centre: 0 },
  weights: {
    'error-repeated-unchanged': 0.924,
    'no-answer': 0.831,
    'unconfirmed-change': 0.757,
    'ungrounded-value': 0.579,
    'repeated-call': 0.265,
    'selection-from-search': 0.254,
    'abandoned-strategy': 0.223,
    'token-outlier': 0.006,
    'amount-stated': 0,
    hedging: 0,
    'self-contradiction': 0,
    'state-change': 0,
    'ungrounded-argument': 0,
    'unrecovered-error': 0,
  },
  levels: { elevated: 0.35, high: 0.473 },
};
