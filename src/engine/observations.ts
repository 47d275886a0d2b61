import type { Observation } from '../core/report.ts';
import { isFailure } from '../core/severity.ts';
import { ruleOf } from '../rules/index.ts';
import type { FoundIn } from './failures.ts';
import { foundAt } from './places.ts';

/** Findings that are no failures, in the order of the turns. */
export function observationsOf(
  id: string,
  { session, findings }: Pick<FoundIn, 'session' | 'findings'>,
): Observation[] {
  return findings
    .filter(({ severity }) => !isFailure(severity))
    .map(({ rule, turn, message, evidence }) => ({
      ...foundAt(id, session, turn, evidence),
      rule,
      title: ruleOf(rule)?.title ?? rule,
      reason: message,
    }));
}
