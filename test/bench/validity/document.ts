import type { Finding } from '../../../src/core/finding.ts';
import { isAtLeast, isProblemLevel } from '../../../src/core/severity.ts';
import { sigmoid } from '../../../src/metrics/shared/risk-model.ts';
import { toolEffect } from '../../../src/rules/shared/tool-effect.ts';
import { FEWEST_SESSIONS, PRIOR_SD } from './calibration.ts';
import { shippedCoefficients } from './coefficients-file.ts';
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
import { DRAWS } from './statistics.ts';
import type { CodingRun, StepLabelledRun } from './step-labels.ts';
import type { CodedTree } from './tool-codes.ts';

/** All that the document is made of. */
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
  const held = crossValidate(sessions);
  const coefficients = shippedCoefficients(sessions);
  return `${[
    '# Validity',
    'How far the rules and the scores made of them can be trusted, measured on public data with labels. Written by `npm run bench:validity`; weak figures stand here like strong ones. No model was asked, and no reference was used but the outcome itself.',
    '## Aims, and what was reached',
    aims(measured, held),
    afterwards(sessions),
    unseen(sessions),
    '## The data',
    dataTable(sessions),
    `A session failed when its reward is below 1: the benchmark compares the state of its database, and sometimes the answers, with what the task wanted. Sessions are put into ${FOLDS} folds by family of tasks, never by session: sessions are of one family when they are attempts of one task, or when their calls, done or expected, name the same account or record. tau2-bench took over the airline tasks of tau-bench under other numbers, and both vary some tasks: that way no fold is asked about a task whose twin it was fitted on. The coefficients are refitted for each fold, on the others. Into which fold a task falls moves a figure by several points, so the division is drawn ${DIVISIONS} times, and a figure is the mean over all folds of all divisions. Its 95 % interval comes from ${DRAWS.toLocaleString('en')} draws of whole families with replacement, with the fitted coefficients kept: it tells how much the figure depends on the tasks, and not how much the fit does.`,
    'The failed runs of AgentRx (tau-bench retail) have human labels of their failure steps, which are used below. They are not used for fitting: where every run failed, a rule that speaks more often in this kind of session than in the others would look like a sign of failure.',
    '## Scores against failure',
    'AUROC: the probability that a session that failed is ranked above one that did not; 0.5 is chance. Over all sessions a figure may also earn from telling the data sets apart, since their agents fail at different rates; "within each data set" compares only sessions of one data set, and is the stricter figure.',
    aurocTable(held, others),
    differenceTable(held, others),
    'The figure of `session_risk` for single divisions into folds (mean, lowest and highest), and with priors of different strength:',
    robustness(sessions),
    '### Is the risk a probability?',
    'Held out, over all sessions:',
    calibrationTable(held),
    'A low risk is no promise: the sessions told of above, in which something was wanted, nothing was done and nothing could be found, have the lowest.',
    brierSentence(held),
    `## Rules against the outcome`,
    `${sessions.length} sessions; ${percent(share(sessions, ({ failed }) => !failed))} succeeded. Sessions of one task are no independent evidence: the intervals (Wilson) are too narrow where few tasks are behind them. The weight is what the rule adds to the log-odds of failure in \`session_risk\`; rules without one spoke in fewer than ${FEWEST_SESSIONS} sessions and count by their severity.`,
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
    `What else might tell a session that failed, as AUROC of the bare count. It was looked at to find rules worth writing. The best of many counts looks better than it is; where a count tells something in one data set and nothing in the other, it is the data set that speaks.`,
    countTable(held),
    '## Rules against labelled steps',
    'A finding is right when its place, or a call that it names, is a labelled message or the one before or after it (a call and its result are two messages). People labelled the steps in which they saw the cause of the failure, so a true finding beside the cause counts as wrong here. "By chance" is the share of all messages that would be right.',
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
    'ToolBench gives each call a code. Faults are: no such function, timeout, error of the API. A code of 0 only says that the API answered; its answer may well be an error in words, which the rules read and the code does not know.',
    codeTable(measured.trees),
    '## Coding agents',
    `mini-swe-agent, ${measured.coding.length} runs; ${measured.coding.filter(({ resolved }) => resolved).length} resolved their issue: too few for figures. Which rules speak:`,
    codingTable(measured.coding),
    '## How the risk is made',
    `risk = sigmoid(intercept + Σ weight × log2(1 + n)), over the rules that found something, n times each, at most 7. No weight is negative, so no finding lowers the risk; what a finding adds is told term by term, in proportion to its part of the log-odds. The weights are fitted by logistic regression (\`npm run calibrate:risk\` writes [the coefficients](../src/metrics/shared/risk-coefficients.ts)), each drawn by a normal prior with a standard deviation of ${PRIOR_SD} towards the weight of its rule's severity. Those are set by judgement: a low finding multiplies the odds of failure by 1.25, a medium one by 2, a high one by 5, a critical one by 50, an observation by 1. They alone count where a rule spoke in fewer than ${FEWEST_SESSIONS} sessions.`,
    'Signals that a judge, a real embedder or the file gave (`confidence`, `tool_correctness`, `loop_detection`, `coherence`) add a term each by judgement: at its worst a signal weighs as a high finding does. No public data has them beside an outcome, so they are marked as not calibrated. `loop_detection` by the built-in embedder is no term; the table above shows what it would do.',
    '`turn_risk` is the highest of what the findings and signals of the turn say by themselves: (risk with it alone - base) / (1 - base), the share of sessions, of those that would not have failed anyway, that fail with it.',
    '## What this does not tell',
    [
      `- The base, ${figure(sigmoid(coefficients.intercept), 2)}, is how often agents of these benchmarks fail when nothing is found. It tells how hard the tasks are as much as what the rules miss; another agent with other users has another base, and then the risk ranks and does not count.`,
      '- All outcomes are of customer service by text, most of them of one airline; whether the weights hold for other work is not known. Coding agents fail in ways that only running their code shows.',
      '- The rules and their word lists were written by people who had read some of these sessions. Held-out tasks guard against fitted weights, not against that.',
    ].join('\n'),
  ].join('\n\n')}\n`;
}

const AIM = 0.72;
const MOST_ALARMS = 0.15;

function aims({ sessions, others }: ValidityMeasurements, held: readonly CrossValidationFold[]): string {
  const risk = aurocOf(held, RISK);
  const alarms = falseAlarms(sessions);
  const above = (name: string, estimated: Estimate): string[] => [
    `\`session_risk\` above the ${name}`,
    estimate(estimated),
    (estimated.value ?? 0) > 0
      ? (estimated.interval?.[0] ?? 0) > 0
        ? 'reached'
        : 'reached, though chance may explain it'
      : 'missed',
  ];
  const upper = Math.max(alarms.interval?.[1] ?? 1, alarms.byTask?.[1] ?? 1);
  return [
    table(
      ['aim, on tasks not used for fitting', 'measured (95 % interval)', ''],
      [
        `AUROC of \`session_risk\` at least ${AIM} in customer-service sessions`,
        estimate(risk),
        reached((risk.value ?? 0) - AIM),
      ],
      above('number of state-changing calls', difference(held, RISK, changesIn(others))),
      above('number of calls', difference(held, RISK, callsIn(others))),
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

/** What the share of false alarms is worth: how often the rules speak of failures at all. */
function anyFailure(sessions: readonly LabelledSession[]): string {
  const speaking = (failed: boolean, grave: boolean) => {
    const ofKind = sessions.filter((one) => one.failed === failed);
    const told = ofKind.filter(({ findings }) =>
      findings.some(({ severity }) => isProblemLevel(severity) && (!grave || isAtLeast(severity, 'high'))),
    );
    return `${told.length} of ${ofKind.length}`;
  };
  return `That is a statement about false alarms and no more: of the sessions that failed, ${speaking(true, true)} have a finding of high or above. With failures of any severity it is ${speaking(false, false)} of the successful and ${speaking(true, false)} of the failed sessions.`;
}

/** How many failures the rules are blind to: what they leave for a model that reads the policy. */
function unseen(sessions: readonly LabelledSession[]): string {
  const failed = sessions.filter((one) => one.failed);
  const silent = failed.filter(({ findings }) => findings.length === 0);
  const observed = failed.filter(({ findings }) => findings.length > 0 && !findings.some(isProven));
  const undone = silent.filter(({ session }) =>
    session.reference?.toolCalls?.some(({ name }) => toolEffect(name, undefined) === 'changes'),
  );
  return `Of the ${failed.length} sessions that failed, the rules prove a failure in ${failed.length - silent.length - observed.length}, only observe something in ${observed.length}, and find nothing at all in ${silent.length}. In ${undone.length} of these ${silent.length} the task wanted something changed and the agent changed nothing. Refusing is right in other sessions, and only who knows the policy can tell: that is where a judge would add most.`;
}

/** Rules that were thought of when the counts had been looked at, in these very sessions. */
const AFTERWARDS = ['selection-from-search', 'amount-stated'];

function afterwards(sessions: readonly LabelledSession[]): string {
  const before = sessions.map((one) => ({
    ...one,
    findings: one.findings.filter(({ rule }) => !AFTERWARDS.includes(rule)),
  }));
  const names = AFTERWARDS.map((rule) => `\`${rule}\``).join(' and ');
  return `These figures flatter. ${names} were added after the counts below had been looked at in these very sessions, and held-out tasks do not make up for that: without the two, \`session_risk\` reaches ${estimate(aurocOf(crossValidate(before), RISK))}. What would settle it is data that nobody here has seen.`;
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

function brierSentence(held: readonly CrossValidationFold[]): string {
  const { risk, baseRate } = brier(held);
  return `Brier score ${figure(risk)}, against ${figure(baseRate)} of always saying the base rate (lower is better).`;
}

function stepSentence(runs: readonly StepLabelledRun[]): string {
  const labels = runs.reduce((sum, { wrong }) => sum + wrong.size, 0);
  const messages = runs.reduce((sum, run) => sum + run.messages, 0);
  return `${runs.length} failed runs, ${messages} messages, ${labels} of them labelled.`;
}
