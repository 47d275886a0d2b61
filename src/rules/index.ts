import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import { type FindingLevel, isProblemLevel } from '../core/severity.ts';
import type { AttemptComparison } from './attempts/attempt-comparison.ts';
import { outlierAttempt } from './attempts/outlier-attempt.ts';
import { abandonedStrategy } from './dialogue-en/abandoned-strategy.ts';
import { amountNotAgreed } from './dialogue-en/amount-not-agreed.ts';
import { chargeNotNamed } from './dialogue-en/charge-not-named.ts';
import { claimWithoutCall } from './dialogue-en/claim-without-call.ts';
import { hedging } from './dialogue-en/hedging.ts';
import { miscountedList } from './dialogue-en/miscounted-list.ts';
import { promisedWithoutCall } from './dialogue-en/promised-without-call.ts';
import { refusedAnswer } from './dialogue-en/refused-answer.ts';
import { selfContradiction } from './dialogue-en/self-contradiction.ts';
import { successAfterError } from './dialogue-en/success-after-error.ts';
import { testsClaimedToPass } from './dialogue-en/tests-claimed-to-pass.ts';
import { unconfirmedChange } from './dialogue-en/unconfirmed-change.ts';
import { unverifiedClaim } from './dialogue-en/unverified-claim.ts';
import { amountStated } from './grounding/amount-stated.ts';
import { misquotedFigure } from './grounding/misquoted-figure.ts';
import { ungroundedArgument } from './grounding/ungrounded-argument.ts';
import { ungroundedValue } from './grounding/ungrounded-value.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { createRuleView, type RuleView } from './rule-view.ts';
import { injectedInstruction } from './safety/injected-instruction.ts';
import { personalDataInAnswer } from './safety/personal-data-in-answer.ts';
import { secretInAnswer } from './safety/secret-in-answer.ts';
import type { ToolNameTest } from './shared/tool-effect.ts';
import { argumentsBreakSchema } from './structure/arguments-break-schema.ts';
import { argumentsNotJson } from './structure/arguments-not-json.ts';
import { brokenToolSchema } from './structure/broken-tool-schema.ts';
import { callCycle } from './structure/call-cycle.ts';
import { callWithoutResult } from './structure/call-without-result.ts';
import { errorRepeatedUnchanged } from './structure/error-repeated-unchanged.ts';
import { failureAtEnd } from './structure/failure-at-end.ts';
import { forbiddenTool } from './structure/forbidden-tool.ts';
import { lateHandover } from './structure/late-handover.ts';
import { latencyOutlier } from './structure/latency-outlier.ts';
import { longSession } from './structure/long-session.ts';
import { manyFailedCalls } from './structure/many-failed-calls.ts';
import { nearVerbatimAnswer } from './structure/near-verbatim-answer.ts';
import { noAnswer } from './structure/no-answer.ts';
import { repeatedCall } from './structure/repeated-call.ts';
import { repeatedChange } from './structure/repeated-change.ts';
import { selectionFromSearch } from './structure/selection-from-search.ts';
import { stalledTurn } from './structure/stalled-turn.ts';
import { stateChange } from './structure/state-change.ts';
import { stoppedEarly } from './structure/stopped-early.ts';
import { tokenOutlier } from './structure/token-outlier.ts';
import { truncatedAnswer } from './structure/truncated-answer.ts';
import { unknownTool } from './structure/unknown-tool.ts';
import { unrecoveredError } from './structure/unrecovered-error.ts';

/** All rules, the most severe first. */
export const RULES: readonly Rule[] = [
  injectedInstruction,
  secretInAnswer,
  successAfterError,
  testsClaimedToPass,
  unconfirmedChange,
  amountNotAgreed,
  repeatedChange,
  unknownTool,
  forbiddenTool,
  argumentsNotJson,
  argumentsBreakSchema,
  claimWithoutCall,
  misquotedFigure,
  miscountedList,
  ungroundedValue,
  ungroundedArgument,
  personalDataInAnswer,
  errorRepeatedUnchanged,
  callWithoutResult,
  noAnswer,
  truncatedAnswer,
  stoppedEarly,
  callCycle,
  stalledTurn,
  repeatedCall,
  nearVerbatimAnswer,
  unrecoveredError,
  failureAtEnd,
  manyFailedCalls,
  lateHandover,
  longSession,
  refusedAnswer,
  promisedWithoutCall,
  chargeNotNamed,
  unverifiedClaim,
  hedging,
  selfContradiction,
  abandonedStrategy,
  stateChange,
  selectionFromSearch,
  amountStated,
  brokenToolSchema,
  latencyOutlier,
  tokenOutlier,
  outlierAttempt,
];

/** The level of each rule, or an object with its level and options, by the rule's id. `off` disables a rule. */
export type RuleSettings = Readonly<
  Record<
    string,
    FindingLevel | 'off' | { readonly level?: FindingLevel | 'off' | undefined; readonly [option: string]: unknown }
  >
>;

/** Finds a rule by its id or its former id. */
export function findRule(id: string, rules: readonly Rule[] = RULES): Rule | undefined {
  return rules.find((rule) => rule.id === id || rule.formerId === id);
}

/** Whether two ids, former or current, name the same rule. */
export function isSameRule(a: string, b: string): boolean {
  return a === b || (findRule(a)?.id ?? a) === (findRule(b)?.id ?? b);
}

/** What the settings say about a rule, under its id or else its former id. */
export function ruleSettings<T>(id: string, settings: Readonly<Record<string, T>>): T | undefined {
  const rule = findRule(id);
  const key = [id, rule?.id, rule?.formerId].find(
    (candidate) => candidate !== undefined && Object.hasOwn(settings, candidate),
  );
  return key === undefined ? undefined : settings[key];
}

/** The rules that are not turned off. */
export function activeRules(settings: RuleSettings, rules: readonly Rule[] = RULES): readonly Rule[] {
  return rules.filter((rule) => settingsFor(rule, settings).level !== 'off');
}

/** By id, of all rules. */
export function ruleVersions(): Record<string, number> {
  return Object.fromEntries(RULES.map(({ id, version = 1 }) => [id, version]));
}

interface RunRulesOptions {
  readonly settings?: RuleSettings;
  readonly changesState?: ToolNameTest;
  /** By default the built-in ones. */
  readonly rules?: readonly Rule[];
}

/** Runs all rules over a session. Findings are sorted by turn, then by the order of the rules. Never throws. */
export function collectFindings(session: Session, options: RunRulesOptions = {}): Finding[] {
  const steps = runRules(session, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Like {@link collectFindings}, but yields after each rule, since a large session takes a while.
 *
 * @returns the findings
 */
export function* runRules(
  session: Session,
  { settings = {}, changesState, rules = RULES }: RunRulesOptions,
): Generator<undefined, Finding[], undefined> {
  const view = createRuleView(session, changesState);
  const findings: Finding[] = [];
  for (const rule of rules) {
    const { level, ...options } = settingsFor(rule, settings);
    if (level === 'off' || !appliesTo(rule, view)) continue;
    for (const finding of rule.check(view, rule.options?.parse(options)))
      findings.push(toFinding(rule, finding, level));
    yield;
  }
  return findings.sort((a, b) => a.turn - b.turn);
}

/** What the rules find in a session beside the other attempts of its task. */
export function checkAttempts(comparison: AttemptComparison, settings: RuleSettings): Finding[] {
  return RULES.flatMap((rule) => {
    const { level } = settingsFor(rule, settings);
    if (level === 'off') return [];
    const finding = rule.checkAttempts?.(comparison);
    return finding ? [toFinding(rule, finding, level)] : [];
  });
}

/** An observation is not a failure, so it has no failure label. */
function toFinding(rule: Rule, { severity: own, ...finding }: RuleFinding, level: FindingLevel | undefined): Finding {
  const severity = level ?? own ?? rule.severity;
  return { ...finding, rule: rule.id, severity, label: isProblemLevel(severity) ? rule.label : null };
}

export function appliesTo({ kinds }: Rule, view: RuleView): boolean {
  return kinds === undefined || kinds.includes(view.kind);
}

function settingsFor({ id }: Rule, settings: RuleSettings): { readonly level?: FindingLevel | 'off' | undefined } {
  const setting = ruleSettings(id, settings);
  return typeof setting === 'string' ? { level: setting } : (setting ?? {});
}
