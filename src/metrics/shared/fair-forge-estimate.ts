import type { Metadata } from '../../core/result.ts';
import type { PassAtKEstimate } from '../attempts/pass-at-k.ts';

/** pass@k and pass^k under the names of Fair Forge's `AgenticMetric`, with Turnwise's own `credible` and `hints`. */
export function fairForgeEstimate(estimate: PassAtKEstimate): Metadata {
  const { estimator, passAtKCi, passPowKCi, assessment, credible, hints } = estimate;
  return {
    pass_at_k: estimate.passAtK,
    pass_at_k_ci_low: passAtKCi?.[0] ?? null,
    pass_at_k_ci_high: passAtKCi?.[1] ?? null,
    pass_pow_k: estimate.passPowK,
    pass_pow_k_ci_low: passPowKCi?.[0] ?? null,
    pass_pow_k_ci_high: passPowKCi?.[1] ?? null,
    estimator,
    assessment,
    credible: credible && { pass_at_k: credible.passAtK, pass_pow_k: credible.passPowK },
    hints,
  };
}
