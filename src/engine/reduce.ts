import type { Problem } from '../core/problem.ts';
import type { Report, SessionReport } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { AgentProblem, JudgeUsage, SessionOutcome } from '../core/session-outcome.ts';
import { isForAll, metricsFor } from '../core/task-gates.ts';
import { verdictOf } from '../core/verdict.ts';
import type { Judge } from '../judge/judge.ts';
import type { EarlierAttempt } from '../metrics/attempts/compared-sessions.ts';
import type { Metric } from '../metrics/metric.ts';
import { compareAttempts } from './compare-attempts.ts';
import { evaluateSessionGates, type SessionGateResults } from './gates.ts';
import { runUsage } from './judge-usage.ts';
import { type LocationLookup, locationResolver } from './locations.ts';
import { MissingResults } from './missing-results.ts';
import type { OutcomeStorage } from './outcome-storage.ts';
import { bindAllMetrics } from './plan.ts';
import { type AgentProblemGroup, groupProblems, toFailureGroup } from './problem-groups.ts';
import { mergeByRootCause } from './root-cause-merging.ts';
import { summarizeRun } from './task-summary.ts';
import { interruptionWarning, missingResultWarnings, undecidedEntries } from './undecided.ts';

/** Totals of a run besides the outcomes of its sessions. */
export interface EvaluationTotals {
  /** Sessions that were to be evaluated. */
  readonly sessions: number;
  /** The file of the first session that was not evaluated; null when all were. */
  readonly unfinishedFile: string | null;
  /** Of these, the ones that their thread could not evaluate. */
  readonly lost?: number;
  /** Files that were not read, so that their sessions are not counted. */
  readonly unreadFiles?: number;
  /** False when the run was aborted, or when parts of it are missing. */
  readonly complete: boolean;
  /** Whether it was made of parts, and some are missing. */
  readonly lacksParts?: boolean;
  readonly durationMs: number;
}

export interface ReduceOptions {
  readonly totals: EvaluationTotals;
  /** All available metrics, including the configuration's own. */
  readonly metrics: readonly Metric[];
  /** Merges groups of problems that have one root cause. */
  readonly judge: Judge | null;
  /** Where outcomes are put aside; the sessions of the report then read their results from it. */
  readonly storage?: OutcomeStorage | undefined;
  /** Attempts of earlier runs that count as others of the same task. */
  readonly earlier?: readonly EarlierAttempt[] | undefined;
  readonly locate: LocationLookup;
  /** What judges cost beside the sessions, which know their own; called when nothing more is sent. */
  readonly usageBeside: () => readonly JudgeUsage[];
  /** Problems of reading the sessions. */
  readonly problems: readonly Problem[];
}

/**
 * Makes the report of a run from the outcomes of its sessions, in input order: groups problems, lets the judge merge groups
 * of one root cause, then gates sessions, tasks and the run. Before that, it compares the attempts of each task.
 */
export async function reduceOutcomes(
  plan: RunPlan,
  evaluated: readonly SessionOutcome[],
  { totals, metrics, judge, storage, earlier, locate, usageBeside, problems }: ReduceOptions,
): Promise<Report> {
  const metricPlans = bindAllMetrics(plan, metrics);
  const { outcomes, compared } = compareAttempts(evaluated, plan, metricPlans, storage, earlier);
  const grouped = groupProblems(outcomes.flatMap((outcome) => outcome.problems));
  const { groups, problems: mergeProblems } = await mergeByRootCause(grouped, judge);
  const sessions = gateSessions(outcomes, groups, plan);
  const missingInTasks = new MissingResults();
  const summary = summarizeRun(sessions, plan, metricPlans, compared, missingInTasks);

  const failures = groups.map(toFailureGroup);
  const observations = outcomes.flatMap((outcome) => outcome.observations);
  const suppressed = outcomes.flatMap((outcome) => outcome.suppressed);
  const occurrences = failures.flatMap((group) => group.occurrences);
  const resolve = locationResolver([...occurrences, ...observations, ...suppressed], locate);

  // Where the attempts of a task gate together, none of them gates alone.
  const attempts = new Set(plan.gates.attempts ? summary.scenarios.flatMap((task) => task.sessions) : []);
  const gating = sessions.filter(({ evaluated }) => !attempts.has(evaluated.id));
  const gates = [...summary.gates, ...gating.flatMap((session) => session.gates)];
  const missing = outcomes.map((outcome) => ({ file: outcome.source.file, missing: outcome.missing }));
  const finished = outcomes.length;
  const undecided = undecidedEntries({
    missing: [...missing.flatMap((session) => session.missing), ...missingInTasks.list()],
    gates,
    sessions: totals.sessions,
    finished,
    unreadFiles: totals.unreadFiles ?? 0,
    lost: totals.lost ?? 0,
    complete: totals.complete,
    lacksParts: totals.lacksParts ?? false,
    isRecorded: outcomes.some(({ isRecorded }) => isRecorded),
  });
  return {
    schemaVersion: 1,
    tool: { name: 'turnwise', version: plan.version },
    run: {
      id: plan.id,
      startedAt: plan.startedAt,
      durationMs: totals.durationMs,
      complete: totals.complete,
      agentVersion: plan.agentVersion,
      judge: plan.judge,
      embedder: plan.embedder,
      questionsPerCall: plan.questionsPerCall,
      ...(plan.turnsPerCall !== undefined && { turnsPerCall: plan.turnsPerCall }),
      ...ownThresholds(plan),
      ...(plan.calibrations && {
        calibrated: Object.fromEntries(plan.calibrations.map(({ metric, judge }) => [metric, judge])),
      }),
      ...(plan.namedMetrics && { namedMetrics: [...plan.namedMetrics] }),
      usage: runUsage(plan, outcomes, usageBeside()),
    },
    verdict: verdictOf([...gates.map((gate) => gate.met), ...undecided.map(() => null)]),
    outcomes: countOutcomes(sessions),
    undecided,
    metrics: summary.metrics,
    gates,
    sessions: sessions.map(({ evaluated, ...results }) => toSessionReport(evaluated, results)),
    scenarios: summary.scenarios,
    attempts: summary.attempts,
    failures: failures.map((group) => ({ ...group, occurrences: group.occurrences.map(resolve) })),
    observations: observations.map(resolve),
    suppressed: suppressed.map(resolve),
    problems: [
      ...problems,
      ...outcomes.flatMap((outcome) => outcome.unusedSuppressions),
      ...missingResultWarnings([...missing, { file: '', missing: missingInTasks.list() }]),
      ...mergeProblems,
      ...interruptionWarning({ unreadFiles: 0, ...totals, finished }, missing),
    ],
  };
}

interface GatedSession extends SessionGateResults {
  readonly evaluated: SessionOutcome;
}

function countOutcomes(sessions: readonly GatedSession[]): Report['outcomes'] {
  const counts = { succeeded: 0, failed: 0, unknown: 0 };
  for (const { outcome } of sessions) counts[outcome.status]++;
  return counts;
}

/** Gates come after grouping: a judge that merges groups can find problems more severe than their sessions knew. */
function gateSessions(
  outcomes: readonly SessionOutcome[],
  groups: readonly AgentProblemGroup[],
  plan: RunPlan,
): GatedSession[] {
  const problems = Map.groupBy(
    groups.flatMap((group): readonly AgentProblem[] => group.problems),
    ({ occurrence }) => occurrence.session,
  );
  return outcomes.map((evaluated) => ({
    evaluated,
    ...evaluateSessionGates(evaluated, inOwnOrder(problems.get(evaluated.id) ?? [], evaluated), plan),
  }));
}

/** Problems of a session in the order that they have without other sessions, so that its headline does not depend on these. */
function inOwnOrder(problems: readonly AgentProblem[], { problems: own }: SessionOutcome): readonly AgentProblem[] {
  if (problems.length < 2) return problems;
  const position = new Map(own.map(({ key }, at) => [key, at] as const).reverse());
  const sorted = problems.toSorted((a, b) => (position.get(a.key) ?? own.length) - (position.get(b.key) ?? own.length));
  return groupProblems(sorted).flatMap((group) => group.problems);
}

/** The results are read when they are asked for: the outcome may have put them aside. */
export function toSessionReport(outcome: SessionOutcome, results: Omit<SessionGateResults, 'gates'>): SessionReport {
  return {
    ...sessionHead(outcome, results),
    get metrics() {
      return outcome.metrics;
    },
    get turns() {
      return outcome.turns;
    },
  };
}

function sessionHead(
  { id, source, task, tags, scenario, expectations }: SessionOutcome,
  { verdict, outcome, headline, undecided }: Omit<SessionGateResults, 'gates'>,
): Omit<SessionReport, 'metrics' | 'turns'> {
  return {
    id,
    source,
    task: task
      ? {
          id: task.id,
          trial: task.trial ?? null,
          dataset: task.dataset ?? null,
          agent: task.agent ?? null,
          ...(task.declared ? { declared: true } : {}),
        }
      : null,
    ...(tags && { tags }),
    ...(scenario && { scenario }),
    ...(expectations && { expectations }),
    verdict,
    outcome,
    headline,
    ...(undecided.length > 0 ? { undecided } : {}),
  };
}

/** The metrics whose thresholds the configuration sets, for their results or as gates. */
function ownThresholds(plan: RunPlan): Pick<Report['run'], 'ownThresholds'> {
  const own = metricsFor(plan, {}).flatMap(({ name, hasOwnThreshold }) => (hasOwnThreshold ? [name] : []));
  // What only some sessions have is no threshold of the run.
  const ofAll = plan.thresholds.filter(isForAll);
  const names = new Set([...own, ...ofAll.map(({ metric }) => metric.name)]);
  return names.size === 0 ? {} : { ownThresholds: [...names].sort() };
}
