import { RULES } from '../../rules/index.ts';
import { fitLogistic, type LogisticTerm } from '../../stats/logistic.ts';
import {
  type CentredWeight,
  disagreement,
  findingLogOdds,
  fittedMeasures,
  lengthMeasure,
  PRIOR_WEIGHTS,
  type RiskCoefficients,
  type RiskInputs,
  type RiskLevels,
  riskOf,
} from './risk-model.ts';

/** What a fit reads of a labelled session. */
export interface RiskSample extends RiskInputs {
  /** What the agents are for, such as booking flights: a weight counts only if the domains agree on its sign. */
  readonly domain: string;
  /** One agent in one domain: only sessions of one set are compared. */
  readonly set: string;
  /** Sessions of one task, or of tasks that vary one another: they are never on both sides of a fold. */
  readonly family: string;
  readonly failed: boolean;
}

export interface RiskFitOptions {
  /** What the samples are, as in "136 customer-service sessions". */
  readonly fittedOn: string;
  /** What the weights are drawn to; by default those of severities, and 0 for the length and the attempts. */
  readonly prior?: RiskCoefficients;
  /** Whether the risk is a probability: only if the samples are like the sessions that it will be computed for. */
  readonly isProbability?: boolean;
}

/** What a rule finds in fewer samples than this says nothing yet: it keeps its prior weight. */
export const MIN_SAMPLES = 5;

/** The standard deviation of the prior of a weight, in log-odds. */
export const WEIGHT_SD = 0.3;

/** The same of the weight of other attempts, which one family of tasks after another has shown to be large. */
const AGREEMENT_SD = 1;

/** The same of the rates of failure of domains, and of the sets of one domain. */
const RATE_SD = 1;

/** A domain of this size rejects a weight of the wrong sign; a smaller one does if it is wrong by a standard error. */
const LARGE_DOMAIN = 100;

/** A smaller domain with less information about a sign (the variance of its score statistic) has no say in it. */
const MIN_INFORMATION = 1;

/** A score statistic of 0 may be computed as a little less. */
const ROUNDING = 1e-9;

/** A feature of a sample that has a weight. */
interface Feature {
  readonly prior: number;
  readonly sd: number;
  /** One for each sample; 0 where it is absent. */
  readonly values: readonly number[];
}

/**
 * Fits the coefficients of `session_risk`: a logistic regression in which each domain and each set has an intercept, drawn
 * to a common one that is returned, and all share the weights. A weight is drawn to its prior, is never negative, and is 0
 * if the domains disagree about its sign.
 */
export function fitRisk(samples: readonly RiskSample[], options: RiskFitOptions): RiskCoefficients {
  const { prior } = options;
  const measures = samples.map(({ findings }) => fittedMeasures(findings));
  const rules = RULES.map(({ id, severity }) => ({
    id,
    prior: prior?.weights[id] ?? PRIOR_WEIGHTS[severity],
    sd: WEIGHT_SD,
    values: measures.map((ofSample) => ofSample.get(id) ?? 0),
  })).filter(({ values }) => values.filter((value) => value > 0).length >= MIN_SAMPLES);
  const length = centredFeature(
    samples.map((sample) => lengthMeasure(sample.length)),
    prior?.length,
    WEIGHT_SD,
  );
  const agreement = centredFeature(
    samples.map((sample) => (sample.agreement ? disagreement(sample.agreement) : null)),
    prior?.agreement,
    AGREEMENT_SD,
  );

  const features: readonly Feature[] = [length, agreement, ...rules];
  const usable = features.filter(({ values }) => domainsAgree(samples, values));
  const offsets = { ...prior?.weights, ...Object.fromEntries(rules.map(({ id }) => [id, 0])) };
  const [intercept = 0, ...fitted] = fitLogistic(
    samples.map(({ failed }) => failed),
    samples.map(({ findings }) => findingLogOdds(findings, offsets)),
    [rateTerm(samples.keys(), Number.POSITIVE_INFINITY), ...usable.map(weightTerm), ...rateTerms(samples)],
  );
  const weightOf = (feature: Feature) => roundCoefficient(fitted[usable.indexOf(feature)] ?? 0);
  const coefficients = {
    fittedOn: options.fittedOn,
    isProbability: options.isProbability ?? false,
    intercept: roundCoefficient(intercept),
    length: { weight: weightOf(length), centre: length.centre },
    agreement: { weight: weightOf(agreement), centre: agreement.centre },
    weights: { ...prior?.weights, ...Object.fromEntries(rules.map((rule) => [rule.id, weightOf(rule)])) },
  };
  return { ...coefficients, levels: coefficients.isProbability ? THIRDS : rankLevels(samples, coefficients) };
}

function weightTerm({ prior, sd, values }: Feature): LogisticTerm {
  const present = values.flatMap((value, row) => (value === 0 ? [] : [[row, value] as const]));
  return { values: present, prior, sd, lowest: 0 };
}

/** An intercept for each domain and for each set. */
function rateTerms(samples: readonly RiskSample[]): LogisticTerm[] {
  const rows = samples.map((_, row) => row);
  const groups = [
    Map.groupBy(rows, (row) => samples[row]?.domain ?? ''),
    Map.groupBy(rows, (row) => samples[row]?.set ?? ''),
  ];
  return groups.flatMap((group) => [...group.values()].map((members) => rateTerm(members, RATE_SD)));
}

function rateTerm(rows: Iterable<number>, sd: number): LogisticTerm {
  return { values: Array.from(rows, (row) => [row, 1] as const), prior: 0, sd, lowest: Number.NEGATIVE_INFINITY };
}

/** Whether more of a feature goes with more failures in every domain that can tell. */
function domainsAgree(samples: readonly RiskSample[], values: readonly number[]): boolean {
  const rows = samples.map((sample, row) => ({ sample, value: values[row] ?? 0 }));
  return [...Map.groupBy(rows, ({ sample }) => sample.domain).values()].every((domain) => {
    const { score, information } = trendWithinSets(domain);
    if (domain.length >= LARGE_DOMAIN) return score >= -ROUNDING;
    return information < MIN_INFORMATION || score >= -Math.sqrt(information);
  });
}

interface FeatureValue {
  readonly sample: RiskSample;
  readonly value: number;
}

/** The stratified score statistic of a feature against failure, and its variance: Mantel's extension test. */
export function trendWithinSets(rows: readonly FeatureValue[]): {
  readonly score: number;
  readonly information: number;
} {
  let score = 0;
  let information = 0;
  for (const set of Map.groupBy(rows, ({ sample }) => sample.set).values()) {
    const failures = set.filter(({ sample }) => sample.failed).length;
    if (failures === 0 || failures === set.length) continue;
    const mean = set.reduce((sum, { value }) => sum + value, 0) / set.length;
    const squares = set.reduce((sum, { value }) => sum + (value - mean) ** 2, 0);
    score += set.reduce((sum, { value, sample }) => sum + (sample.failed ? value - mean : 0), 0);
    information += ((failures * (set.length - failures)) / (set.length * (set.length - 1))) * squares;
  }
  return { score, information };
}

/** Measured from its mean, or from the centre of its prior, so that a sample without it is like the average one. */
function centredFeature(
  values: readonly (number | null)[],
  prior: CentredWeight | undefined,
  sd: number,
): Feature & { readonly centre: number } {
  const known = values.filter((value) => value !== null);
  const mean = known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
  const centre = prior?.centre ?? roundCoefficient(mean);
  return {
    prior: prior?.weight ?? 0,
    sd,
    centre,
    values: values.map((value) => (value === null ? 0 : value - centre)),
  };
}

/** A probability is low, elevated or high by thirds of the scale. */
const THIRDS: RiskLevels = { elevated: 1 / 3, high: 2 / 3 };

/** The shares of the samples below the lowest elevated and below the lowest high risk. */
const RANKS = { elevated: 0.5, high: 0.8 } as const;

/** A rank is elevated above half of the samples and high above four in five, as if each were alone. */
function rankLevels(samples: readonly RiskSample[], coefficients: Omit<RiskCoefficients, 'levels'>): RiskLevels {
  const risks = samples.map((sample) => riskOf({ ...sample, agreement: null }, coefficients)).sort((a, b) => a - b);
  const at = (share: number) => roundCoefficient(risks[Math.floor(share * risks.length)] ?? share);
  return { elevated: at(RANKS.elevated), high: at(RANKS.high) };
}

/** A sample with the risk that it has by coefficients that were fitted without its group and without its family. */
export interface CrossValidatedRisk<Sample extends RiskSample = RiskSample> {
  readonly sample: Sample;
  readonly risk: number;
  readonly coefficients: RiskCoefficients;
}

/** Leaves each group of samples out once, with all samples of their families. Groups without others are not tested. */
export function crossValidate<Sample extends RiskSample>(
  samples: readonly Sample[],
  groupOf: (sample: Sample) => string,
  options: RiskFitOptions,
): CrossValidatedRisk<Sample>[] {
  return [...Map.groupBy(samples, groupOf)].flatMap(([group, members]) => {
    const families = new Set(members.map(({ family }) => family));
    const others = samples.filter((sample) => groupOf(sample) !== group && !families.has(sample.family));
    if (others.length === 0) return [];
    const coefficients = fitRisk(others, options);
    return members.map((sample) => ({ sample, risk: riskOf(sample, coefficients), coefficients }));
  });
}

/** Rounded as it is written down: what is measured is what ships. */
function roundCoefficient(value: number): number {
  return Math.round(value * 1000) / 1000;
}
