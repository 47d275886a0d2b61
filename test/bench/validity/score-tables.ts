import type { Session } from '../../../src/core/session.ts';
import {
  baseLogOdds,
  conversationLength,
  explainRisk,
  findingTerms,
  signalTerm,
} from '../../../src/metrics/shared/risk-model.ts';
import { mean, wilson } from '../../../src/metrics/shared/statistics.ts';
import { aurocByDivision, aurocOf, type CrossValidationFold, difference, type Score } from './cross-validation.ts';
import { datasets } from './labelled-sessions.ts';
import { estimate, figure, percent, percentRange, table } from './markdown.ts';
import type { OtherScores } from './scores.ts';

export type OtherScoresBySession = ReadonlyMap<Session, OtherScores>;

/** `session_risk` of a session that was held out. */
export const RISK: Score = ({ risk }) => risk;

/** By how many state-changing calls there are. */
export function changesIn(others: OtherScoresBySession): Score {
  return ({ session }) => others.get(session)?.changes ?? null;
}

/** By how many calls there are. */
export function callsIn(others: OtherScoresBySession): Score {
  return ({ session }) => others.get(session)?.calls ?? null;
}

/** How well each figure tells sessions that failed from sessions that did not, on held-out tasks. */
export function aurocTable(sessions: readonly CrossValidationFold[], others: OtherScoresBySession): string {
  const scores: readonly (readonly [string, Score])[] = [
    ['`session_risk`', RISK],
    ['baseline: state-changing calls', changesIn(others)],
    ['baseline: calls', callsIn(others)],
    ['baseline: turns', ({ session }) => session.turns.length],
    ['`session_risk` with lexical `loop_detection` as a term', withLoops(others)],
    ['`agent_reliability` (1 - score)', ({ session }) => inverse(others.get(session)?.reliability)],
    ['`agent_consistency` (1 - score)', ({ session }) => inverse(others.get(session)?.consistency)],
  ];
  const groups = datasets().slice(0, 2);
  return table(
    ['figure', 'all sessions', 'within each data set', ...groups],
    ...scores.map(([name, score]) => [
      name,
      estimate(aurocOf(sessions, score)),
      estimate(aurocOf(sessions, score, 'within')),
      ...groups.map((group) =>
        estimate(
          aurocOf(
            sessions.filter(([session]) => session?.dataset === group),
            score,
          ),
        ),
      ),
    ]),
  );
}

function withLoops(others: OtherScoresBySession): Score {
  return ({ session, findings, coefficients }) => {
    const loops = others.get(session)?.loopDetection;
    const terms = findingTerms(findings, coefficients);
    return explainRisk(
      loops ? [...terms, signalTerm('loop_detection', loops.score ?? 1, loops.evidence, 1)] : terms,
      baseLogOdds(conversationLength(session), null, coefficients),
    ).risk;
  };
}

function inverse(score: number | null | undefined): number | null {
  return typeof score === 'number' ? 1 - score : null;
}

/** By how much the risk is above the baselines. */
export function differenceTable(sessions: readonly CrossValidationFold[], others: OtherScoresBySession): string {
  return table(
    ['`session_risk` above', 'all sessions', 'within each data set'],
    ...(
      [
        ['state-changing calls', changesIn(others)],
        ['calls', callsIn(others)],
      ] as const
    ).map(([name, score]) => [
      name,
      estimate(difference(sessions, RISK, score)),
      estimate(difference(sessions, RISK, score, 'within')),
    ]),
  );
}

/** How far the figure depends on which tasks fall into which fold. */
export function robustness(folds: readonly CrossValidationFold[]): string {
  return table(
    ['all sessions', 'within each data set'],
    [range(aurocByDivision(folds, RISK)), range(aurocByDivision(folds, RISK, 'within'))],
  );
}

function range(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  return `${figure(mean(known))}, from ${figure(Math.min(...known), 2)} to ${figure(Math.max(...known), 2)}`;
}

const BINS = [0, 0.35, 0.5, 0.65, 0.8, 1.000001] as const;

/** Whether sessions fail as often as their risk says, held out. */
export function calibrationTable(sessions: readonly CrossValidationFold[]): string {
  const predicted = sessions.map(prediction);
  const rows = BINS.slice(1).flatMap((to, i) => {
    const from = BINS[i] ?? 0;
    const inside = predicted.filter(({ risk }) => risk >= from && risk < to);
    if (inside.length === 0) return [];
    const failed = inside.filter((item) => item.failed).length;
    return [
      [
        `${percent(from)} to ${percent(Math.min(to, 1))}`,
        String(inside.length),
        percent(mean(inside.map(({ risk }) => risk))),
        percent(failed / inside.length),
        percentRange(wilson(failed, inside.length)),
      ],
    ];
  });
  return table(['risk', 'sessions', 'mean risk', 'failed', '95 % interval'], ...rows);
}

/** The mean squared distance of the risk from what happened, and of the base rate from it. */
export function brier(sessions: readonly CrossValidationFold[]): {
  readonly risk: number | null;
  readonly baseRate: number | null;
} {
  const predicted = sessions.map(prediction);
  const rate = mean(predicted.map(({ failed }) => Number(failed))) ?? 0;
  return {
    risk: mean(predicted.map(({ failed, risk }) => (Number(failed) - risk) ** 2)),
    baseRate: mean(predicted.map(({ failed }) => (Number(failed) - rate) ** 2)),
  };
}

/** The mean of what a session's risk was under each division. */
function prediction(session: CrossValidationFold): { readonly risk: number; readonly failed: boolean } {
  return { risk: mean(session.map(({ risk }) => risk)) ?? 0, failed: session.some(({ failed }) => failed) };
}
