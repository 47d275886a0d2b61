import { crossValidate as leaveOut } from '../../../src/metrics/shared/risk-fit.ts';
import { conversationLength, type RiskCoefficients } from '../../../src/metrics/shared/risk-model.ts';
import {
  auroc,
  clusterBootstrap,
  foldsByFamily,
  mean,
  type Ranked,
  stratifiedAuroc,
} from '../../../src/metrics/shared/statistics.ts';
import type { LabelledSession } from './labelled-sessions.ts';

export const FOLDS = 5;

/** Into which fold a task falls is luck, and moves a figure by several points: so it is drawn so many times. */
export const DIVISIONS = 10;

/** A session with the fold that it was held out in, under one division of the tasks into folds. */
export interface HeldOutSession extends LabelledSession {
  readonly fold: number;
  /** Fitted without its fold. */
  readonly coefficients: RiskCoefficients;
  /** `session_risk` by them. */
  readonly risk: number;
}

/** A session under each division. */
export type CrossValidationFold = readonly HeldOutSession[];

/** Holds every session out once in each division of the families into folds. */
export function crossValidate(sessions: readonly LabelledSession[]): CrossValidationFold[] {
  const divisions = Array.from({ length: DIVISIONS }, (_, seed) => divide(sessions, seed + 1));
  return sessions.map((_, i) => divisions.flatMap((division) => division[i] ?? []));
}

/** Fits the coefficients once for each fold, on the sessions of the other folds, and scores those of the fold. */
function divide(sessions: readonly LabelledSession[], seed: number): HeldOutSession[] {
  const folds = foldsByFamily(
    sessions.map(({ family }) => family),
    FOLDS,
    seed,
  );
  const samples = sessions.map((labelled) => ({
    ...labelled,
    domain: labelled.session.task?.dataset ?? labelled.dataset,
    set: labelled.dataset,
    length: conversationLength(labelled.session),
    agreement: null,
    fold: folds.get(labelled.family) ?? 0,
  }));
  const held = leaveOut(samples, ({ fold }) => String(fold), { fittedOn: '' });
  const bySession = new Map(held.map((item) => [item.sample.session, item]));
  return samples.flatMap((sample) => {
    const item = bySession.get(sample.session);
    return item ? [{ ...sample, coefficients: item.coefficients, risk: item.risk }] : [];
  });
}

/** A figure that ranks sessions, higher for worse; null where a session has none. */
export type Score = (session: HeldOutSession) => number | null;

/** A figure with its interval. */
export interface Estimate {
  readonly value: number | null;
  readonly interval: readonly [low: number, high: number] | null;
}

/** How sessions are compared: all with all, or only those of one data set. */
export type Pairs = 'all' | 'within';

/** The mean over folds and divisions of the AUROC against failure, with an interval over resampled families. */
export function aurocOf(sessions: readonly CrossValidationFold[], score: Score, pairs: Pairs = 'all'): Estimate {
  return estimate(sessions, [score], ([ranked]) => (ranked ? meanAuroc(ranked, pairs) : null));
}

/** The same without an interval. */
export function bareAuroc(sessions: readonly CrossValidationFold[], score: Score, pairs: Pairs = 'all'): number | null {
  return meanAuroc(
    sessions.map((session) => rankedBy(session, score)),
    pairs,
  );
}

/** The mean over the folds, for each division. */
export function aurocByDivision(
  sessions: readonly CrossValidationFold[],
  score: Score,
  pairs: Pairs = 'all',
): (number | null)[] {
  return byDivision(
    sessions.map((session) => rankedBy(session, score)),
    pairs,
  );
}

/** By how much one figure's mean AUROC is above another's on the same folds and the same draws. */
export function difference(
  sessions: readonly CrossValidationFold[],
  score: Score,
  other: Score,
  pairs: Pairs = 'all',
): Estimate {
  return estimate(sessions, [score, other], ([ranked = [], against = []]) => {
    const [a, b] = [meanAuroc(ranked, pairs), meanAuroc(against, pairs)];
    return a === null || b === null ? null : a - b;
  });
}

/** A session under each division, as it is ranked there. */
type RankedSession = readonly (Ranked & { readonly stratum: string; readonly fold: number })[];

function rankedBy(session: CrossValidationFold, score: Score): RankedSession {
  return session.flatMap((session) => {
    const result = score(session);
    return result === null
      ? []
      : [{ score: result, failed: session.failed, stratum: session.dataset, fold: session.fold }];
  });
}

/** Scores are computed once, not in every draw. */
function estimate(
  sessions: readonly CrossValidationFold[],
  scores: readonly Score[],
  figure: (ranked: readonly (readonly RankedSession[])[]) => number | null,
): Estimate {
  const families = [...Map.groupBy(sessions, ([session]) => session?.family ?? '').values()].map((family) =>
    family.map((session) => scores.map((score) => rankedBy(session, score))),
  );
  const of = (drawn: readonly (readonly RankedSession[])[]) =>
    figure(scores.map((_, i) => drawn.map((session) => session[i] ?? [])));
  return { value: of(families.flat()), interval: clusterBootstrap(families, of) };
}

function meanAuroc(sessions: readonly RankedSession[], pairs: Pairs): number | null {
  return mean(byDivision(sessions, pairs));
}

function byDivision(sessions: readonly RankedSession[], pairs: Pairs): (number | null)[] {
  return Array.from({ length: DIVISIONS }, (_, division) => {
    const folds = Map.groupBy(
      sessions.flatMap((session) => session[division] ?? []),
      ({ fold }) => fold,
    );
    return mean([...folds.values()].map((fold) => (pairs === 'within' ? stratifiedAuroc(fold) : auroc(fold))));
  });
}
