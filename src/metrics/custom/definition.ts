import type { Finding } from '../../core/finding.ts';
import type { Evidence, Result } from '../../core/result.ts';
import type { ScaleName } from '../../core/scale.ts';
import type { Session, Turn } from '../../core/session.ts';
import type { UserFunction } from '../../sandbox/module-function.ts';

/** The scales that a metric of the user's own may have. */
export const CUSTOM_SCALES = ['unit', 'likert', 'binary', 'label'] as const satisfies readonly ScaleName[];
export type CustomScale = (typeof CUSTOM_SCALES)[number];

/** A metric of the user's own, as the configuration defines it: by a rubric in plain words, or by a function. */
export interface CustomDefinition {
  readonly name: string;
  readonly question?: string | undefined;
  readonly scope: 'turn' | 'session';
  readonly scale: CustomScale;
  readonly threshold?: number | undefined;
  /** Of the scale `label`. */
  readonly labels?: readonly string[] | undefined;
  readonly optIn: boolean;
  readonly rubric?: string | undefined;
  /** How often the rubric is asked about; by default as often as the judge's settings say. */
  readonly samples?: number | undefined;
  readonly evaluate?: UserFunction | undefined;
  /** Metrics whose results the function reads. */
  readonly uses?: readonly string[] | undefined;
  /** How long one call of the function may take. */
  readonly timeoutMs?: number | undefined;
}

export type RubricDefinition = CustomDefinition & { readonly rubric: string };
export type FunctionDefinition = CustomDefinition & { readonly evaluate: UserFunction };

/** What a function for turns is given beside the turn. All of it is frozen. */
export interface CustomTurnContext {
  readonly session: Session;
  /** Zero-based position of the turn. */
  readonly index: number;
  /** What the rules proved of this turn. */
  readonly findings: readonly Finding[];
  /** Of the metrics that `uses` names, for this turn; null where one did not run. */
  readonly results: Readonly<Record<string, Result | null>>;
}

/** What a function for sessions is given beside the session. All of it is frozen. */
export interface CustomSessionContext {
  readonly findings: readonly Finding[];
  /** Of the session metrics that `uses` names; null where one did not run. */
  readonly results: Readonly<Record<string, Result | null>>;
  /** Of the turn metrics that `uses` names, one entry per turn. */
  readonly turnResults: Readonly<Record<string, readonly (Result | null)[]>>;
}

/**
 * What a function may return: a number on the metric's scale (on `binary` also true or false), one of its labels, null
 * where the question does not arise, or one of these with what it rests on.
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
  /** In snake case; no other metric has it. */
  readonly name: string;
  /** A sentence for people. */
  readonly question?: string;
  /** Default: likert. */
  readonly scale?: CustomScale;
  /** On the metric's own scale, or a percentage as text where that is 0 to 1. */
  readonly threshold?: number | string;
  readonly labels?: readonly string[];
  /** Runs only when it is asked for by name. */
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
  /** Of one call; default 10000. */
  readonly timeoutMs?: number;
  readonly rubric?: never;
}

/** A metric of one's own, as a person writes it in a configuration. */
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
