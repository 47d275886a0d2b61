import { didYouMean } from '../config/suggest.ts';
import type { Finding } from '../core/finding.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { SuppressedFinding } from '../core/report.ts';
import type { Session, Suppression } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { findRule, isSameRule } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import { locate } from './locations.ts';

/** Separates findings that count from those that are suppressed, for their turn or for the whole session. */
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

/** The suppressions, of the session and its turns, of rules that find something only beside other attempts. */
export function attemptSuppressions(
  { suppressions = [], turns }: Session,
  rules: readonly Rule[],
): Pick<SessionOutcome, 'attemptSuppressions'> {
  const all = [...suppressions, ...turns.flatMap((turn) => turn.suppressions ?? [])];
  const later = all.filter(({ rule }) => findRule(rule, rules)?.checkAttempts !== undefined);
  return later.length === 0 ? {} : { attemptSuppressions: later };
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

/** Warnings about suppressions that suppress nothing: of an unknown rule, or where the rule has no finding. */
export function unusedSuppressions(
  session: Session,
  findings: readonly Finding[],
  isOff: (rule: string) => boolean,
  rules: readonly Rule[],
): Problem[] {
  const keys = new Set(findings.flatMap(({ rule, turn }) => [findingKey(rule), findingKey(rule, turn)]));
  const unused = (suppressions: readonly Suppression[] = [], turn?: number) =>
    suppressions
      .filter(({ rule }) => !isOff(rule) && !keys.has(findingKey(findRule(rule, rules)?.id ?? rule, turn)))
      .map(({ rule }) =>
        createProblem('warning', 'idle-suppression', session.source.file, unusedMessage(rule, session, turn, rules)),
      );
  return [
    ...unused(session.suppressions),
    ...session.turns.flatMap(({ suppressions }, index) => unused(suppressions, index)),
  ];
}

/** Without a turn: a finding of the rule anywhere in the session. */
function findingKey(rule: string, turn?: number): string {
  return turn === undefined ? rule : `${rule} ${turn}`;
}

function unusedMessage(rule: string, { id }: Session, turn: number | undefined, rules: readonly Rule[]): string {
  if (!findRule(rule, rules)) {
    const ids = rules.map((rule) => rule.id);
    return `Session "${id}" suppresses "${rule}", which is not a rule.${didYouMean(rule, ids)}`;
  }
  const where = turn === undefined ? `in session "${id}"` : `in turn ${turn + 1} of session "${id}" (index ${turn})`;
  return `The suppression of ${rule} ${where} has no effect: the rule found nothing there.`;
}
