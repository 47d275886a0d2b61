import type { AttemptsSummary, Gate, Report, SessionReport, TaskSummary } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';
import {
  type ComparableSession,
  type ComparedSession,
  compareSessions,
  taskAgreement,
} from '../metrics/attempts/compared-sessions.ts';
import { strategyConsistency } from '../metrics/attempts/strategy-consistency.ts';
import {
  type Attempt,
  type AttemptCounts,
  comparableKey,
  correctness,
  countCorrect,
  DEFAULT_ESTIMATES,
  estimateTask,
  groupAttempts,
  planEstimates,
  summarizeAttempts,
} from '../metrics/attempts/task-attempts.ts';
import type { Interval } from '../stats/intervals.ts';
import { EXPECTATIONS_GATE } from './agent-outcome.ts';
import { metricResult } from './metric-results.ts';
import { ENDING_GATE } from './session-headline.ts';
import type { TraceFacts } from './trace-facts.ts';

/** A session that may be an attempt of a task. */
export interface AttemptSession {
  /** Unique in the list. */
  readonly key: string;
  readonly report: SessionReport;
  readonly facts: TraceFacts;
  /** Its own, and those of its run. */
  readonly gates: readonly Pick<Gate, 'metric'>[];
}

/** A probability over k attempts. */
export interface AttemptEstimate {
  readonly k: number;
  readonly passAtK: number;
  readonly passPowK: number;
  /** 95% of the Bayesian posterior; null where there is none. */
  readonly passAtKInterval: Interval | null;
  readonly passPowKInterval: Interval | null;
}

/** The attempts of one task, wherever their files are. */
export interface TaskAttempts {
  readonly name: string;
  /** The keys of the sessions. */
  readonly sessions: readonly string[];
  readonly succeeded: number;
  /** Attempts of which it is known whether they succeeded. */
  readonly known: number;
  /** One per k: of a run those that it was asked for, else from 1 to the number of known attempts. */
  readonly estimates: readonly AttemptEstimate[];
  /** `strategy_consistency`: 1 if all attempts call the same tools in the same order; null where no attempt calls a tool. */
  readonly strategy: number | null;
  /** How far they and the attempts of other agents made the same changes, with the keys of those that stand out. */
  readonly agreement: TaskAgreement | null;
}

type TaskAgreement = NonNullable<TaskSummary['agreement']>;

export interface AttemptGroups {
  /** Tasks with at least two attempts. */
  readonly tasks: readonly TaskAttempts[];
  /** Means over these tasks; null where no attempt is known to have succeeded or failed. */
  readonly summary: AttemptsSummary | null;
}

/** The largest k with an estimate of its own. */
const MAX_K = 10;

/** Equal for sessions that are attempts of one task, whichever agent made them; null without a task. */
export function attemptKey(session: Parameters<typeof comparableKey>[0]): string | null {
  return comparableKey(session);
}

/** Groups sessions into tasks as a run does, also across runs: the editor evaluates file by file. */
export function groupSessionAttempts(sessions: readonly AttemptSession[]): AttemptGroups {
  const attempts = sessions.map(toAttempt);
  const keys = new Map(attempts.map((attempt, index) => [attempt, sessions[index]?.key ?? '']));
  const compared = new Map(
    Array.from(compareSessions(attempts.map((attempt) => toComparable(attempt, keys))).values(), (one) => [
      one.id,
      one,
    ]),
  );
  const groups = groupAttempts(attempts).filter((group) => group.attempts.length > 1);
  const correct = correctness(
    undefined,
    groups.flatMap((group) => group.attempts),
  );
  const counts = groups.map((group) => countCorrect(group, correct));
  return {
    tasks: groups.map((group, index) =>
      taskAttempts(group.name, group.attempts, counts[index] ?? countCorrect(group, correct), keys, compared),
    ),
    summary: summarizeAttempts(counts, correct.by, DEFAULT_ESTIMATES),
  };
}

/** The attempts of a run, with the figures of its report. @param own the groups of its sessions, which know their strategies */
export function attemptsOfReport(
  { scenarios, attempts }: Pick<Report, 'scenarios' | 'attempts'>,
  own: Pick<AttemptGroups, 'tasks'>,
): AttemptGroups {
  const strategies = new Map(own.tasks.map(({ sessions, strategy }) => [sessions[0], strategy]));
  const tasks = scenarios.filter(({ sessions }) => sessions.length > 1);
  return {
    tasks: tasks.map((task) => ({
      name: task.name,
      sessions: task.sessions,
      succeeded: task.correct,
      known: task.attempts - task.leftOut,
      estimates: task.passAtK.flatMap(({ k, value, ci }, at) => {
        const all = task.passPowK[at];
        if (!all) return [];
        return { k, passAtK: value, passPowK: all.value, passAtKInterval: ci, passPowKInterval: all.ci };
      }),
      strategy: strategies.get(task.sessions[0]) ?? null,
      agreement: task.agreement ?? null,
    })),
    summary: tasks.length === 0 ? null : attempts,
  };
}

/** What the attempts at one scenario came to, whichever agent made them. */
export interface ScenarioSummary {
  /** `2 of 3 succeeded · pass^2 0.33 [0.04–0.87] · attempts disagree on cancel_order`. */
  readonly text: string;
  /** Null where too few attempts are known. */
  readonly allPass: { readonly k: number; readonly value: number } | null;
}

/** Whether an agent succeeds again when it is tried again. */
const REPEATED = 2;

/** Of one attempt, there is no estimate. */
export function summarizeScenario(sessions: readonly AttemptSession[]): ScenarioSummary {
  const attempts = sessions.map(toAttempt);
  const { n, c } = countCorrect({ name: '', attempts }, correctness(undefined, attempts));
  const repeated = n < REPEATED ? null : estimate(n, c, REPEATED);
  const disagreed = toolsOfDisagreement(sessions);
  const parts = [
    successText({ attempts: sessions.length, known: n, succeeded: c }),
    ...(repeated ? [`pass^${REPEATED} ${figureText(repeated.passPowK, repeated.passPowKInterval)}`] : []),
    ...(disagreed.length === 0 ? [] : [`attempts disagree on ${disagreed.join(', ')}`]),
  ];
  return { text: parts.join(' · '), allPass: repeated && { k: REPEATED, value: repeated.passPowK } };
}

/** `2 of 3 succeeded`. */
export function successText({
  attempts,
  known,
  succeeded,
}: {
  readonly attempts: number;
  readonly known: number;
  readonly succeeded: number;
}): string {
  return known === 0 ? `${pluralize(attempts, 'attempt')}, success unknown` : `${succeeded} of ${known} succeeded`;
}

/** `0.33 [0.04–0.87]`. */
export function figureText(value: number, interval: Interval | null): string {
  if (!interval) return value.toFixed(2);
  const [low, high] = interval;
  return `${value.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
}

/** The tools with a change that some attempts made and others did not. */
function toolsOfDisagreement(sessions: readonly AttemptSession[]): string[] {
  const compared = sessions.flatMap(({ facts }) => (facts.changes && !facts.endedEarly ? [facts.changes] : []));
  const made = compared.flatMap((changes) => [...new Map(changes.map((change) => [change.key, change.tool]))]);
  const byChange = Map.groupBy(made, ([key]) => key);
  const disagreed = [...byChange.values()].filter(({ length }) => length < compared.length);
  return [...new Set(disagreed.flatMap(([first]) => (first ? [first[1]] : [])))].sort();
}

function toAttempt({ report, facts, gates }: AttemptSession): Attempt {
  const { id, source, task, verdict, outcome, metrics, turns } = report;
  return {
    evaluated: { id, source, goal: facts.goal, task: task ? withoutNulls(task) : undefined, turns, metrics },
    outcome,
    verdict,
    facts,
    hasThreshold: gates.some(({ metric }) => !OWN_GATES.includes(metric)),
    result: (name) => metricResult(metrics, name),
  };
}

/** Gates that say nothing of a threshold. */
const OWN_GATES: readonly string[] = ['severity', 'outcome', EXPECTATIONS_GATE, ENDING_GATE];

/** Ids can repeat across runs, keys cannot. */
function toComparable(attempt: Attempt, keys: ReadonlyMap<Attempt, string>): ComparableSession {
  return { ...attempt.evaluated, id: keys.get(attempt) ?? '', facts: attempt.facts };
}

function withoutNulls({ id, trial, dataset, agent, declared }: NonNullable<SessionReport['task']>) {
  return { id, trial: trial ?? undefined, dataset: dataset ?? undefined, agent: agent ?? undefined, declared };
}

function taskAttempts(
  name: string,
  attempts: readonly Attempt[],
  { n, c }: AttemptCounts,
  keys: ReadonlyMap<Attempt, string>,
  compared: ReadonlyMap<string, ComparedSession>,
): TaskAttempts {
  const strategy = strategyConsistency.evaluate({ attempts, similar: () => [] }, { by: 'task', similarity: 1 });
  const sessions = attempts.map((attempt) => keys.get(attempt) ?? '');
  return {
    name,
    sessions,
    succeeded: c,
    known: n,
    estimates:
      n === 0
        ? []
        : planEstimates([{ n }], DEFAULT_ESTIMATES)
            .ks.slice(0, MAX_K)
            .map((k) => estimate(n, c, k)),
    strategy: strategy.status === 'scored' && 'score' in strategy ? strategy.score : null,
    agreement: taskAgreement(sessions.flatMap((key) => compared.get(key) ?? [])) ?? null,
  };
}

function estimate(n: number, c: number, k: number): AttemptEstimate {
  const { passAtK, passPowK, passAtKCi, passPowKCi } = estimateTask({ n, c }, k, 'unbiased');
  return { k, passAtK, passPowK, passAtKInterval: passAtKCi, passPowKInterval: passPowKCi };
}
