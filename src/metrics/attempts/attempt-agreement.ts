import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import {
  type AttemptComparison,
  changeText,
  describeDifference,
  differenceEvidence,
} from '../../rules/attempts/attempt-comparison.ts';
import { inlineText } from '../../rules/shared/message-format.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';
import type { AttemptStanding } from './agreement.ts';

/** The share of the other attempts of its task that made the same changes. Computed when all sessions of a run are known. */
export const attemptAgreement = sessionMetric({
  name: 'attempt_agreement',
  question: 'Do other attempts of the task change the same things?',
  source: 'Turnwise',
  scale: 'unit',
  threshold: null,
  needs: ['attempts'],

  evaluate({ session: { task, turns } }): MetricOutcome {
    if (!task) return NO_TASK;
    return turns.some(({ captured }) => captured !== false) ? NEEDS_ATTEMPTS : NOT_RECORDED;
  },

  compare(view): MetricOutcome | null {
    const { agreement, comparison, unknownCalls, facts } = view;
    if (agreement.share === null) return null;
    if (!agreement.anyChanges) return unknownCalls > 0 ? noKnownChanges(unknownCalls) : ONLY_READS;
    const isShown = !comparison.majority.isOwn && 2 * comparison.majority.count > comparison.others;
    return {
      status: 'scored',
      score: agreement.share,
      source: 'aggregate',
      reason: [describeShare(agreement, comparison), ...(isShown ? [describeDifference(comparison)] : [])].join(' '),
      evidence: isShown ? differenceEvidence(comparison) : ownEvidence(comparison),
      metadata: {
        others: agreement.others,
        same: Math.round(agreement.share * agreement.others),
        ...(agreement.earlier > 0 && { earlier: agreement.earlier }),
        sameAgent: agreement.sameAgent,
        overlap: agreement.overlap,
        changes: comparison.own.changes.map((change) => changeText(change)),
        // What most others did is likely, and not known, to be right.
        likely: 2 * comparison.majority.count > comparison.others ? likelyOutcome(comparison) : null,
        ...(facts.endedEarly && { endedEarly: true }),
        ...(unknownCalls > 0 && { unknownCalls }),
      },
    };
  },
});

/** `3 of 4 other attempts made the same changes (2 of the 4 by the same agent).` */
export function describeShare(
  { others, share, sameAgent, earlier }: AttemptStanding,
  { own, majority }: AttemptComparison,
): string {
  const same = Math.round((share ?? 0) * others);
  if (others === 1 && earlier === 0) {
    const agent =
      majority.agent === null || majority.agent === own.agent ? '' : ` by the agent ${inlineText(majority.agent)}`;
    return `The other attempt, ${inlineText(majority.id)}${agent}, made ${same === 1 ? 'the same' : 'other'} changes.`;
  }
  const parts = [
    ...(sameAgent === null || sameAgent === others
      ? []
      : [sameAgent === 0 ? 'none by the same agent' : `${sameAgent} of the ${others} by the same agent`]),
    ...(earlier === 0 ? [] : [`${earlier} of the ${others} in earlier runs`]),
  ];
  const agents = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  if (others === 1) return `The other attempt made ${same === 1 ? 'the same' : 'other'} changes${agents}.`;
  return `${same === 0 ? 'None' : same} of ${others} other attempts made the same changes${agents}.`;
}

function likelyOutcome({ majority: { changes, count } }: AttemptComparison) {
  return { attempts: count, changes: changes.map((change) => changeText(change)) };
}

function ownEvidence({ own: { changes } }: AttemptComparison): Evidence[] {
  return changes.map((change) => {
    const { pointer, file } = change;
    return { pointer, note: changeText(change), ...(file === undefined ? {} : { file }) };
  });
}

const NO_TASK = notApplicable(
  'The trace names no task, so it has no other attempts. "tasks" in the configuration groups sessions into tasks.',
);
const NOT_RECORDED = notApplicable('The content of this session was not recorded.');

const NEEDS_ATTEMPTS: MetricOutcome = Object.freeze({
  status: 'needs_attempts',
  reason: 'There is no other attempt of this task in the run.',
});

const ONLY_READS: MetricOutcome = Object.freeze({
  status: 'vacuous',
  score: 1,
  source: 'aggregate',
  reason: 'No attempt of the task changes anything.',
});

function noKnownChanges(calls: number): MetricOutcome {
  return notApplicable(
    `No attempt is known to change anything, and it is not known whether ${pluralize(calls, 'call')} did: stateChangingTools in the configuration names tools that do.`,
  );
}
