import type { Observation } from '../core/report.ts';
import { isProblemLevel } from '../core/severity.ts';
import { findRule } from '../rules/index.ts';
import type { ProblemScope } from './agent-problems.ts';
import { locate } from './locations.ts';

/** Findings that are no failures, in the order of the turns. */
export function collectObservations(
  id: string,
  { session, findings }: Pick<ProblemScope, 'session' | 'findings'>,
): Observation[] {
  return findings
    .filter(({ severity }) => !isProblemLevel(severity))
    .map(({ rule, turn, message, evidence }) => ({
      ...locate(id, session, turn, evidence),
      rule,
      title: findRule(rule)?.title ?? rule,
      reason: message,
    }));
}
