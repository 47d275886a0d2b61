import type { Finding } from '../core/finding.ts';
import type { Report } from '../core/report.ts';
import type { Session } from '../core/session.ts';
import type { Judge, SessionJudge } from '../judge/judge.ts';
import type { ModelUsage } from '../llm/chat-client.ts';
import type { BoundJudge } from '../metrics/metric.ts';

/** The judges of a run: the default one, and those of metrics with a judge of their own, by metric name. */
export interface Judges {
  readonly defaultJudge: Judge | null;
  readonly byMetric: ReadonlyMap<string, Judge>;
}

export const NO_JUDGES: Judges = { defaultJudge: null, byMetric: new Map() };

/** The judge of each metric, for one session. */
export interface BoundJudges {
  turn(metric: string, index: number): BoundJudge | null;
  session(metric: string): BoundJudge | null;
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

/** The usage of all judges. */
export function totalUsage({
  defaultJudge: common,
  byMetric: own,
}: Judges): Omit<Report['run']['usage'], 'embeddedTexts'> {
  const judges = [...new Set([common, ...own.values()])].flatMap((judge) => judge ?? []);
  const sum = (key: keyof ModelUsage) => judges.reduce((total, { usage }) => total + usage[key], 0);
  const used = judges.filter(({ usage }) => usage.calls + usage.callsCached > 0);
  const callsOf = used.map(
    ({ provider, model, usage }) => [`${provider}/${model}`, usage.calls + usage.callsCached] as const,
  );
  return {
    judgeCalls: sum('calls'),
    judgeCallsCached: sum('callsCached'),
    ...(used.some((judge) => judge !== common) ? { judgeCallsOf: Object.fromEntries(callsOf) } : {}),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
  };
}
