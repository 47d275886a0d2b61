import * as z from 'zod/mini';
import { LEVELS } from '../core/severity.ts';
import { fileUri } from './messages.ts';
import { defineRequest } from './rpc.ts';

/** Edits of sidecars and configurations that suppress findings or set severities. */

/** The path of the saved file, or the reason why nothing was saved. */
const outcome = z.union([z.object({ written: z.string() }), z.object({ error: z.string() })]);
export type EditOutcome = z.infer<typeof outcome>;

/** The argument of the command `turnwise.suppressFinding`. */
export const findingArgument = z.object({
  /** The file that shows it. */
  uri: fileUri,
  /** The key of the session; optional for the only one of a file. */
  session: z.optional(z.string()),
  /** Zero-based index of the turn in its session. */
  turn: z.int().check(z.nonnegative()),
  rule: z.string().check(z.minLength(1)),
});
export type FindingArgument = z.infer<typeof findingArgument>;

/** The argument of the command `turnwise.setRuleSeverity`: a rule, and the file whose configuration applies. */
export const ruleArgument = z.object({ uri: fileUri, rule: z.string().check(z.minLength(1)) });
export type RuleArgument = z.infer<typeof ruleArgument>;

/** The argument of the command `turnwise.openRuleDocumentation`. */
export const ruleDocumentationArgument = z.object({ rule: z.string().check(z.regex(/^[a-z0-9-]+$/)) });

/** Suppresses a finding in the sidecar of its trace. Results change with the next evaluation. */
export const suppress = defineRequest(
  'turnwise/suppress',
  z.object({ ...findingArgument.shape, reason: z.string().check(z.trim(), z.minLength(1)) }),
  outcome,
);

export const RULE_SEVERITIES = [...LEVELS, 'off'] as const;
export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

/** Sets the severity of a rule in the configuration nearest to a trace. */
export const setSeverity = defineRequest(
  'turnwise/relevel',
  z.object({ ...ruleArgument.shape, level: z.enum(RULE_SEVERITIES) }),
  outcome,
);
