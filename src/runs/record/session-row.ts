import type { ProblemOccurrence, SessionReport, TurnReport } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { SCORE_WITHIN_RUN } from '../../core/result-metadata.ts';
import type { RunPlan } from '../../core/run-plan.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import { hashOf } from '../../core/session-hashes.ts';
import { sessionLine } from '../../core/session-line.ts';
import type { SessionOutcome, StateChange } from '../../core/session-outcome.ts';
import { worstSeverity } from '../../core/severity.ts';
import { isCorrectAttempt } from '../../report-model/attempt-correctness.ts';
import { attemptKey } from '../../report-model/session-attempts.ts';

export interface SessionRowSource {
  readonly outcome: SessionOutcome;
  /** Of the same session, after the reduce step. */
  readonly report: SessionReport;
  /** Those of the session, as the report of the run has them: a judge that merges groups can find them more severe. */
  readonly problems: readonly Pick<ProblemOccurrence, 'label' | 'rule' | 'severity'>[];
  readonly plan: Pick<RunPlan, 'thresholds' | 'correctBy'>;
  /** Relative to the project where it is inside it. */
  readonly file: string;
}

/** What comparisons, trends and baselines read of a session. Outcomes that are not recorded have no hashes: '' then. */
export function toRecordedSession({ outcome, report, problems, plan, file }: SessionRowSource): RecordedSession {
  const { facts, hashes } = outcome;
  const scored = Object.entries(report.metrics).filter(([, { status }]) => status === 'scored');
  const scores = scored.flatMap(([name, result]) => {
    const score = comparableScore(result);
    return score === null ? [] : [[name, score] as const];
  });
  const passed = scored.flatMap(([name, result]) => (result.passed === null ? [] : [[name, result.passed] as const]));
  return {
    id: outcome.id,
    file,
    line: sessionLine(outcome),
    task: report.task,
    ...(report.tags && { tags: report.tags }),
    inputs: hashes?.inputs ?? '',
    content: hashes?.content ?? '',
    verdict: report.verdict,
    outcome: { status: report.outcome.status, source: report.outcome.source },
    headline: report.headline,
    correct: isCorrectAttempt(report, outcome, plan),
    scores: Object.fromEntries(scores),
    judged: scores.flatMap(([name]) => (isJudged(name, report) ? [name] : [])),
    passed: Object.fromEntries(passed),
    labels: countBy(problems.map(({ label }) => label)),
    rules: countBy(problems.flatMap(({ rule }) => rule ?? [])),
    severity: worstSeverity(problems.map(({ severity }) => severity)),
    turns: outcome.turns.length,
    calls: facts.calls,
    tokens: facts.tokens,
    cost: facts.cost ?? null,
    durationMs: facts.durationMs,
    ...toRecordedAttempt(outcome),
  };
}

/** Whatever earlier runs there were. */
function comparableScore({ score, metadata }: Result): number | null {
  if (!Object.hasOwn(metadata, SCORE_WITHIN_RUN)) return score;
  const own = metadata[SCORE_WITHIN_RUN];
  return typeof own === 'number' ? own : null;
}

function toRecordedAttempt(outcome: SessionOutcome): Pick<RecordedSession, 'attempt'> {
  const { changes, unknownCalls, endedEarly, fingerprint } = outcome.facts;
  const group = attemptGroup(outcome);
  if (changes === undefined || group === null) return {};
  const countArguments = ({ arguments: named, moreArguments = 0 }: StateChange) => named.length + moreArguments;
  return {
    attempt: {
      group,
      changes: changes.map((change) => [change.key, change.tool, countArguments(change)]),
      ...(unknownCalls !== undefined && { unknownCalls }),
      ...(endedEarly && { endedEarly }),
      ...(fingerprint !== undefined && { fingerprint }),
    },
  };
}

/** Equal for attempts of one task, whichever agent made them; null without a task. */
export function attemptGroup(session: Pick<SessionOutcome, 'source' | 'goal' | 'task'>): string | null {
  const key = attemptKey(session);
  return key === null ? null : hashOf(key).slice(0, 16);
}

/** A mean over turns is judged where one of the turns is. */
function isJudged(name: string, { metrics, turns }: SessionReport): boolean {
  return isByJudge(metrics[name]) || turns.some((turn: TurnReport) => isByJudge(turn.metrics[name]));
}

function isByJudge(result: Result | undefined): boolean {
  return result?.status === 'scored' && (result.source === 'judge' || result.judge !== undefined);
}

function countBy(names: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries(Array.from(groups, ([name, all]) => [name, all.length] as const).sort(byName));
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
