import type * as z from 'zod';
import type { Finding } from '../core/finding.ts';
import type { FailureLabel, FindingLevel } from '../core/severity.ts';
import type { RuleView } from './rule-view.ts';

/** Metrics that answer from findings where no model is asked. */
export type AffectedScore = 'tool_correctness' | 'argument_correctness' | 'step_efficiency' | 'confidence';

/** One deterministic check of a session. It says only what the trace proves, and rather nothing than a guess. */
export interface Rule<Options = unknown> {
  /** Kebab-case, stable: configuration and reports name it. */
  readonly id: string;
  /** The id of earlier versions. Configurations, sidecars and stored results may still use it. */
  readonly formerId?: string;
  readonly title: string;
  /** What a finding of it proves, as one sentence. */
  readonly proves: string;
  /** `info` for what is worth knowing and no failure. */
  readonly severity: FindingLevel;
  /** The failure label that it gives the turn; null where it proves none. */
  readonly label: FailureLabel | null;
  /** The scores that it moves. */
  readonly affects: readonly AffectedScore[];
  readonly page: RulePage;
  /** What may be configured beside its level; every key has a default. */
  readonly options?: z.ZodType<Options>;
  /** Linear in the session, and never throws. */
  check(view: RuleView, options: Options): readonly RuleFinding[];
}

/** What its page says beyond the definition, in plain sentences of Markdown. */
export interface RulePage {
  /** What it looks at, and when it speaks. */
  readonly how: string;
  /** Where it keeps silent on purpose, and what it cannot see. */
  readonly silent: string;
  /** What a person does about a finding. */
  readonly remedy: string;
}

/** What a rule found; the rest of the finding is the rule's definition. */
export type RuleFinding = Pick<Finding, 'turn' | 'message' | 'evidence' | 'calls'> & {
  /** Where this one weighs otherwise than the rule's findings do. A configured level wins. */
  readonly severity?: FindingLevel;
};

/** Gives a rule's check the type of its options. */
export function defineRule<Options>(rule: Rule<Options>): Rule<Options> {
  return rule;
}
