import type * as z from 'zod';
import type { DeepReadonly } from '../../core/deep-readonly.ts';
import type { Finding } from '../../core/finding.ts';
import type { Evidence, Result } from '../../core/result.ts';
import type { Session, Turn } from '../../core/session.ts';
import type { FunctionJudge } from '../../sandbox/function-judge.ts';
import type { UserFunction } from '../../sandbox/module-function.ts';
import type { CUSTOM_SCALES, customSchema } from './definition-schema.ts';

export type CustomScale = (typeof CUSTOM_SCALES)[number];

/** A custom metric of the configuration: a rubric in plain words, or a function. */
export type CustomDefinition = DeepReadonly<Omit<z.output<typeof customSchema>, 'evaluate'>> & {
  readonly evaluate?: UserFunction | undefined;
};

export type RubricDefinition = CustomDefinition & { readonly rubric: string };
export type FunctionDefinition = CustomDefinition & { readonly evaluate: UserFunction };

/** Lets a function ask the judge of the run. */
interface JudgeContext {
  /**
   * Asks the judge about the turn, or the session. Rejects if there is no answer; the result is then `needs_judge` or
   * `error`, whatever the function returns.
   *
   * @param schema of the answer: of zod, or JSON Schema
   * @param options `text`: what the judge sees instead of the turn or the session
   */
  readonly judge: FunctionJudge;
}

/** The second argument of a function for turns. It is frozen. */
export interface CustomTurnContext extends JudgeContext {
  readonly session: Session;
  /** Zero-based position of the turn. */
  readonly index: number;
  /** The findings of the rules in this turn. */
  readonly findings: readonly Finding[];
  /** The results of the metrics in `uses` for this turn; null if one did not run. */
  readonly results: Readonly<Record<string, Result | null>>;
}

/** The second argument of a function for sessions. It is frozen. */
export interface CustomSessionContext extends JudgeContext {
  readonly findings: readonly Finding[];
  /** The results of the session metrics in `uses`; null if one did not run. */
  readonly results: Readonly<Record<string, Result | null>>;
  /** The results of the turn metrics in `uses`, one entry per turn. */
  readonly turnResults: Readonly<Record<string, readonly (Result | null)[]>>;
}

/**
 * The return value of a function: a number on the metric's scale (for `binary` also true or false), one of its labels,
 * null if the metric does not apply, or one of these with a reason and evidence.
 */
export type CustomAnswer =
  | number
  | boolean
  | string
  | null
  | {
      readonly score?: number | boolean | null;
      readonly label?: string | null;
      readonly reason?: string | null;
      /** JSON pointers, as `turn.pointer` has them. */
      readonly evidence?: readonly (string | (Pick<Evidence, 'pointer'> & Partial<Evidence>))[];
    };

type CustomReturn = CustomAnswer | Promise<CustomAnswer>;

interface CustomMetricBase {
  /** In snake case; unique among metrics. */
  readonly name: string;
  /** A sentence for people. */
  readonly question?: string;
  /** Default: likert. */
  readonly scale?: CustomScale;
  /** On the metric's own scale, or a percentage as text if that is 0 to 1. */
  readonly threshold?: number | string;
  readonly labels?: readonly string[];
  /** Runs only when it is named. */
  readonly optIn?: boolean;
}

interface RubricMetricInput extends CustomMetricBase {
  readonly scope?: 'turn' | 'session';
  readonly rubric: string;
  readonly samples?: number;
  readonly evaluate?: never;
}

interface FunctionMetricInput extends CustomMetricBase {
  readonly uses?: readonly string[];
  /** The time limit of one call; default 10000. */
  readonly timeoutMs?: number;
  readonly rubric?: never;
}

/** A custom metric, as a person writes it in a configuration. */
export type CustomMetric =
  | RubricMetricInput
  | (FunctionMetricInput & {
      readonly scope?: 'turn';
      readonly evaluate: (turn: Turn, context: CustomTurnContext) => CustomReturn;
    })
  | (FunctionMetricInput & {
      readonly scope: 'session';
      readonly evaluate: (session: Session, context: CustomSessionContext) => CustomReturn;
    });
