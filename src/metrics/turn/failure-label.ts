import type { Finding } from '../../core/finding.ts';
import type { Outcome } from '../../core/result.ts';
import { NEEDS_JUDGE, withoutRecord } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import { inSentences } from '../shared/moved-by-findings.ts';

/**
 * The failure labels of one family that the rules proved, the most severe first; where they proved none, a model has
 * to look: that no rule found anything does not mean that nothing is wrong.
 *
 * @param family its labels, the most severe first
 */
export function provenFailures(view: TurnView, family: readonly string[]): Outcome {
  const findings = view.findings
    .filter((finding) => finding.label !== null && family.includes(finding.label))
    .sort((a, b) => rank(family, a) - rank(family, b));
  const labels = [...new Set(findings.flatMap(({ label }) => label ?? []))];
  const [headline] = labels;
  if (headline === undefined) return withoutRecord(view) ?? NEEDS_JUDGE;
  return {
    status: 'scored',
    label: headline,
    labels,
    source: 'rules',
    reason: inSentences(findings),
    evidence: findings.flatMap(({ evidence }) => evidence),
    metadata: { rules: [...new Set(findings.map(({ rule }) => rule))] },
  };
}

function rank(family: readonly string[], { label }: Finding): number {
  return family.indexOf(label ?? '');
}
