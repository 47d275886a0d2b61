import { type Interval, wilsonInterval, Z_95 } from './intervals.ts';
import { studentT95 } from './student.ts';

/** A case that a person labelled, with what was predicted of it. */
export interface LabelledPrediction {
  readonly label: number;
  readonly prediction: number;
}

export interface PpiEstimate {
  readonly estimate: number;
  /** Of the estimate. */
  readonly variance: number;
  /** By the normal distribution, 95%. */
  readonly interval: Interval;
  /** How far the predictions count: 0 leaves the mean of the labels, 1 trusts them as if they were unbiased. */
  readonly lambda: number;
}

/**
 * The mean of what people would label, from few labels and many predictions: prediction-powered inference with power tuning
 * (A. N. Angelopoulos, J. C. Duchi, T. Zrnic 2023, "PPI++: Efficient Prediction-Powered Inference", arXiv:2311.01453). The
 * labelled cases are a random sample of all. Without predictions of others, it is the mean of the labels.
 *
 * @param labelled at least one. @param unlabelled predictions of the cases that nobody labelled.
 */
export function ppiMean(labelled: readonly LabelledPrediction[], unlabelled: readonly number[]): PpiEstimate {
  const n = labelled.length;
  const many = unlabelled.length;
  const predictions = labelled.map(({ prediction }) => prediction);
  const lambda = many === 0 ? 0 : tunedLambda(labelled, predictions, unlabelled);
  const residuals = labelled.map(({ label, prediction }) => label - lambda * prediction);
  const estimate = meanOf(residuals) + (many === 0 ? 0 : lambda * meanOf(unlabelled));
  const variance = spreadOf(residuals) / n + (many === 0 ? 0 : (lambda ** 2 * spreadOf(unlabelled)) / many);
  const half = Z_95 * Math.sqrt(variance);
  return { estimate, variance, interval: [estimate - half, estimate + half], lambda };
}

/**
 * The same of a share, such as of what passes. Its interval is Wilson's for as many cases as would give this variance, with the
 * correction of E. L. Korn and B. I. Graubard (1998) for few labels: near 0 and 1 the interval by the normal distribution is
 * too narrow, and leaves the scale.
 *
 * @param labelled at least two, with 0 or 1 as label and as prediction, as in `unlabelled`.
 */
export function ppiShare(labelled: readonly LabelledPrediction[], unlabelled: readonly number[]): PpiEstimate {
  const mean = ppiMean(labelled, unlabelled);
  const n = labelled.length;
  const estimate = Math.min(1, Math.max(0, mean.estimate));
  const variance = (mean.variance * n * (studentT95(n - 1) / Z_95) ** 2) / (n - 1);
  const cases = variance > 0 ? Math.max(1, (estimate * (1 - estimate)) / variance) : n;
  return { ...mean, estimate, interval: wilsonInterval(estimate * cases, cases) };
}

/** The weight with the smallest variance, from 0 to 1. Predictions that are all equal tell nothing. */
function tunedLambda(
  labelled: readonly LabelledPrediction[],
  predictions: readonly number[],
  unlabelled: readonly number[],
): number {
  const n = labelled.length;
  const all = [...predictions, ...unlabelled];
  const variance = (spreadOf(all) * all.length) / (all.length - 1);
  const meanLabel = meanOf(labelled.map(({ label }) => label));
  const meanPrediction = meanOf(predictions);
  const covariance = meanOf(
    labelled.map(({ label, prediction }) => (label - meanLabel) * (prediction - meanPrediction)),
  );
  if (!(variance > 0)) return 0;
  return Math.min(1, Math.max(0, covariance / ((1 + n / unlabelled.length) * variance)));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The variance of the values themselves, which are all there are. */
function spreadOf(values: readonly number[]): number {
  const center = meanOf(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / values.length;
}
