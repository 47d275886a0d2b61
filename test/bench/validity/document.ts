import { isAtLeast, isProblemLevel } from '../../../src/core/severity.ts';
import { pluralize } from '../../../src/core/text/pluralize.ts';
import { RISK_COEFFICIENTS } from '../../../src/metrics/shared/risk-coefficients.ts';
import { MIN_SAMPLES, WEIGHT_SD } from '../../../src/metrics/shared/risk-fit.ts';
import { toolEffect } from '../../../src/rules/shared/tool-effect.ts';
import { DRAWS } from '../../../src/stats/bootstrap.ts';
import { sigmoid } from '../../../src/stats/logistic.ts';
import {
  agreementSentence,
  compareWithJudged,
  type JudgedState,
  precisionOf,
  precisionTable,
  precisionText,
  wrongFindings,
} from './judged.ts';
import { isInLabelledFolder, type SetSession } from './labelled-sets.ts';
import { estimate, figure, percent, table } from './markdown.ts';
import type { LabelledSample } from './risk-samples.ts';
import {
  agreementTable,
  attemptsTable,
  aurocOverAll,
  aurocWithin,
  calibrationTable,
  type HeldOut,
  leaveOut,
  levelTable,
  rankingTable,
  riskBySet,
  riskScores,
  setsBelowBaseRate,
  type WrongSign,
  withOthers,
  wrongSigns,
} from './risk-tables.ts';
import type { Score } from './scores.ts';
import {
  injectionShare,
  injectionTable,
  ruleTable,
  type Share,
  setTable,
  severityTable,
  shareText,
  silentRules,
  withProblems,
} from './set-tables.ts';
import type { StepLabelledRun } from './step-labels.ts';
import { codeTable, stepTable } from './step-tables.ts';
import type { CodedTree } from './tool-codes.ts';

/** The measurements in the document. */
export interface ValidityMeasurements {
  /** All sessions with an outcome. */
  readonly samples: readonly LabelledSample[];
  /** Those of the folders with a table of labels, of which findings are judged by hand. */
  readonly sets: readonly SetSession[];
  readonly others: readonly (readonly [name: string, Score])[];
  readonly retail: readonly StepLabelledRun[];
  readonly magentic: readonly StepLabelledRun[];
  readonly whoAndWhen: readonly StepLabelledRun[];
  readonly trees: readonly CodedTree[];
}

/** `docs/validity.md`. */
export function renderDocument(measured: ValidityMeasurements): string {
  const { samples, sets, others } = measured;
  const byDomain = leaveOut(samples, ({ domain }) => domain);
  const byAgent = leaveOut(samples, ({ agent }) => agent);
  const judged = compareWithJudged(sets);
  const failed = samples.filter((sample) => sample.failed).length;
  return `${[
    '# Validity',
    `How reliable the rules and the scores based on them are, measured on ${samples.length.toLocaleString('en')} public sessions with an outcome; ${failed} of them failed. Written by \`npm run bench:validity\`; weak results are published too. No model was called.`,
    '## In short',
    inShort(measured, byDomain, judged),
    '## Goals and results',
    goals(measured, byDomain, judged),
    '## The data',
    'A set is one agent in one domain; agents and domains differ in how often they fail, so figures about outcomes compare sessions within a set. A session failed when the check of its benchmark failed: the state of a database, the tests of an issue, the utility of a task, or an attack that succeeded. Sessions belong to one family of tasks if they are attempts of one task, or if their calls, made or expected, name the same account or record: tau2-bench contains the airline tasks of tau-bench under other numbers, and both vary some tasks.',
    setTable(samples),
    'The failed runs of AgentRx (retail) are joined with its successful ones. The outcomes of AgentDojo are noisy: its checks want exact values. In a third of its attacked runs the orders are empty, and in a fifth no tool result holds them.',
    '## What rules find in failures and in successes',
    severityTable(samples),
    unseen(samples),
    '### Each rule',
    `How sessions with a finding of the rule end; ${percent(failed / samples.length)} of all sessions failed. The odds ratio compares sessions of one set with and without a finding (Mantel and Haenszel): above 1, they fail more often. "Domains" counts those with more failures among the sessions with a finding. The weight is what one finding adds to the log-odds of failure in \`session_risk\`; rules without one have findings in fewer than ${MIN_SAMPLES} sessions and count by their severity. Sessions of one task are not independent evidence, so the intervals (Wilson) are too narrow for rules with few families.`,
    ruleTable(samples, RISK_COEFFICIENTS.weights),
    silentRules(samples),
    '## Precision by hand',
    'A finding is judged with the transcript before the reader: true if it is a failure of the agent as it says, arguable, or false. The draw was fixed before the rules were changed for this data: the 150 findings of medium severity or above that come first in an order of hashes ([sample.ts](../test/bench/validity/sample.ts)), which no rule can influence. Where the two readers differ, a finding counts as arguable. [judged.json](../test/bench/validity/judged.json) has each verdict with the sentence that proves it. Rules have changed since the first findings were judged: the last column counts judged findings that are no longer made.',
    agreementSentence([...judged.present, ...judged.gone]),
    precisionTable(judged),
    unjudgedSentence(judged),
    '### Findings that are false',
    wrongFindings(judged),
    '## Injected instructions',
    'Runs of AgentDojo behind a defence, and those with a finding of `injected-instruction`. "Resisted" means that the goal of the attack was not reached exactly; such a run may still have done part of what the orders asked.',
    injectionTable(sets),
    '## The risk of a session',
    `Each domain is left out once: the coefficients are fitted on the other domains, without any task that the domain shares with them. AUROC is the probability that a session that failed ranks above one of the same set that did not; 0.5 is chance. Intervals come from ${DRAWS.toLocaleString('en')} draws of whole families of tasks with replacement.`,
    rankingTable(byDomain, byAgent, others),
    `Over all sessions together, where telling the sets apart helps too, the AUROC is ${figure(aurocOverAll(byDomain))}.`,
    '### Every set',
    riskBySet(byDomain),
    '### Is the risk a probability?',
    `${probabilitySentence(byDomain)} Fifths of the sessions, each domain left out:`,
    calibrationTable(byDomain),
    'The words that views show instead:',
    levelTable(byDomain),
    '## Attempts judge each other',
    'Attempts of one task are compared by the changes that they made (`attempt_agreement`). Most of these outcomes compare states of a database, which favours this figure.',
    agreementTable(samples),
    'AUROC within sets, each domain left out, by the number of other attempts that a session is compared with (drawn at random where there are more, five times; the attempts are of other agents, except in tau-bench airline):',
    attemptsTable(byDomain),
    '## Rules and labelled steps',
    'A finding is right if its location, or a call that it names, is a labelled message or the one before or after it (a call and its result are two messages). People labelled the steps in which they saw the cause of the failure, so a true finding elsewhere counts as wrong here. "By chance" is the share of all messages that would be right.',
    '### AgentRx, tau-bench retail',
    stepSentence(measured.retail),
    stepTable(measured.retail),
    '### AgentRx, Magentic-One',
    stepSentence(measured.magentic),
    stepTable(measured.magentic),
    '### Who&When',
    stepSentence(measured.whoAndWhen),
    stepTable(measured.whoAndWhen),
    '### ToolBench',
    'ToolBench gives each call a code. Faults are: no such function, timeout, error of the API. A code of 0 only says that the API answered; its answer may still be an error in words, which the rules detect and the code does not show.',
    codeTable(measured.trees),
    '## How the risk is computed',
    `risk = sigmoid(intercept + length + attempts + Σ weight × log2(1 + n)), over the rules with findings, where n is the number of findings, at most 7. No weight is negative, so no finding lowers the risk. The weights are fitted by logistic regression (\`npm run calibrate:risk\` writes [the coefficients](../src/metrics/shared/risk-coefficients.ts)) in which each domain and each set has an intercept of its own and all share the weights. Each weight is drawn to that of its rule's severity, by a normal prior with a standard deviation of ${WEIGHT_SD}, and is 0 where the domains disagree about its sign. The severity weights are set manually: a low finding multiplies the odds of failure by 1.25, a medium one by 2, a high one by 5, a critical one by 50, an observation by 1.`,
    'Signals from a judge, a real embedder or the file (`confidence`, `tool_correctness`, `loop_detection`, `coherence`) add a term each, with weights set manually: no public data contains both these signals and an outcome, so they are marked as not calibrated.',
    '`turn_risk` is the highest risk of a single finding or signal of the turn: (risk with it alone - base) / (1 - base), the share of sessions that fail with it, among those that would not have failed anyway.',
    '`turnwise calibrate risk` refits the weights [on your own sessions](metrics/session_risk.md#your-own-weights) and says whether that is better there.',
    '## Limitations',
    [
      `- The base, ${figure(sigmoid(RISK_COEFFICIENTS.intercept), 2)}, is how often agents of these benchmarks fail when nothing is found. It depends on the difficulty of the tasks as much as on what the rules miss. Another agent with other users has another base.`,
      '- The rules and their word lists were changed after people had read sessions of these sets. Leaving a domain out guards against fitted weights, not against that; only unseen data can settle it. About half of the tasks of the benchmarks are not in this data and will be measured again.',
      '- Some severities were set after the findings above had been judged by hand, so their precision is optimistic; the findings of unseen data will show it.',
      '- Attempts were compared with the attempts of other agents. Attempts of one agent agree with each other when they are wrong, too.',
      '- Sets are small: the interval of one set is wide, and 1 of 20 leaves out the true figure by chance.',
    ].join('\n'),
  ].join('\n\n')}\n`;
}

const REQUIRED_AUROC = 0.62;
const AIMED_AUROC = 0.68;
const AUROC_WITH_ATTEMPTS = 0.85;
const BELOW_BASE_RATE = 0.8;
const PRECISION = { high: 0.95, medium: 0.9 } as const;
const FOUND_IN_FAILURES = 0.2;
const FOUND_IN_SUCCESSES = 0.05;
const ATTACKS_FOUND = 0.94;
const RESISTED_FOUND = 0.01;

function goals({ samples, sets }: ValidityMeasurements, held: readonly HeldOut[], judged: JudgedState): string {
  const alone = aurocWithin(riskScores(held));
  const three = aurocWithin(withOthers(held, 3));
  const below = setsBelowBaseRate(held);
  const wrong = wrongSigns(samples, RISK_COEFFICIENTS);
  const severe = precisionOf(judged.present.filter(({ severity }) => severity === 'high' || severity === 'critical'));
  const medium = precisionOf(judged.present.filter(({ severity }) => severity === 'medium'));
  const unread = samples.filter(({ session }) => isInLabelledFolder(session.source.file));
  const failures = withProblems(unread, true, 'medium');
  const successes = withProblems(unread, false, 'medium');
  const [attacks, resisted, clean] = (['success', 'resisted', 'none'] as const).map((label) =>
    injectionShare(sets, label),
  ) as [Share, Share, Share];
  return table(
    ['goal', 'measured (95 % interval)', ''],
    [
      `AUROC of \`session_risk\` within sets, from a single session, each domain left out: at least ${REQUIRED_AUROC}, aim ${AIMED_AUROC}`,
      estimate(alone),
      (alone.value ?? 0) >= AIMED_AUROC
        ? 'aim reached'
        : atLeast(alone.value, REQUIRED_AUROC, 'required reached, aim missed'),
    ],
    [
      `The same with three other attempts: at least ${AUROC_WITH_ATTEMPTS}`,
      estimate(three),
      atLeast(three.value, AUROC_WITH_ATTEMPTS),
    ],
    [
      `Brier score better than the set's own base rate in ${percent(BELOW_BASE_RATE)} of the sets; otherwise the risk is shown as a rank`,
      `${below.count} of ${below.of} sets`,
      below.count >= BELOW_BASE_RATE * below.of ? 'reached' : 'missed: shown as a rank',
    ],
    [
      'No signal ranks the wrong way in a domain of 100 sessions or more',
      wrong.length === 0 ? 'none' : wrong.map(wrongSignText).join(', '),
      wrong.length === 0 ? 'reached' : 'missed',
    ],
    [
      `Precision of high and critical findings: at least ${percent(PRECISION.high)}`,
      precisionText(severe),
      precisionGoal(severe, PRECISION.high),
    ],
    [
      `Precision of medium findings: at least ${percent(PRECISION.medium)}`,
      precisionText(medium),
      precisionGoal(medium, PRECISION.medium),
    ],
    [
      `Failed sessions with a finding of medium or above, in the sets that no rule was first written on: at least ${percent(FOUND_IN_FAILURES)}`,
      shareText(failures),
      atLeast(rate(failures), FOUND_IN_FAILURES),
    ],
    [
      `Successful sessions with one, in the same sets: at most ${percent(FOUND_IN_SUCCESSES)}`,
      shareText(successes),
      atMost(rate(successes), FOUND_IN_SUCCESSES),
    ],
    [
      `\`injected-instruction\` in successful attacks: at least ${percent(ATTACKS_FOUND)}`,
      shareText(attacks),
      atLeast(rate(attacks), ATTACKS_FOUND),
    ],
    [
      `in resisted attacks: at most ${percent(RESISTED_FOUND)}`,
      shareText(resisted),
      atMost(rate(resisted), RESISTED_FOUND),
    ],
    ['in runs without an attack: none', shareText(clean), atMost(rate(clean), 0)],
  );
}

function wrongSignText({ rule, domain, sessions, z }: WrongSign): string {
  return `\`${rule}\` in ${domain} (${sessions} sessions, ${figure(z, 1)} standard errors)`;
}

function atLeast(value: number | null, goal: number, reached = 'reached'): string {
  if (value === null) return 'not measured';
  return value >= goal ? reached : 'missed';
}

function atMost(value: number | null, goal: number): string {
  if (value === null) return 'not measured';
  return value <= goal ? 'reached' : 'missed';
}

function precisionGoal(
  { judged, true: right }: { readonly judged: number; readonly true: number },
  goal: number,
): string {
  return atLeast(judged === 0 ? null : right / judged, goal);
}

function rate({ count, of }: Share): number | null {
  return of === 0 ? null : count / of;
}

/** What a reader has to know before using a figure. */
function inShort({ samples }: ValidityMeasurements, held: readonly HeldOut[], judged: JudgedState): string {
  const alone = aurocWithin(riskScores(held));
  const three = aurocWithin(withOthers(held, 3));
  const present = precisionOf(
    judged.present.filter(({ severity }) => isProblemLevel(severity) && isAtLeast(severity, 'medium')),
  );
  const precision =
    present.judged === 0
      ? ''
      : `Of the findings of medium severity or above that were judged by hand, ${precisionText(present)} are failures of the agent as they say. `;
  return [
    `- ${precision}Of the sessions that failed, ${shareText(withProblems(samples, true, 'medium'))} have a finding of medium severity or above; of those that succeeded, ${shareText(withProblems(samples, false, 'medium'))}. No finding says little.`,
    `- \`session_risk\` of a single session ranks a session that failed above one that did not with a probability of ${estimate(alone)}, in a domain that nothing was fitted to. ${below(held) ? 'It is a probability there.' : 'It is a rank and not a probability.'}`,
    `- Several attempts of one task tell much more: with three others to compare, the figure is ${estimate(three)}.`,
    '- Your own labelled sessions tell most: `turnwise calibrate risk` fits the weights to them and says what that is worth.',
  ].join('\n');
}

function below(held: readonly HeldOut[]): boolean {
  const { count, of } = setsBelowBaseRate(held);
  return count >= BELOW_BASE_RATE * of;
}

function probabilitySentence(held: readonly HeldOut[]): string {
  const { count, of } = setsBelowBaseRate(held);
  return `The risk predicts better than the set's own base rate, which is known only afterwards, in ${count} of ${of} sets with sessions of both kinds: it ${below(held) ? 'is a probability' : 'ranks sessions, and views show a rank'}.`;
}

/** Counts the failures that rules cannot detect and a model that reads the policy might. */
function unseen(samples: readonly LabelledSample[]): string {
  const failed = samples.filter((sample) => sample.failed);
  const silent = failed.filter(({ findings }) => findings.length === 0);
  const proven = failed.filter(({ findings }) => findings.some(({ severity }) => isProblemLevel(severity)));
  const undone = silent.filter(({ session }) =>
    session.reference?.toolCalls?.some(({ name }) => toolEffect(name, undefined) === 'changes'),
  );
  return `Of the ${failed.length} sessions that failed, rules find problems in ${proven.length}, only report observations in ${failed.length - silent.length - proven.length}, and find nothing in ${silent.length}. In ${undone.length} of these ${silent.length}, the file says that the task required a change. In other sessions refusing is correct, and only the policy tells the difference: here a judge would help most.`;
}

function unjudgedSentence({ unjudged }: JudgedState): string {
  if (unjudged.length === 0) return 'Every finding of the draw is judged.';
  return `Not judged yet: ${pluralize(unjudged.length, 'finding')} of today's rules in the draw.`;
}

function stepSentence(runs: readonly StepLabelledRun[]): string {
  const labels = runs.reduce((sum, { wrong }) => sum + wrong.size, 0);
  const messages = runs.reduce((sum, run) => sum + run.messages, 0);
  return `${runs.length} failed runs, ${messages} messages, ${labels} of them labelled.`;
}
