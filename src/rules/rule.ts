import type * as z from 'zod';
import type { Finding } from '../core/finding.ts';
import type { FailureLabel, FindingLevel } from '../core/severity.ts';
import type { AttemptComparison } from './attempts/attempt-comparison.ts';
import type { RuleView } from './rule-view.ts';
import type { SessionKind } from './shared/session-kind.ts';

/** Metrics that are scored from findings if no judge is configured. */
export type AffectedScore = 'tool_correctness' | 'argument_correctness' | 'step_efficiency' | 'confidence';

/** One deterministic check of a session. It reports only what the trace proves. */
export interface Rule<Options = unknown> {
  /** Kebab-case, stable: configuration and reports name it. */
  readonly id: string;
  /** The id of earlier versions. Configurations, sidecars and stored results may still use it. */
  readonly formerId?: string;
  /** Raised by one whenever it finds something else on purpose: other versions are not compared. Absent: 1. */
  readonly version?: number;
  /** Also the label of a problem if the rule has no failure label, so it must not change. */
  readonly title: string;
  /** What a finding proves, in one sentence. */
  readonly proves: string;
  /** `info` for observations, which are not failures. */
  readonly severity: FindingLevel;
  /** The failure label of the turn; null if the rule proves none. */
  readonly label: FailureLabel | null;
  /** The scores that its findings affect. */
  readonly affects: readonly AffectedScore[];
  /** The kinds of session it applies to; by default all. It is not run on others. */
  readonly kinds?: readonly SessionKind[];
  readonly page: RulePage;
  /** Options in addition to the level. Every option has a default. */
  readonly options?: z.ZodType<Options>;
  /** Takes linear time in the size of the session, and never throws. */
  check(view: RuleView, options: Options): readonly RuleFinding[];
  /** Checks a session beside the other attempts of its task, once all sessions of the run are known. */
  checkAttempts?(comparison: AttemptComparison): RuleFinding | null;
}

/** The texts of the rule's documentation page, in Markdown. */
export interface RulePage {
  /** What the rule checks, and when it reports a finding. */
  readonly how: string;
  /** What the rule ignores on purpose, and what it cannot see. */
  readonly silent: string;
  /** What to do about a finding. */
  readonly remedy: string;
}

/** A finding without the properties that the rule's definition provides. */
export type RuleFinding = Pick<Finding, 'turn' | 'message' | 'evidence' | 'calls'> & {
  /** Overrides the rule's severity for this finding. A configured level takes precedence. */
  readonly severity?: FindingLevel;
};

/** Infers the type of the options in a rule's check. */
export function defineRule<Options>(rule: Rule<Options>): Rule<Options> {
  return rule;
}
