import { fitRisk } from '../../../src/metrics/shared/risk-fit.ts';
import type { RiskCoefficients } from '../../../src/metrics/shared/risk-model.ts';
import type { LabelledSample } from './risk-samples.ts';

/** Fitted on all labelled sessions. */
export function shippedCoefficients(samples: readonly LabelledSample[]): RiskCoefficients {
  return fitRisk(samples, { fittedOn: describeSamples(samples) });
}

/** Each domain with its number of sessions, the largest first. */
function describeSamples(samples: readonly LabelledSample[]): string {
  const domains = [...Map.groupBy(samples, ({ domain }) => domain)]
    .map(([domain, { length }]) => ({ domain, length }))
    .sort((a, b) => b.length - a.length);
  const parts = domains.map(({ domain, length }) => `${length} of ${domain}`);
  return `${samples.length.toLocaleString('en')} public sessions with a checked outcome: ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** The source of `src/metrics/shared/risk-coefficients.ts`. */
export function coefficientsFile(coefficients: RiskCoefficients): string {
  const { fittedOn, isProbability, intercept, length, agreement, weights, levels } = coefficients;
  const heaviest = Object.entries(weights).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const lines = heaviest.map(([rule, weight]) => `    ${/^\w+$/.test(rule) ? rule : `'${rule}'`}: ${weight},`);
  return `import type { RiskCoefficients } from './risk-model.ts';

/** Written by \`npm run calibrate:risk\`; \`risk-fit.ts\` says how, and \`docs/validity.md\` what it is worth. */
export const RISK_COEFFICIENTS: RiskCoefficients = {
  fittedOn:
    '${fittedOn}',
  isProbability: ${isProbability},
  intercept: ${intercept},
  length: { weight: ${length.weight}, centre: ${length.centre} },
  agreement: { weight: ${agreement.weight}, centre: ${agreement.centre} },
  weights: {${lines.length === 0 ? '' : `\n${lines.join('\n')}\n  `}},
  levels: { elevated: ${levels.elevated}, high: ${levels.high} },
};
`;
}
