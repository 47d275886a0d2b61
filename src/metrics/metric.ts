import type * as z from 'zod';
import type { Finding } from '../core/finding.ts';
import type { AgentOutcome } from '../core/report.ts';
import type { MetricOutcome, Result } from '../core/result.ts';
import type { Band, ScaleName } from '../core/scale.ts';
import type { Session, Turn } from '../core/session.ts';
import type { SessionFacts } from '../core/session-outcome.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { AskOptions, JudgeAnswer, Question } from '../judge/question.ts';
import type { AttemptComparison } from '../rules/attempts/attempt-comparison.ts';
import type { AttemptStanding } from './attempts/agreement.ts';
import type { RiskCoefficients } from './shared/risk-model.ts';

/** What a metric requires. */
export type MetricNeed = 'judge' | 'embedder' | 'reference' | 'rubrics' | 'earlier turns' | 'attempts';

/** What people, the configuration and the report know about a metric. */
export interface MetricDefinition<Options = unknown> {
  /** Its name in its source system. */
  readonly name: string;
  /** Raised by one whenever its results change on purpose: other versions are not compared. Absent: 1. */
  readonly version?: number;
  /** Other names under which its source systems know it. */
  readonly aliases?: readonly string[];
  /** The question it answers, as one sentence. */
  readonly question: string;
  /** The system and document it comes from. */
  readonly source: string;
  readonly scale: ScaleName;
  /** Score at or above which a result passes (at or below, when lower is better); null: informational. */
  readonly threshold: number | null;
  readonly lowerIsBetter?: true;
  /** A configured threshold of this metric applies to the scores of this other metric, and decides which are correct. */
  readonly thresholdFor?: string;
  readonly bands?: readonly Band[];
  readonly needs: readonly MetricNeed[];
  /** It asks a judge itself. False for a metric derived from other judged metrics. */
  readonly usesJudge?: true;
  /** A user's function computes it. */
  readonly isUserFunction?: true;
  /** Metrics whose results it reads; they are computed before it. */
  readonly uses?: readonly string[];
  /** Runs only when it is named. */
  readonly optIn?: true;
  /** Shown, and gated only if a threshold is configured for it. */
  readonly experimental?: true;
  /** Its options in the configuration; every key has a default or is optional. */
  readonly options?: z.ZodType<Options>;
}

export interface TurnMetric<Options = unknown> extends MetricDefinition<Options> {
  readonly scope: 'turn';
  evaluate(view: TurnView, options: Options): MetricOutcome | Promise<MetricOutcome>;
}

export interface SessionMetric<Options = unknown> extends MetricDefinition<Options> {
  readonly scope: 'session';
  evaluate(view: SessionView, options: Options): MetricOutcome | Promise<MetricOutcome>;
  /** Its outcome once the other attempts of the session's task are known; null leaves its result as it is. */
  compare?(view: ComparedView, options: Options): MetricOutcome | null;
}

/** A session beside the other attempts of its task, of which there is at least one. */
export interface ComparedView {
  readonly agreement: AttemptStanding;
  /** What it and most others changed. */
  readonly comparison: AttemptComparison;
  readonly facts: SessionFacts;
  /** Successful calls in all attempts of the task of which it is not known whether they change state. */
  readonly unknownCalls: number;
  /** Weights of `session_risk` that were fitted to the user's sessions; absent: those that ship. */
  readonly risk?: RiskCoefficients;
  /** The result of a metric in this session. */
  result(metric: string): Result | undefined;
}

/** Computed over the attempts of one task. */
export interface TaskMetric<Options = unknown> extends MetricDefinition<Options> {
  readonly scope: 'scenario';
  evaluate(view: TaskView, options: Options): MetricOutcome;
}

/** Computed over all sessions of a run. */
export interface RunMetric<Options = unknown> extends MetricDefinition<Options> {
  readonly scope: 'run';
  evaluate(view: RunView, options: Options): MetricOutcome;
}

export type Metric = TurnMetric | SessionMetric | TaskMetric | RunMetric;

/** The context that all metrics of a session share. */
interface SessionContext {
  readonly session: Session;
  /** Null when no embedder is configured. */
  readonly embedder: Embedder | null;
  /** Embeds texts, each one once per session. Requires an embedder. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  /** Null when no model is configured. */
  readonly judge: BoundJudge | null;
  /** The distinct words of a text, by `wordSet`; cached for the last turns. */
  words(text: string): ReadonlySet<string>;
  /** Weights of `session_risk` that were fitted to the user's sessions; absent: those that ship. */
  readonly risk?: RiskCoefficients;
  /** Ids of the rules that checked the session. */
  readonly ruleIds: readonly string[];
  readonly signal: AbortSignal;
}

/** Asks the judge about the turn or the session of a view. Never rejects. */
export interface BoundJudge {
  ask<Answer>(question: Question<Answer>, asking?: AskOptions): Promise<JudgeAnswer<Answer>>;
}

export interface TurnView extends SessionContext {
  readonly turn: Turn;
  /** Zero-based position in the session. */
  readonly index: number;
  /** The findings of the rules in this turn. */
  readonly findings: readonly Finding[];
  /** The result of a metric named in `uses` for this turn; undefined when it does not run. */
  result(metric: string): Result | undefined;
}

export interface SessionView extends SessionContext {
  readonly findings: readonly Finding[];
  /** The results of a turn metric named in `uses`, one entry per turn; undefined where it did not run. */
  turnResults(metric: string): readonly (Result | undefined)[];
  /** The result of a session metric named in `uses`. */
  result(metric: string): Result | undefined;
  /** The result of any session metric once it has one; undefined if it does not run. */
  laterResult(metric: string): Promise<Result | undefined>;
}

/** A session that was evaluated. */
export interface EvaluatedSession {
  readonly outcome: AgentOutcome;
  readonly facts: SessionFacts;
  readonly verdict: Verdict;
  result(metric: string): Result | undefined;
}

export interface TaskView {
  readonly attempts: readonly EvaluatedSession[];
  /** The attempts of other tasks of the agent whose texts share at least this part of their words. */
  similar(least: number): readonly EvaluatedSession[];
}

export interface RunView {
  readonly sessions: readonly EvaluatedSession[];
}

export function turnMetric<Options>(metric: Omit<TurnMetric<Options>, 'scope'>): TurnMetric<Options> {
  return { scope: 'turn', ...metric };
}

export function sessionMetric<Options>(metric: Omit<SessionMetric<Options>, 'scope'>): SessionMetric<Options> {
  return { scope: 'session', ...metric };
}

export function taskMetric<Options>(metric: Omit<TaskMetric<Options>, 'scope'>): TaskMetric<Options> {
  return { scope: 'scenario', ...metric };
}

export function runMetric<Options>(metric: Omit<RunMetric<Options>, 'scope'>): RunMetric<Options> {
  return { scope: 'run', ...metric };
}
