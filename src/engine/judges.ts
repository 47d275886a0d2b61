import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import type { JudgeUsage, SessionOutcome } from '../core/session-outcome.ts';
import type { Judge, SessionJudge } from '../judge/judge.ts';
import type { BoundJudge } from '../metrics/metric.ts';
import { sumUsage } from './judge-usage.ts';

/** The judges of a run: the default one, and those of metrics with a judge of their own, by metric name. */
export interface Judges {
  readonly defaultJudge: Judge | null;
  readonly byMetric: ReadonlyMap<string, Judge>;
}

export const NO_JUDGES: Judges = { defaultJudge: null, byMetric: new Map() };

/** How many turns a call of any of them can be about. */
export function mostTurnsPerCall({ defaultJudge, byMetric }: Judges): number {
  return Math.max(1, ...[defaultJudge, ...byMetric.values()].map((judge) => judge?.turnsPerCall ?? 1));
}

/** The judge of each metric, for one session. */
export interface BoundJudges {
  turn(metric: string, index: number): BoundJudge | null;
  session(metric: string): BoundJudge | null;
  /** What they cost so far. */
  usage(): JudgeUsage[];
}

/** @param findings what rules proved of the session. */
export function bindJudges(
  session: Session,
  findings: readonly Finding[],
  { defaultJudge: common, byMetric: own }: Judges,
): BoundJudges {
  const defaultSession = common?.forSession(session, findings) ?? null;
  const sessions = new Map(
    Array.from(own, ([metric, judge]) => [metric, judge.forSession(session, findings)] as const),
  );
  const of = (metric: string): SessionJudge | null => sessions.get(metric) ?? defaultSession;
  return {
    usage() {
      const used = [
        [common, defaultSession] as const,
        ...Array.from(own, ([metric, judge]) => [judge, sessions.get(metric)] as const),
      ];
      return sumUsage(used.flatMap(([judge, about]) => (judge && about ? [{ ...judge, usage: about.usage }] : [])));
    },
    turn(metric, index) {
      const judge = of(metric);
      return judge && { ask: (used, how) => judge.askTurn(index, used, how) };
    },
    session(metric) {
      const judge = of(metric);
      return judge && { ask: (used, how) => judge.askSession(used, how) };
    },
  };
}

/** What judges cost beside the outcomes of sessions, such as merging groups of problems. */
export function usageBeside(judges: Judges, outcomes: readonly Pick<SessionOutcome, 'judgeUsage'>[]): JudgeUsage[] {
  const all = [judges.defaultJudge, ...judges.byMetric.values()].flatMap((judge) => judge ?? []);
  return sumUsage([
    // Metrics may share a judge.
    ...new Map(all.map((judge) => [judge.usage, judge])).values(),
    ...outcomes.flatMap(({ judgeUsage }) => judgeUsage.map((usage) => ({ ...usage, usage: negate(usage) }))),
  ]);
}

function negate({ calls, callsCached, promptTokens, completionTokens }: JudgeUsage) {
  return {
    calls: -calls,
    callsCached: -callsCached,
    promptTokens: -promptTokens,
    completionTokens: -completionTokens,
  };
}
