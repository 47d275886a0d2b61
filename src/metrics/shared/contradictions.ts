import type { Finding } from '../../core/finding.ts';
import { isProblemLevel } from '../../core/severity.ts';
import { claimWithoutCall } from '../../rules/dialogue-en/claim-without-call.ts';
import { miscountedList } from '../../rules/dialogue-en/miscounted-list.ts';
import { successAfterError } from '../../rules/dialogue-en/success-after-error.ts';
import { testsClaimedToPass } from '../../rules/dialogue-en/tests-claimed-to-pass.ts';
import { misquotedFigure } from '../../rules/grounding/misquoted-figure.ts';
import type { TurnView } from '../metric.ts';

const RULES = new Set(
  [misquotedFigure, miscountedList, successAfterError, testsClaimedToPass, claimWithoutCall].map(({ id }) => id),
);

/** Findings that prove that the answer contradicts a result, or claims an action that no call performed. */
export function findContradictions({ findings }: Pick<TurnView, 'findings'>): readonly Finding[] {
  return findings.filter(({ rule, severity }) => RULES.has(rule) && isProblemLevel(severity));
}
