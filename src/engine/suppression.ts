import type { Finding } from '../core/finding.ts';
import type { SuppressedFinding } from '../core/report.ts';
import type { Session, Suppression } from '../core/session.ts';
import { foundAt } from './places.ts';

/** The findings that count, and those that a person accepted, for this turn or for the whole session. */
export function withoutSuppressed(
  session: Session,
  findings: readonly Finding[],
): { readonly findings: readonly Finding[]; readonly suppressed: readonly SuppressedFinding[] } {
  const suppressed: SuppressedFinding[] = [];
  const active = findings.filter((finding) => {
    const accepted = suppressionOf(session, finding);
    if (accepted) suppressed.push(suppressedFinding(session, finding, accepted));
    return !accepted;
  });
  return { findings: active, suppressed };
}

function suppressionOf(session: Session, { rule, turn }: Finding): Suppression | undefined {
  const ofTurn = session.turns[turn]?.suppressions ?? [];
  return [...ofTurn, ...(session.suppressions ?? [])].find((suppression) => suppression.rule === rule);
}

function suppressedFinding(
  session: Session,
  { rule, turn, message, evidence }: Finding,
  { reason }: Suppression,
): SuppressedFinding {
  return { ...foundAt(session.id, session, turn, evidence), rule, finding: message, reason };
}
