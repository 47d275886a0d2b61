import * as z from 'zod/mini';
import { LEVELS } from '../core/severity.ts';
import { fileUri } from './messages.ts';
import { defineRequest } from './rpc.ts';

/** What a person decides about a finding, written into the files that say so. */

/** The answer: the path that was written, or a sentence that says why nothing was. */
const outcome = z.union([z.object({ written: z.string() }), z.object({ refused: z.string() })]);
export type EditOutcome = z.infer<typeof outcome>;

/** The argument of the command `turnwise.suppressFinding`: which finding. */
export const findingArgument = z.object({
  /** Of the file in which it is shown. */
  uri: fileUri,
  /** The key of the session; without it, the only one of the file. */
  session: z.optional(z.string()),
  /** Zero-based index of the turn in its session. */
  turn: z.int().check(z.nonnegative()),
  rule: z.string().check(z.minLength(1)),
});
export type FindingArgument = z.infer<typeof findingArgument>;

/** The argument of the command `turnwise.setRuleSeverity`: which rule, and whose configuration. */
export const ruleArgument = z.object({ uri: fileUri, rule: z.string().check(z.minLength(1)) });
export type RuleArgument = z.infer<typeof ruleArgument>;

/** The argument of the command `turnwise.openRuleDocumentation`. */
export const ruleDocumentationArgument = z.object({ rule: z.string().check(z.regex(/^[a-z0-9-]+$/)) });

/** Accepts a finding for a reason, in the sidecar beside its trace. What is held does not change before the next evaluation. */
export const suppress = defineRequest(
  'turnwise/suppress',
  z.object({ ...findingArgument.shape, reason: z.string().check(z.trim(), z.minLength(1)) }),
  outcome,
);

export const RULE_SEVERITIES = [...LEVELS, 'off'] as const;
export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

/** Gives a rule a level, in the configuration that is nearest to a trace. */
export const setSeverity = defineRequest(
  'turnwise/relevel',
  z.object({ ...ruleArgument.shape, level: z.enum(RULE_SEVERITIES) }),
  outcome,
);
