import * as l10n from '@vscode/l10n';

/** An evaluation that was stopped because it made no progress, or has broken down. */
export class LostEvaluationError extends Error {
  /** What happened, as the clause of a sentence. */
  readonly clause: string;
  /** The files that it was working on. */
  readonly suspects: readonly string[];

  constructor(clause: string, suspects: readonly string[]) {
    super(l10n.t('The evaluation was stopped: {0}.', clause));
    this.clause = clause;
    this.suspects = suspects;
  }
}

/** Why a file is not worked on any more, and what the user can do: clauses for the end of a sentence. */
export function stuckFileClause(clause: string): string {
  return l10n.t('{0}. Split it into smaller files; if it is small, please report it', clause);
}
