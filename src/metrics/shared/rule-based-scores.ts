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

/** The findings of this turn that affect a score. Without any, only a judge can give the score. */
export function findingsAffecting({ findings }: Pick<TurnView, 'findings'>, score: AffectedScore): readonly Finding[] {
  return findings.filter(({ rule }) => AFFECTED_SCORES.get(rule)?.includes(score));
}

/** Those of them that are problems: an observation, such as a search without hits, does not make a call wrong. */
export function failuresAffecting(view: Pick<TurnView, 'findings'>, score: AffectedScore): readonly Finding[] {
  return findingsAffecting(view, score).filter(({ severity }) => isProblemLevel(severity));
}

/** The steps that findings name as faulty. */
export function faultySteps<T extends Step>(steps: readonly T[], findings: readonly Finding[]): T[] {
  const pointers = new Set(findings.flatMap(({ calls = [] }) => calls));
  return steps.filter(({ pointer }) => pointers.has(pointer));
}

/** A score from findings alone: they are its reason, its evidence and its metadata. */
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

/** References to findings, for the metadata. */
export function findingReferences(findings: readonly Finding[]): readonly Pick<Finding, 'rule' | 'calls'>[] {
  return findings.map(({ rule, calls = [] }) => ({ rule, calls }));
}

/** Findings that a reason quotes; the others are only in the evidence. */
const MAX_SENTENCES = 3;

/** The messages of the first findings, and the number of others. */
export function summarizeFindings(findings: readonly Finding[]): string {
  const rest = findings.length - MAX_SENTENCES;
  const messages = findings.slice(0, MAX_SENTENCES).map(({ message }) => message);
  return [...messages, ...(rest > 0 ? [`And ${rest} more.`] : [])].join(' ');
}
