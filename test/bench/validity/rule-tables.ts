import type { Finding } from '../../../src/core/finding.ts';
import { isAtLeast, isProblemLevel } from '../../../src/core/severity.ts';
import type { RiskCoefficients } from '../../../src/metrics/shared/risk-model.ts';
import { clusterBootstrap, wilson } from '../../../src/metrics/shared/statistics.ts';
import { RULES } from '../../../src/rules/index.ts';
import type { LabelledSession } from './labelled-sessions.ts';
import { figure, percent, percentRange, table } from './markdown.ts';
import { type CodingRun, type StepLabelledRun, stepAgreement } from './step-labels.ts';
import { type CodedTree, codesNamed, FAULTS } from './tool-codes.ts';

/** How often each rule speaks, and how the sessions end in which it does. */
export function outcomesByRule(sessions: readonly LabelledSession[], { weights }: RiskCoefficients): string {
  const rows = RULES.map(({ id, severity }) => {
    const fired = sessions.filter(({ findings }) => findings.some(({ rule }) => rule === id));
    const passed = fired.filter(({ failed }) => !failed).length;
    return {
      fired: fired.length,
      cells: [
        `\`${id}\``,
        severity,
        String(fired.length),
        String(new Set(fired.map(({ family }) => family)).size),
        fired.length === 0 ? '–' : percent(passed / fired.length),
        percentRange(wilson(passed, fired.length)),
        Object.hasOwn(weights, id) ? figure(weights[id] ?? null, 2) : '–',
      ],
    };
  });
  const spoke = rows.filter(({ fired }) => fired > 0).sort((a, b) => b.fired - a.fired);
  return table(
    ['rule', 'severity', 'sessions', 'tasks', 'succeeded', '95 % interval', 'weight'],
    ...spoke.map(({ cells }) => cells),
  );
}

/** The rules that find nothing in any of the sessions, which proves neither for nor against them. */
export function silentRules(sessions: readonly LabelledSession[]): string {
  const spoke = new Set(sessions.flatMap(({ findings }) => findings.map(({ rule }) => rule)));
  const silent = RULES.filter(({ id }) => !spoke.has(id));
  return `No findings in any session: ${silent.length === 0 ? 'none' : silent.map(({ id }) => `\`${id}\``).join(', ')}.`;
}

/** How often sessions that succeeded are told that something grave is wrong. */
export interface FalseAlarms {
  readonly sessions: number;
  readonly alarmed: number;
  readonly interval: readonly [low: number, high: number] | null;
  /** Over resampled families of tasks, whose sessions are no independent evidence. */
  readonly byTask: readonly [low: number, high: number] | null;
  readonly rules: readonly string[];
}

export function falseAlarms(sessions: readonly LabelledSession[]): FalseAlarms {
  const passed = sessions.filter(({ failed }) => !failed);
  const isAlarmed = ({ findings }: LabelledSession) => findings.some(isGrave);
  const alarmed = passed.filter(isAlarmed);
  const families = [...Map.groupBy(passed, ({ family }) => family).values()];
  return {
    sessions: passed.length,
    alarmed: alarmed.length,
    interval: wilson(alarmed.length, passed.length),
    byTask: clusterBootstrap(families, (drawn) => drawn.filter(isAlarmed).length / drawn.length),
    rules: [...new Set(alarmed.flatMap(({ findings }) => findings.filter(isGrave).map(({ rule }) => rule)))],
  };
}

function isGrave({ severity }: Finding): boolean {
  return isProblemLevel(severity) && isAtLeast(severity, 'high');
}

/** Whether findings stand at the messages in which people saw a mistake. */
export function stepTable(runs: readonly StepLabelledRun[]): string {
  const row = (name: string, rules: (finding: Finding) => boolean): string[][] => {
    const { findings, right, named, labels, chance } = stepAgreement(runs, rules);
    if (findings === 0) return [];
    return [
      [
        name,
        String(findings),
        `${right} (${percent(right / findings)})`,
        percentRange(wilson(right, findings)),
        `${named} of ${labels} (${percent(named / labels)})`,
        percent(chance),
      ],
    ];
  };
  if (runs.every(({ findings }) => findings.length === 0)) return 'No rule has findings in these runs.';
  return table(
    ['rule', 'findings', 'right: precision', '95 % interval', 'labels named: recall', 'by chance'],
    ...RULES.flatMap(({ id }) => row(`\`${id}\``, ({ rule }) => rule === id)),
    ...row('all failures', ({ severity }) => isProblemLevel(severity)),
    ...row('all failures and observations', () => true),
  );
}

/** Whether findings stand at the calls that ToolBench marks as faulty. */
export function codeTable(trees: readonly CodedTree[]): string {
  const isFault = (code: number) => Object.hasOwn(FAULTS, code);
  const faults = trees.flatMap(({ codes }) => [...codes.values()]).filter(isFault).length;
  const rows = RULES.flatMap(({ id }) => {
    const codes = trees.flatMap((tree) =>
      codesNamed(
        tree,
        tree.findings.filter(({ rule }) => rule === id),
      ),
    );
    if (codes.length === 0) return [];
    const right = codes.filter(isFault).length;
    return [
      [
        `\`${id}\``,
        String(codes.length),
        `${right} (${percent(right / codes.length)})`,
        `${right} of ${faults} (${percent(right / faults)})`,
      ],
    ];
  });
  return table(['rule', 'calls named', 'with a fault: precision', 'faults named: recall'], ...rows);
}

/** Which rules speak in runs of a coding agent, by whether the task was solved. */
export function codingTable(runs: readonly CodingRun[]): string {
  const rows = RULES.flatMap(({ id }) => {
    const fired = runs.filter(({ findings }) => findings.some(({ rule }) => rule === id));
    const resolved = fired.filter((run) => run.resolved).length;
    return fired.length === 0
      ? []
      : [[`\`${id}\``, `${fired.length} of ${runs.length}`, `${resolved} of ${fired.length}`]];
  });
  return rows.length === 0
    ? 'No rule has findings in these runs.'
    : table(['rule', 'runs', 'of these resolved'], ...rows);
}
