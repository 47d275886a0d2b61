import type { Rule } from '../rule.ts';
import { describeDifference, differenceEvidence, standsOut } from './attempt-comparison.ts';

export const outlierAttempt: Rule = {
  id: 'outlier-attempt',
  title: 'Attempt unlike the others',
  proves: 'Most other attempts of the task changed something else, and the same as each other.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Compares the sessions of a run that are attempts of one task, and attempts of the same version of the agent in earlier runs, whichever agent made them, by what they changed: the set of successful calls of tools that are known to change state, with their arguments. It is reported for an attempt if at least three others, and at least three quarters of all others, made the same changes as each other and not those of this attempt. [attempt_agreement](../metrics/attempt_agreement.md) describes what is compared.',
    silent:
      'What most attempts did is likely to be right, and it is not known to be: three wrong attempts must not fail a right one. It is therefore an observation, fails no run unless you configure a level for it, and decides no outcome. Attempts that were stopped early and a session that was read twice do not count as others.',
    remedy:
      'Open both lines and compare what led to them. If this attempt is the right one, the others share a mistake. If a tool changes nothing that matters, annotate it with `changesState: false`.',
  },
  check: () => NOTHING_ALONE,
  checkAttempts(comparison) {
    if (!standsOut(comparison)) return null;
    const { own } = comparison;
    const evidence = differenceEvidence(comparison);
    const turn = own.changes.find(({ pointer }) => pointer === evidence[0]?.pointer)?.turn ?? own.end.turn;
    return { turn, message: describeDifference(comparison), evidence };
  },
};

/** A session by itself has no other attempts. */
const NOTHING_ALONE: readonly never[] = Object.freeze([]);
