import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import { type FindingLevel, isProblemLevel } from '../core/severity.ts';
import { abandonedStrategy } from './abandoned-strategy.ts';
import { amountNotAgreed } from './amount-not-agreed.ts';
import { argumentsBreakSchema } from './arguments-break-schema.ts';
import { argumentsNotJson } from './arguments-not-json.ts';
import { brokenToolSchema } from './broken-tool-schema.ts';
import { callCycle } from './call-cycle.ts';
import { callWithoutResult } from './call-without-result.ts';
import { chosenChange } from './chosen-change.ts';
import { claimWithoutCall } from './claim-without-call.ts';
import { errorRepeatedUnchanged } from './error-repeated-unchanged.ts';
import { hedging } from './hedging.ts';
import { injectedInstruction } from './injected-instruction.ts';
import { latencyOutlier } from './latency-outlier.ts';
import { misquotedFigure } from './misquoted-figure.ts';
import { nearVerbatimAnswer } from './near-verbatim-answer.ts';
import { noAnswer } from './no-answer.ts';
import { personalDataInAnswer } from './personal-data-in-answer.ts';
import { refusedAnswer } from './refused-answer.ts';
import { repeatedCall } from './repeated-call.ts';
import { repeatedChange } from './repeated-change.ts';
import type { Rule } from './rule.ts';
import { secretInAnswer } from './secret-in-answer.ts';
import { selfContradiction } from './self-contradiction.ts';
import { stalledTurn } from './stalled-turn.ts';
import { stateChange } from './state-change.ts';
import { statedAmount } from './stated-amount.ts';
import { successAfterError } from './success-after-error.ts';
import { testsClaimedToPass } from './tests-claimed-to-pass.ts';
import { tokenOutlier } from './token-outlier.ts';
import type { NameTest } from './tool-effect.ts';
import { truncatedAnswer } from './truncated-answer.ts';
import { unconfirmedChange } from './unconfirmed-change.ts';
import { ungroundedArgument } from './ungrounded-argument.ts';
import { ungroundedValue } from './ungrounded-value.ts';
import { unknownTool } from './unknown-tool.ts';
import { unrecoveredError } from './unrecovered-error.ts';
import { ruleView } from './view.ts';

/** Every rule that exists, one row each, the gravest first. */
export const RULES: readonly Rule[] = [
  injectedInstruction,
  secretInAnswer,
  successAfterError,
  testsClaimedToPass,
  unconfirmedChange,
  amountNotAgreed,
  repeatedChange,
  unknownTool,
  argumentsNotJson,
  argumentsBreakSchema,
  claimWithoutCall,
  misquotedFigure,
  ungroundedValue,
  ungroundedArgument,
  personalDataInAnswer,
  errorRepeatedUnchanged,
  callWithoutResult,
  noAnswer,
  truncatedAnswer,
  callCycle,
  stalledTurn,
  repeatedCall,
  nearVerbatimAnswer,
  unrecoveredError,
  refusedAnswer,
  hedging,
  selfContradiction,
  abandonedStrategy,
  stateChange,
  chosenChange,
  statedAmount,
  brokenToolSchema,
  latencyOutlier,
  tokenOutlier,
];

/** By a rule's id: its level, or an object of its level and options. `off` keeps it from looking. */
export type RuleSettings = Readonly<
  Record<
    string,
    FindingLevel | 'off' | { readonly level?: FindingLevel | 'off' | undefined; readonly [option: string]: unknown }
  >
>;

export function ruleOf(id: string): Rule | undefined {
  return RULES.find((rule) => rule.id === id);
}

/** The rules that look under these settings. */
export function activeRules(settings: RuleSettings): readonly Rule[] {
  return RULES.filter((rule) => settingsOf(rule, settings).level !== 'off');
}

interface Looking {
  readonly settings?: RuleSettings;
  readonly changesState?: NameTest;
}

/** What the rules prove of a session, ordered by turn and within a turn as the rules are. Never throws. */
export function findingsOf(session: Session, looking: Looking = {}): Finding[] {
  const steps = lookingAt(session, looking);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same, with a halt after each rule: a large session takes them a while. @returns the findings. */
export function* lookingAt(
  session: Session,
  { settings = {}, changesState }: Looking,
): Generator<undefined, Finding[], undefined> {
  const view = ruleView(session, changesState);
  const findings: Finding[] = [];
  for (const rule of RULES) {
    const { level, ...options } = settingsOf(rule, settings);
    if (level === 'off') continue;
    for (const { severity: own, ...found } of rule.check(view, rule.options?.parse(options))) {
      const severity = level ?? own ?? rule.severity;
      // An observation is no failure, so it carries no label of one.
      findings.push({ ...found, rule: rule.id, severity, label: isProblemLevel(severity) ? rule.label : null });
    }
    yield;
  }
  return findings.sort((a, b) => a.turn - b.turn);
}

function settingsOf({ id }: Rule, settings: RuleSettings): { readonly level?: FindingLevel | 'off' | undefined } {
  const own = Object.hasOwn(settings, id) ? settings[id] : undefined;
  return typeof own === 'string' ? { level: own } : (own ?? {});
}
