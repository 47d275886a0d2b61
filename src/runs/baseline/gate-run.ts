import type { Baseline, BaselineGate, BaselineResult } from '../../core/baseline.ts';
import type { RecordedRun } from '../../core/run-record.ts';
import { listSome } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { adjustForFalseDiscovery } from '../../stats/benjamini-hochberg.ts';
import type { Proportion } from '../../stats/stratified-test.ts';
import { type ComparedColumn, compareColumn, type TaskFiguresPair } from './compare-column.ts';
import { type GateName, type IdentityDifference, identityDifferences, runIdentity, sameJudge } from './identity.ts';
import { matchTasks } from './match-tasks.ts';
import { baselineFigures, runFigures } from './run-figures.ts';
import { settlingAttempts } from './settle.ts';

/** The share of unchanged runs that a gate of the baseline fails, all gates together. */
const FAILS = 0.01;
/** Those that it leaves undecided besides. */
const DOUBTS = 0.05;
/** A drop that one in twenty unchanged gates has is named, and changes no answer. */
const WATCHED = 0.05;

/**
 * How the allowed false alarms are shared out, by a weighted Bonferroni correction: half to whether tasks succeed, which is
 * what a baseline is for; the other half to all other gates, and to labels and rules.
 */
const SHARES = { correct: 0.5, others: 0.25, problems: 0.25 } as const;

export interface GateRunOptions {
  /** As messages name it. */
  readonly file: string;
  /** Today, as in 2026-11-23: quarantines that end before it have ended. */
  readonly today: string;
}

/** What a run answers to a baseline. */
export function gateRun(baseline: Baseline, run: RecordedRun, { file, today }: GateRunOptions): BaselineResult {
  const [before, after] = [baselineFigures(baseline), runFigures(run)];
  const matched = matchTasks(before.tasks, after.tasks);
  const { quarantined, ended } = quarantines(baseline, today);
  const pairs = matched.pairs.filter(({ task }) => !quarantined.some((entry) => entry.task === task));
  const missing = matched.missing.filter((task) => !quarantined.some((entry) => entry.task === task));
  const differences = identityDifferences(
    baseline.identity,
    runIdentity(run.manifest, Object.keys(baseline.identity.metrics)),
    judgedGates(run),
  );
  const lowerIsBetter = new Set(
    run.manifest.plan.metrics.flatMap(({ name, template }) => (template.lowerIsBetter ? [name] : [])),
  );
  const names = gateNames(before.columns, after.columns);
  const compared = names.map((gate) => ({
    gate,
    compared: compareColumn(gate, pairs, lowerIsBetter.has(gate.name)),
    difference: differences.find(({ isAffected }) => isAffected(gate)) ?? null,
  }));
  const planned = new Set(run.manifest.plan.metrics.map(({ name }) => name));
  const isJudgeSame = sameJudge(baseline.identity, runIdentity(run.manifest, []));
  // A metric that runs and has no score does not apply to these sessions, unless its judge is gone.
  const isExpected = ({ name, kind }: GateName) =>
    name === 'correct' ||
    name === 'verdict' ||
    (kind !== 'label' && kind !== 'rule' && !(planned.has(name) && isJudgeSame));
  const gates = decide(compared, isExpected);
  const flaky = flakyTasks(pairs);
  const undecided = [
    ...(pairs.length === 0 ? ['No task of the baseline was evaluated.'] : []),
    ...(pairs.length > 0 && missing.length > 0
      ? [
          `${pluralize(missing.length, 'task')} of the baseline ${missing.length === 1 ? 'was' : 'were'} not evaluated: ${listNames(missing)}.`,
        ]
      : []),
    ...(matched.changed.length > 0
      ? [
          `The users of ${pluralize(matched.changed.length, 'task')} write something else than in the baseline: ${listNames(matched.changed)}. Accept a new baseline.`,
        ]
      : []),
  ];
  const answers = gates.map(({ answer }) => answer);
  const answer = answers.includes('worse')
    ? 'worse'
    : undecided.length > 0 || answers.includes('undecided')
      ? 'undecided'
      : 'not worse';
  return {
    file,
    run: baseline.run.id,
    accepted: baseline.accepted,
    answer,
    gates,
    tasks: taskFindings(gates, compared, flaky),
    flaky: Array.from(flaky, ([task, { passed, of }]) => ({ task, before: [passed, of] as const })),
    quarantined: quarantined.filter(({ task }) => before.tasks.has(task)),
    missing,
    added: matched.added,
    undecided,
    notes: [
      ...ended.map(
        ({ task, until, reason }) => `The quarantine of ${task} ended on ${until}, so it counts again (${reason}).`,
      ),
      ...(matched.renamed.length > 0
        ? [
            `${pluralize(matched.renamed.length, 'task')} with another name ${matched.renamed.length === 1 ? 'was' : 'were'} recognized by what the user writes.`,
          ]
        : []),
    ],
  };
}

const NAMED = 3;

function listNames(names: readonly string[]): string {
  return listSome(names, NAMED, 2);
}

function quarantines({ quarantine = {} }: Baseline, today: string) {
  const all = Object.entries(quarantine).map(([task, { until, reason }]) => ({ task, until, reason }));
  return { quarantined: all.filter(({ until }) => until >= today), ended: all.filter(({ until }) => until < today) };
}

/** Gates whose values rest on answers of a judge. */
function judgedGates({ rows }: RecordedRun): Set<string> {
  const judged = new Set(rows.flatMap((row) => row.judged));
  if (rows.some(({ outcome }) => outcome.source === 'judge')) judged.add('correct');
  return judged;
}

/** Of labels and rules, also those that only one of both has: none is a count of 0. */
function gateNames(before: Baseline['columns'], after: Baseline['columns']): GateName[] {
  const of = (kind: GateName['kind'], names: readonly string[]) => names.map((name): GateName => ({ name, kind }));
  return [
    ...of('passed', before.passed),
    ...of('mean', before.means),
    ...of('label', [...new Set([...before.labels, ...after.labels])].sort()),
    ...of('rule', [...new Set([...before.rules, ...after.rules])].sort()),
  ];
}

interface Comparison {
  readonly gate: GateName;
  readonly compared: ComparedColumn;
  readonly difference: IdentityDifference | null;
}

/**
 * Gives each gate its answer, by p values adjusted to all of them.
 *
 * @param isExpected whether it is a fault that a figure of the baseline is missing in the run
 */
function decide(comparisons: readonly Comparison[], isExpected: (gate: GateName) => boolean): BaselineGate[] {
  const testable = comparisons.filter(({ compared: { p }, difference }) => p !== null && difference === null);
  const ofKind = (kinds: readonly GateName['kind'][]) => testable.filter(({ gate }) => kinds.includes(gate.kind));
  const correct = testable.filter(({ gate }) => gate.name === 'correct' && gate.kind === 'passed');
  const others = ofKind(['passed', 'mean']).filter((comparison) => !correct.includes(comparison));
  const problems = ofKind(['label', 'rule']);
  const total =
    (correct.length > 0 ? SHARES.correct : 0) +
    (others.length > 0 ? SHARES.others : 0) +
    (problems.length > 0 ? SHARES.problems : 0);
  const shares = new Map<Comparison, number>([
    ...correct.map((comparison): [Comparison, number] => [comparison, SHARES.correct / total]),
    ...others.map((comparison): [Comparison, number] => [comparison, SHARES.others / total / others.length]),
    ...problems.map((comparison): [Comparison, number] => [comparison, SHARES.problems / total]),
  ]);
  const discoveries = adjustForFalseDiscovery(problems.map(({ compared }) => compared.p ?? 1));
  return comparisons.flatMap((comparison): BaselineGate[] => {
    const { gate, compared, difference } = comparison;
    const isProblem = gate.kind === 'label' || gate.kind === 'rule';
    const figures = { ...gate, before: compared.before, after: compared.after, tasks: compared.tasks };
    const open = { ...figures, answer: 'undecided', finding: null, p: null, pAdjusted: null, settle: null } as const;
    if (difference) return [{ ...open, reason: `The baseline cannot be compared: ${difference.reason}.` }];
    const share = shares.get(comparison);
    if (compared.p === null || share === undefined) {
      return compared.isInBaseline && isExpected(gate)
        ? [{ ...open, reason: 'Nothing of it was computed in this run.' }]
        : [];
    }
    const raw = isProblem ? (discoveries[problems.indexOf(comparison)] ?? 1) : compared.p;
    const pAdjusted = Math.min(1, raw / share);
    const finding =
      pAdjusted <= FAILS ? 'regression' : pAdjusted <= DOUBTS ? 'likely' : compared.p <= WATCHED ? 'watch' : null;
    // A label or rule that did not become more frequent is no gate of interest to anybody.
    if (isProblem && finding === null) return [];
    // A mean of few changed tasks cannot fall beyond chance; whether tasks pass still counts.
    if (gate.kind === 'mean' && !compared.isSame && compared.smallest() / share > FAILS) return [];
    const isBlind = !isProblem && finding !== 'regression' && compared.hasFallen && compared.smallest() / share > FAILS;
    const answer = finding === 'regression' ? 'worse' : finding === 'likely' || isBlind ? 'undecided' : 'not worse';
    const settle = answer === 'undecided' ? settlingAttempts(compared, FAILS * share) : null;
    return [
      {
        ...figures,
        answer,
        finding,
        p: compared.p,
        pAdjusted,
        settle,
        reason: describe(figures, { finding, isBlind, settle }),
      },
    ];
  });
}

interface Judgement {
  readonly finding: BaselineGate['finding'];
  /** Even if nothing passed any more, so few attempts would not prove it. */
  readonly isBlind: boolean;
  readonly settle: BaselineGate['settle'];
}

type Figures = Pick<BaselineGate, 'name' | 'kind' | 'before' | 'after' | 'tasks'>;

function describe({ kind, before, after, tasks }: Figures, { finding, isBlind, settle }: Judgement): string {
  const change = `${figureText(before, kind)} in the baseline, ${figureText(after, kind)} now, in ${pluralize(tasks, 'task')}`;
  const remedy = settle
    ? ` ${pluralize(settle.attempts, 'more attempt')} of ${settle.tasks.length === 1 ? listNames(settle.tasks) : `${settle.tasks.length} tasks (${listNames(settle.tasks)})`} would settle it if they end like these.`
    : '';
  if (finding === 'regression') return `${change}: beyond chance.`;
  if (finding === 'likely') return `${change}: likely, and not yet beyond chance.${remedy}`;
  if (isBlind) return `${change}: too few attempts to tell it from chance.${remedy}`;
  if (finding === 'watch') return `${change}: to watch. Among so many gates, chance explains it.`;
  return `${change}.`;
}

function figureText(figure: BaselineGate['before'], kind: BaselineGate['kind']): string {
  if (figure === null) return 'nothing';
  if (figure.count === undefined) return figure.value.toFixed(3);
  const what = kind === 'passed' ? '' : ' with it';
  return `${figure.count} of ${figure.of}${what} (${(100 * figure.value).toFixed(1)} %)`;
}

/** Tasks whose attempts in the baseline disagree. */
function flakyTasks(pairs: readonly TaskFiguresPair[]): Map<string, Proportion> {
  const flaky = new Map<string, Proportion>();
  for (const { task, before } of pairs) {
    const own = [before.passed.correct, before.passed.verdict].find(
      (value) => value && value.passed > 0 && value.passed < value.of,
    );
    if (own) flaky.set(task, own);
  }
  return flaky;
}

const ORDER = ['regression', 'likely', 'watch'] as const;

/**
 * The tasks that fell, by a test of their own. In a gate that is worse, those that one in twenty unchanged tasks resembles are
 * part of it; elsewhere they are likely or to be watched as their gate is.
 */
function taskFindings(
  gates: readonly BaselineGate[],
  comparisons: readonly Comparison[],
  flaky: ReadonlyMap<string, Proportion>,
): BaselineResult['tasks'] {
  const findings = gates.flatMap(({ name, kind, finding }) => {
    if (kind !== 'passed') return [];
    const column = comparisons.find(({ gate }) => gate.name === name && gate.kind === kind)?.compared;
    return (column?.strata ?? []).flatMap(({ task, before, after, p }) =>
      p > WATCHED
        ? []
        : [
            {
              task,
              gate: name,
              finding: finding ?? ('watch' as const),
              flaky: flaky.has(task),
              before: [before.passed, before.of] as const,
              after: [after.passed, after.of] as const,
              p,
            },
          ],
    );
  });
  return findings.sort((a, b) => ORDER.indexOf(a.finding) - ORDER.indexOf(b.finding) || a.p - b.p);
}
