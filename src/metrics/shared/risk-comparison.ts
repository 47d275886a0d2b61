import { stratifiedAuroc } from '../../stats/auroc.ts';
import { clusterBootstrapAll, mean } from '../../stats/bootstrap.ts';
import { foldsByFamily } from '../../stats/folds.ts';
import { crossValidate, fitRisk, type RiskSample } from './risk-fit.ts';
import { type RiskCoefficients, riskOf } from './risk-model.ts';

/** A figure with its 95 % interval over tasks; null where it cannot be computed. */
export interface FigureWithInterval {
  readonly value: number | null;
  readonly interval: readonly [low: number, high: number] | null;
}

/** A figure by the weights in use, by weights fitted without the sessions that they are tested on, and the difference. */
export interface FittedFigure {
  readonly current: FigureWithInterval;
  readonly fitted: FigureWithInterval;
  /** Fitted - current. */
  readonly difference: FigureWithInterval;
}

/** Whether weights that are fitted to a project's own sessions are better there than those in use. */
export interface RiskComparison {
  readonly auroc: FittedFigure;
  readonly brier: FittedFigure;
  /** The Brier score of always predicting the share of failures among the other sessions. */
  readonly baseRateBrier: number | null;
  /** One figure is better beyond chance, and neither is worse. */
  readonly isBetter: boolean;
  /** Fitted on all sessions. */
  readonly coefficients: RiskCoefficients;
}

const FOLDS = 5;

/** A session with what was predicted of it. */
interface Prediction {
  readonly fold: string;
  readonly family: string;
  readonly failed: boolean;
  readonly current: number;
  readonly fitted: number;
  readonly baseRate: number;
}

/**
 * Fits weights to the samples, drawn to those in use, and compares both by cross-validation: the samples of a task are
 * never on both sides. Deterministic.
 */
export function compareWithFit(
  samples: readonly RiskSample[],
  current: RiskCoefficients,
  fittedOn: string,
): RiskComparison {
  const predictions = predict(samples, current);
  const byFamily = [...Map.groupBy(predictions, ({ family }) => family).values()];
  const values = figuresOf(predictions);
  const intervals = clusterBootstrapAll(byFamily, figuresOf);
  const figure = (index: number): FigureWithInterval => ({
    value: values[index] ?? null,
    interval: intervals[index] ?? null,
  });
  const auroc = { current: figure(0), fitted: figure(1), difference: figure(2) };
  const brier = { current: figure(3), fitted: figure(4), difference: figure(5) };
  const baseRateBrier = mean(predictions.map(({ failed, baseRate }) => (Number(failed) - baseRate) ** 2));
  const [aurocGain, brierLoss] = [auroc.difference.interval, brier.difference.interval];
  const isBetterAtOne = (aurocGain?.[0] ?? 0) > 0 || (brierLoss?.[1] ?? 0) < 0;
  const isWorseAtOne = (aurocGain?.[1] ?? 0) < 0 || (brierLoss?.[0] ?? 0) > 0;
  const isProbability = (brier.fitted.value ?? 1) < (baseRateBrier ?? 0);
  return {
    auroc,
    brier,
    baseRateBrier,
    isBetter: isBetterAtOne && !isWorseAtOne,
    coefficients: fitRisk(samples, { fittedOn, prior: current, isProbability }),
  };
}

function predict(samples: readonly RiskSample[], current: RiskCoefficients): Prediction[] {
  const folds = foldsByFamily(
    samples.map(({ family }) => family),
    FOLDS,
    1,
  );
  const foldOf = ({ family }: RiskSample) => String(folds.get(family) ?? 0);
  const failures = samples.filter(({ failed }) => failed).length;
  const byFold = Map.groupBy(samples, foldOf);
  return crossValidate(samples, foldOf, { fittedOn: '', prior: current }).map(({ sample, risk }) => {
    const inFold = byFold.get(foldOf(sample)) ?? [];
    const others = samples.length - inFold.length;
    return {
      fold: foldOf(sample),
      family: sample.family,
      failed: sample.failed,
      current: riskOf(sample, current),
      fitted: risk,
      baseRate: (failures - inFold.filter(({ failed }) => failed).length) / others,
    };
  });
}

/** AUROC and Brier score, each by the weights in use, by those fitted, and the difference. */
function figuresOf(predictions: readonly Prediction[]): (number | null)[] {
  const auroc = (by: 'current' | 'fitted') =>
    stratifiedAuroc(predictions.map(({ fold, failed, [by]: score }) => ({ stratum: fold, failed, score })));
  const brier = (by: 'current' | 'fitted') =>
    mean(predictions.map(({ failed, [by]: risk }) => (Number(failed) - risk) ** 2));
  return [auroc, brier].flatMap((figure) => {
    const [current, fitted] = [figure('current'), figure('fitted')];
    return [current, fitted, current === null || fitted === null ? null : fitted - current];
  });
}
