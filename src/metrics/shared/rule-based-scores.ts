import type { Finding } from '../../core/finding.ts';
import type { Metadata, MetricOutcome } from '../../core/result.ts';
import type { Step } from '../../core/session.ts';
import { isProblemLevel } from '../../core/severity.ts';
import { RULES } from '../../rules/index.ts';
import type { AffectedScore } from '../../rules/rule.ts';
import type { TurnView } from '../metric.ts';

const AFFECTED_SCORES: ReadonlyMap<string, readonly AffectedScore[]> = new Map(
  RULES.map(({ id, affects }) => [id, affects]),
);

/** What the rules proved of this turn that speaks to a score: where that is nothing, only a model can give the score. */
export function findingsAffecting({ findings }: Pick<TurnView, 'findings'>, score: AffectedScore): readonly Finding[] {
  return findings.filter(({ rule }) => AFFECTED_SCORES.get(rule)?.includes(score));
}

/** Of these, what is a failure: an observation, such as a search that found nothing, makes no call wrong or needless. */
export function failuresAffecting(view: Pick<TurnView, 'findings'>, score: AffectedScore): readonly Finding[] {
  return findingsAffecting(view, score).filter(({ severity }) => isProblemLevel(severity));
}

/** Of some steps, those that findings name as being at fault. */
export function faultySteps<T extends Step>(steps: readonly T[], findings: readonly Finding[]): T[] {
  const pointers = new Set(findings.flatMap(({ calls = [] }) => calls));
  return steps.filter(({ pointer }) => pointers.has(pointer));
}

/** A score that rests on findings alone: they are its reason and its evidence, and its metadata names them. */
export function scoreFromFindings(findings: readonly Finding[], score: number, figures: Metadata = {}): MetricOutcome {
  return {
    status: 'scored',
    score,
    source: 'rules',
    reason: summarizeFindings(findings),
    evidence: findings.flatMap(({ evidence }) => evidence),
    metadata: { findings: findingReferences(findings), ...figures },
    verdictInMetadata: true,
  };
}

/** Findings as metadata name them. */
export function findingReferences(findings: readonly Finding[]): readonly Pick<Finding, 'rule' | 'calls'>[] {
  return findings.map(({ rule, calls = [] }) => ({ rule, calls }));
}

/** Findings whose sentences make a reason; the others are in the evidence. */
const MAX_SENTENCES = 3;

/** What the first findings say, and how many there are besides. */
export function summarizeFindings(findings: readonly Finding[]): string {
  const rest = findings.length - MAX_SENTENCES;
  const said = findings.slice(0, MAX_SENTENCES).map(({ message }) => message);
  return [...said, ...(rest > 0 ? [`And ${rest} more.`] : [])].join(' ');
}
