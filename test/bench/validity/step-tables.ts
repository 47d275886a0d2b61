import type { Finding } from '../../../src/core/finding.ts';
import { isProblemLevel } from '../../../src/core/severity.ts';
import { RULES } from '../../../src/rules/index.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { percent, percentRange, table } from './markdown.ts';
import { type StepLabelledRun, stepAgreement } from './step-labels.ts';
import { type CodedTree, codesNamed, FAULTS } from './tool-codes.ts';

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
        percentRange(wilsonInterval(right, findings)),
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
