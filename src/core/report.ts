import type { Problem } from './problem.ts';
import type { Result } from './result.ts';
import type { Pointer, Source } from './session.ts';
import type { Severity } from './severity.ts';
import type { Verdict } from './verdict.ts';

/** The JSON report. Scripts rely on it: keys may be added, none renamed. */
export interface Report {
  readonly schemaVersion: 1;
  readonly tool: { readonly name: 'turnwise'; readonly version: string };
  readonly run: RunInfo;
  readonly verdict: Verdict;
  /** All that keeps the run from passing and does not fail it; empty where there is nothing of the kind. */
  readonly undecided: readonly Undecided[];
  /** Of the run as a whole. */
  readonly metrics: ResultsByMetric;
  readonly gates: readonly Gate[];
  readonly sessions: readonly SessionReport[];
  readonly scenarios: readonly TaskSummary[];
  readonly attempts: AttemptsSummary | null;
  readonly failures: readonly FailureGroup[];
  /** What the rules found that is worth knowing and no failure, by session and turn. */
  readonly observations: readonly Observation[];
  /** Findings that a person accepted: neither failures nor lost. */
  readonly suppressed: readonly SuppressedFinding[];
  readonly problems: readonly Problem[];
}

export type ResultsByMetric = Readonly<Record<string, Result>>;

export interface RunInfo {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** False when it was interrupted: what had finished is here. */
  readonly complete: boolean;
  readonly agentVersion: string | null;
  readonly judge: { readonly provider: string; readonly model: string } | null;
  readonly embedder: { readonly provider: string; readonly model: string | null } | null;
  readonly questionsPerCall: number;
  readonly usage: {
    readonly judgeCalls: number;
    readonly judgeCallsCached: number;
    /** By `provider/model`, answers from the cache included; only where metrics asked models of their own. */
    readonly judgeCallsOf?: Readonly<Record<string, number>>;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly embeddedTexts: number;
    /** By the price that is configured, in its currency; absent where none is, or where it is not that of every model. */
    readonly cost?: number;
  };
}

/** Something that leaves a run undecided, unless something else fails it. */
export interface Undecided {
  /** Stable; what `problems` warns of as well has the same code there. */
  readonly code:
    | 'judge-unanswered'
    | 'function-failed'
    | 'metric-failed'
    | 'interrupted'
    | 'gate'
    | 'nothing-recorded'
    | 'no-session';
  /** A sentence: what is missing and how often, of which metrics, and why. */
  readonly reason: string;
  /** Why, in words that the reasons of the results have as well; null where there is more than one reason, or none. */
  readonly cause: string | null;
  /** Of what the sentence speaks of: questions, results, sessions or gates. */
  readonly count: number;
  /** How many of them each metric has, the most first. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Gate {
  readonly scope: 'run' | 'scenario' | 'session';
  /** Session id or scenario name; null for the run. */
  readonly subject: string | null;
  /** A metric's name, or `severity`. */
  readonly metric: string;
  readonly threshold: number | Severity;
  readonly actual: number | Severity | null;
  readonly scored: number;
  readonly of: number;
  readonly met: boolean | null;
  readonly reason: string;
}

export interface SessionReport {
  readonly id: string;
  readonly source: Source;
  readonly task: {
    readonly id: string;
    readonly trial: string | null;
    readonly dataset: string | null;
    readonly agent: string | null;
  } | null;
  readonly verdict: Verdict;
  /** What keeps it from passing and does not fail it, a sentence each; absent where there is nothing of the kind. */
  readonly undecided?: readonly string[];
  /** Session metrics, and the mean of each turn metric over its scored turns (source `aggregate`). */
  readonly metrics: ResultsByMetric;
  readonly turns: readonly TurnReport[];
}

export interface TurnReport {
  readonly id: string;
  readonly index: number;
  readonly pointer: Pointer;
  /** One-based line of the turn in its file; null when the file has no lines. */
  readonly line: number | null;
  /** Only where it is another file than the session's. */
  readonly file?: string;
  readonly metrics: ResultsByMetric;
}

export interface TaskSummary {
  readonly name: string;
  readonly file: string;
  readonly line: number | null;
  readonly verdict: Verdict;
  readonly assessment: string | null;
  readonly attempts: number;
  readonly correct: number;
  /** Attempts of which nothing says whether they were correct: they count neither as tried nor as correct. */
  readonly leftOut: number;
  readonly passAtK: readonly { readonly k: number; readonly value: number }[];
  readonly passPowK: readonly { readonly k: number; readonly value: number }[];
  readonly metrics: ResultsByMetric;
  /** Of the turn and session metrics that have scores in at least two attempts; absent where none has. */
  readonly statistics?: Readonly<Record<string, AttemptStatistics>>;
  /** Ids of its sessions. */
  readonly sessions: readonly string[];
  readonly traceFiles: readonly string[];
}

/** One metric over the attempts of a scenario, in its own scale. */
export interface AttemptStatistics {
  /** Attempts that have a score. */
  readonly n: number;
  /** A session's score each, of a turn metric its mean over the turns; in the order of the attempts. */
  readonly scores: readonly number[];
  readonly mean: number;
  /** Of the population: the attempts are all there are. */
  readonly standardDeviation: number;
  /** Where 95% of single runs would fall if they were normal: mean -+ 1.96 standard deviations. */
  readonly spreadOfSingleRuns: readonly [low: number, high: number];
  /** Where the true mean lies with 95% confidence, by Student's t; null for one attempt, which says nothing of it. */
  readonly meanInterval: readonly [low: number, high: number] | null;
}

export interface AttemptsSummary {
  readonly estimator: 'plug-in' | 'unbiased' | 'bayesian';
  readonly correctBy: string;
  /** Those with an attempt of which it is known whether it was correct. */
  readonly scenarios: number;
  /** Attempts of all scenarios of which nothing says whether they were correct. */
  readonly leftOut: number;
  readonly table: readonly { readonly k: number; readonly passAtK: number; readonly passPowK: number }[];
}

/** Failures of one kind, together; every failure is in exactly one group. */
export interface FailureGroup {
  /** Of its most severe occurrence, as is the severity. */
  readonly label: string;
  readonly severity: Severity;
  readonly count: number;
  readonly title: string;
  readonly explanation: string;
  readonly occurrences: readonly ProblemOccurrence[];
}

/** Where something was found. */
export interface TraceLocation {
  /** Session id. */
  readonly session: string;
  /** Of the first evidence, as are the pointer and the line. */
  readonly file: string;
  /** Zero-based index of the turn. */
  readonly turn: number;
  readonly pointer: Pointer;
  readonly line: number | null;
  /** All of it; the first entry is the place to look at. */
  readonly evidence: readonly LocatedEvidence[];
}

export interface LocatedEvidence {
  readonly file: string;
  readonly pointer: Pointer;
  /** One-based, where it begins; null when the file has no lines. */
  readonly line: number | null;
  readonly note: string;
}

export interface ProblemOccurrence extends TraceLocation {
  /** Its own: failures of several labels can have one cause, and be in one group. */
  readonly label: string;
  readonly severity: Severity;
  /** Whose result names it, and which rule found it: one of them, or both. */
  readonly metric: string | null;
  readonly rule: string | null;
  readonly reason: string;
}

export interface Observation extends TraceLocation {
  readonly rule: string;
  /** The rule's title. */
  readonly title: string;
  readonly reason: string;
}

export interface SuppressedFinding extends TraceLocation {
  readonly rule: string;
  /** What the rule found. */
  readonly finding: string;
  /** Why a person accepted it. */
  readonly reason: string;
}
