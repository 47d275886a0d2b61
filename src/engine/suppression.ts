import { didYouMean } from '../config/suggest.ts';
import type { Finding } from '../core/finding.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { SuppressedFinding } from '../core/report.ts';
import type { Session, Suppression } from '../core/session.ts';
import { findRule, isSameRule, RULES } from '../rules/index.ts';
import { locate } from './locations.ts';

/** The findings that count, and those that a person accepted, for this turn or for the whole session. */
export function applySuppressions(
  session: Session,
  findings: readonly Finding[],
): { readonly findings: readonly Finding[]; readonly suppressed: readonly SuppressedFinding[] } {
  const suppressed: SuppressedFinding[] = [];
  const active = findings.filter((finding) => {
    const accepted = findSuppression(session, finding);
    if (accepted) suppressed.push(suppressedFinding(session, finding, accepted));
    return !accepted;
  });
  return { findings: active, suppressed };
}

function findSuppression(session: Session, { rule, turn }: Finding): Suppression | undefined {
  const ofTurn = session.turns[turn]?.suppressions ?? [];
  return [...ofTurn, ...(session.suppressions ?? [])].find((suppression) => isSameRule(suppression.rule, rule));
}

function suppressedFinding(
  session: Session,
  { rule, turn, message, evidence }: Finding,
  { reason }: Suppression,
): SuppressedFinding {
  return { ...locate(session.id, session, turn, evidence), rule, finding: message, reason };
}

/**
 * Acceptances that accept nothing: of a rule that there is not, or where it found nothing. Somebody believes that
 * something is accepted which is not.
 */
export function unusedSuppressions(
  session: Session,
  findings: readonly Finding[],
  switchedOff: (rule: string) => boolean,
): Problem[] {
  const found = new Set(findings.flatMap(({ rule, turn }) => [findingKey(rule), findingKey(rule, turn)]));
  const idle = (suppressions: readonly Suppression[] = [], turn?: number) =>
    suppressions
      .filter(({ rule }) => !switchedOff(rule) && !found.has(findingKey(findRule(rule)?.id ?? rule, turn)))
      .map(({ rule }) =>
        createProblem('warning', 'idle-suppression', session.source.file, unusedMessage(rule, session, turn)),
      );
  return [
    ...idle(session.suppressions),
    ...session.turns.flatMap(({ suppressions }, index) => idle(suppressions, index)),
  ];
}

/** Without a turn: a finding of the rule anywhere in the session. */
function findingKey(rule: string, turn?: number): string {
  return turn === undefined ? rule : `${rule} ${turn}`;
}

function unusedMessage(rule: string, { id }: Session, turn: number | undefined): string {
  if (!findRule(rule)) {
    const ids = RULES.map((one) => one.id);
    return `"${rule}" is accepted in session "${id}", and is no rule.${didYouMean(rule, ids)}`;
  }
  const where = turn === undefined ? '' : ` in turn ${turn + 1} (index ${turn}; indexes count from 0)`;
  return `${rule} is accepted${where} of session "${id}", and found nothing there: the acceptance does nothing.`;
}
