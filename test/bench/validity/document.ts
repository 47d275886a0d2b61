import type { Finding } from '../../../src/core/finding.ts';
import { isAtLeast, isProblemLevel } from '../../../src/core/severity.ts';
import { sigmoid } from '../../../src/metrics/shared/logistic.ts';
import { RISK_COEFFICIENTS } from '../../../src/metrics/shared/risk-coefficients.ts';
import { MIN_SAMPLES, WEIGHT_SD } from '../../../src/metrics/shared/risk-fit.ts';
import { DRAWS } from '../../../src/metrics/shared/statistics.ts';
import { toolEffect } from '../../../src/rules/shared/tool-effect.ts';
import { countTable } from './counts.ts';
import {
  aurocOf,
  type CrossValidationFold,
  crossValidate,
  DIVISIONS,
  difference,
  type Estimate,
  FOLDS,
} from './cross-validation.ts';
import { datasets, type LabelledSession } from './labelled-sessions.ts';
import { estimate, figure, percent, percentRange, table } from './markdown.ts';
import { codeTable, codingTable, falseAlarms, outcomesByRule, silentRules, stepTable } from './rule-tables.ts';
import {
  aurocTable,
  brier,
  calibrationTable,
  callsIn,
  changesIn,
  differenceTable,
  type OtherScoresBySession,
  RISK,
  robustness,
} from './score-tables.ts';
import type { CodingRun, StepLabelledRun } from './step-labels.ts';
import type { CodedTree } from './tool-codes.ts';

/** The measurements in the document. */
export interface ValidityMeasurements {
  readonly sessions: readonly LabelledSession[];
  readonly others: OtherScoresBySession;
  readonly retail: readonly StepLabelledRun[];
  readonly magentic: readonly StepLabelledRun[];
  readonly whoAndWhen: readonly StepLabelledRun[];
  readonly trees: readonly CodedTree[];
  readonly coding: readonly CodingRun[];
}

/** `docs/validity.md`. */
export function renderDocument(measured: ValidityMeasurements): string {
  const { sessions, others } = measured;
  const folds = crossValidate(sessions);
  const coefficients = RISK_COEFFICIENTS;
  return `${[
    '# Validity',
    'How reliable the rules and the scores based on them are, measured on public labelled data. Written by `npm run bench:validity`; weak results are published too. No model was called, and the only reference is the outcome itself.',
    '## Targets and results',
    aims(measured, folds),
    afterwards(sessions),
    unseen(sessions),
    '## The data',
    dataTable(sessions),
    `A session failed when its reward is below 1: the benchmark compares the state of its database, and sometimes the answers, with what the task requires. Sessions are divided into ${FOLDS} folds by family of tasks, never by session: sessions belong to one family if they are attempts of one task, or if their calls, made or expected, name the same account or record. tau2-bench contains the airline tasks of tau-bench under other numbers, and both vary some tasks: families ensure that no fold is tested on a task whose twin it was fitted on. The coefficients are refitted for each fold, on the other folds. The assignment of tasks to folds changes a figure by several points, so the division is drawn ${DIVISIONS} times, and a figure is the mean over all folds of all divisions. Its 95 % interval comes from ${DRAWS.toLocaleString('en')} draws of whole families with replacement, with fixed fitted coefficients: it shows how much the figure depends on the tasks, not how much the fit does.`,
    'The failed runs of AgentRx (tau-bench retail) have human labels of their failure steps, which are used below. They are not used for fitting: because every run failed, a rule with more findings in this kind of session than in the others would look like a sign of failure.',
    '## Scores and failure',
    'AUROC: the probability that a session that failed is ranked above one that did not; 0.5 is chance. Over all sessions, a figure can also benefit from distinguishing the data sets, because their agents fail at different rates; "within each data set" compares only sessions of one data set and is the stricter figure.',
    aurocTable(folds, others),
    differenceTable(folds, others),
    'The figure of `session_risk` for single divisions into folds (mean, lowest and highest):',
    robustness(folds),
    '### Is the risk a probability?',
    'Held out, over all sessions:',
    calibrationTable(folds),
    'A low risk guarantees nothing: the sessions mentioned above, in which the task required a change, the agent changed nothing and no rule found anything, have the lowest risk.',
    brierSentence(folds),
    `## Rules and outcomes`,
    `${sessions.length} sessions; ${percent(share(sessions, ({ failed }) => !failed))} succeeded. Sessions of one task are not independent evidence: the intervals (Wilson) are too narrow for rules with few tasks. The weight is what the rule adds to the log-odds of failure in \`session_risk\`; rules without one have findings in fewer than ${MIN_SAMPLES} sessions and count by their severity.`,
    outcomesByRule(sessions, coefficients),
    silentRules(sessions),
    ...datasets()
      .slice(0, 2)
      .flatMap((name) => {
        const ofSet = sessions.filter(({ dataset }) => dataset === name);
        return [
          `### ${name}`,
          `${ofSet.length} sessions; ${percent(share(ofSet, ({ failed }) => !failed))} succeeded.`,
          outcomesByRule(ofSet, coefficients),
        ];
      }),
    '## Counts that no rule reports',
    `Other counts that might indicate a failed session, as AUROC of the plain count. They were examined to find candidates for rules. The best of many counts looks better than it is; a count that is informative in one data set and not in the other reflects the data set.`,
    countTable(folds),
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
    '## Coding agents',
    `mini-swe-agent, ${measured.coding.length} runs; ${measured.coding.filter(({ resolved }) => resolved).length} resolved their issue: too few for figures. Rules with findings:`,
    codingTable(measured.coding),
    '## How the risk is computed',
    `risk = sigmoid(intercept + Σ weight × log2(1 + n)), over the rules with findings, where n is the number of findings, at most 7. No weight is negative, so no finding lowers the risk; the contribution of each term is reported in proportion to its part of the log-odds. The weights are fitted by logistic regression (\`npm run calibrate:risk\` writes [the coefficients](../src/metrics/shared/risk-coefficients.ts)), each with a normal prior with a standard deviation of ${WEIGHT_SD} around the weight of its rule's severity. The severity weights are set manually: a low finding multiplies the odds of failure by 1.25, a medium one by 2, a high one by 5, a critical one by 50, an observation by 1. Only they count for rules with findings in fewer than ${MIN_SAMPLES} sessions.`,
    'Signals from a judge, a real embedder or the file (`confidence`, `tool_correctness`, `loop_detection`, `coherence`) add a term each, with weights set manually: the lowest score of a signal weighs as much as a high finding. No public data contains both these signals and an outcome, so they are marked as not calibrated. `loop_detection` with the built-in embedder is not a term; the table above shows its effect.',
    '`turn_risk` is the highest risk of a single finding or signal of the turn: (risk with it alone - base) / (1 - base), the share of sessions that fail with it, among those that would not have failed anyway.',
    '## Limitations',
    [
      `- The base, ${figure(sigmoid(coefficients.intercept), 2)}, is how often agents of these benchmarks fail when nothing is found. It depends on the difficulty of the tasks as much as on what the rules miss. Another agent with other users has another base; there the risk ranks sessions and is not a probability.`,
      '- All outcomes come from customer service by text, most of them from one airline; whether the weights apply to other work is unknown. Coding agents fail in ways that show only when their code runs.',
      '- The rules and their word lists were written by people who had read some of these sessions. Held-out tasks guard against fitted weights, not against that.',
    ].join('\n'),
  ].join('\n\n')}\n`;
}

const AIM = 0.72;
const MOST_ALARMS = 0.15;

function aims({ sessions, others }: ValidityMeasurements, folds: readonly CrossValidationFold[]): string {
  const risk = aurocOf(folds, RISK);
  const alarms = falseAlarms(sessions);
  const above = (name: string, estimated: Estimate): string[] => [
    `\`session_risk\` above the ${name}`,
    estimate(estimated),
    (estimated.value ?? 0) > 0
      ? (estimated.interval?.[0] ?? 0) > 0
        ? 'reached'
        : 'reached, but possibly by chance'
      : 'missed',
  ];
  const upper = Math.max(alarms.interval?.[1] ?? 1, alarms.byTask?.[1] ?? 1);
  return [
    table(
      ['target, on tasks not used for fitting', 'measured (95 % interval)', ''],
      [
        `AUROC of \`session_risk\` at least ${AIM} in customer-service sessions`,
        estimate(risk),
        reached((risk.value ?? 0) - AIM),
      ],
      above('number of state-changing calls', difference(folds, RISK, changesIn(others))),
      above('number of calls', difference(folds, RISK, callsIn(others))),
      [
        `Successful sessions with a finding of high or above: upper bound at most ${percent(MOST_ALARMS)}`,
        `${alarms.alarmed} of ${alarms.sessions}: ${percentRange(alarms.interval)}, by task ${percentRange(alarms.byTask)}`,
        upper <= MOST_ALARMS ? 'reached' : `missed by ${percent(upper - MOST_ALARMS)}`,
      ],
    ),
    alarms.rules.length === 0 ? '' : `Those findings are of ${alarms.rules.map((rule) => `\`${rule}\``).join(', ')}.`,
    anyFailure(sessions),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Puts the share of false alarms into context: how often the rules report failures at all. */
function anyFailure(sessions: readonly LabelledSession[]): string {
  const speaking = (failed: boolean, grave: boolean) => {
    const ofKind = sessions.filter((session) => session.failed === failed);
    const alarmed = ofKind.filter(({ findings }) =>
      findings.some(({ severity }) => isProblemLevel(severity) && (!grave || isAtLeast(severity, 'high'))),
    );
    return `${alarmed.length} of ${ofKind.length}`;
  };
  return `This is a statement about false alarms only: of the sessions that failed, ${speaking(true, true)} have a finding of high or above. With failures of any severity it is ${speaking(false, false)} of the successful and ${speaking(true, false)} of the failed sessions.`;
}

/** Counts the failures that rules cannot detect and a model that reads the policy might. */
function unseen(sessions: readonly LabelledSession[]): string {
  const failed = sessions.filter((session) => session.failed);
  const silent = failed.filter(({ findings }) => findings.length === 0);
  const observed = failed.filter(({ findings }) => findings.length > 0 && !findings.some(isProven));
  const undone = silent.filter(({ session }) =>
    session.reference?.toolCalls?.some(({ name }) => toolEffect(name, undefined) === 'changes'),
  );
  return `Of the ${failed.length} sessions that failed, rules prove a failure in ${failed.length - silent.length - observed.length}, only report observations in ${observed.length}, and find nothing in ${silent.length}. In ${undone.length} of these ${silent.length} the task required a change and the agent changed nothing. In other sessions refusing is correct, and only the policy tells the difference: here a judge would help most.`;
}

/** Rules that were added after examining the counts in these same sessions. */
const AFTERWARDS = ['selection-from-search', 'amount-stated'];

function afterwards(sessions: readonly LabelledSession[]): string {
  const before = sessions.map((session) => ({
    ...session,
    findings: session.findings.filter(({ rule }) => !AFTERWARDS.includes(rule)),
  }));
  const names = AFTERWARDS.map((rule) => `\`${rule}\``).join(' and ');
  return `These figures are optimistic. ${names} were added after the counts below had been examined in these same sessions, and held-out tasks do not compensate for that: without these rules, \`session_risk\` reaches ${estimate(aurocOf(crossValidate(before), RISK))}. Only unseen data can settle it.`;
}

function isProven({ severity }: Finding): boolean {
  return isProblemLevel(severity);
}

function reached(margin: number): string {
  if (margin >= 0) return 'reached';
  return margin > -0.001 ? 'missed by less than 0.001' : `missed by ${figure(-margin)}`;
}

function dataTable(sessions: readonly LabelledSession[]): string {
  const rows = datasets().map((name) => {
    const ofSet = sessions.filter(({ dataset }) => dataset === name);
    const families = new Set(ofSet.map(({ family }) => family)).size;
    return [name, String(ofSet.length), String(families), percent(share(ofSet, ({ failed }) => failed))];
  });
  const families = new Set(sessions.map(({ family }) => family)).size;
  return table(['data set', 'sessions', 'families of tasks', 'failed'], ...rows, [
    'all',
    String(sessions.length),
    String(families),
    percent(share(sessions, ({ failed }) => failed)),
  ]);
}

function share<Item>(items: readonly Item[], is: (item: Item) => boolean): number | null {
  return items.length === 0 ? null : items.filter(is).length / items.length;
}

function brierSentence(folds: readonly CrossValidationFold[]): string {
  const { risk, baseRate } = brier(folds);
  return `Brier score ${figure(risk)}, against ${figure(baseRate)} for always predicting the base rate (lower is better).`;
}

function stepSentence(runs: readonly StepLabelledRun[]): string {
  const labels = runs.reduce((sum, { wrong }) => sum + wrong.size, 0);
  const messages = runs.reduce((sum, run) => sum + run.messages, 0);
  return `${runs.length} failed runs, ${messages} messages, ${labels} of them labelled.`;
}
