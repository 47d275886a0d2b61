import type { Metadata, MetricOutcome, Result } from '../../core/result.ts';
import { meetsThreshold } from '../../core/scoring.ts';
import { notApplicable } from '../judged-metric.ts';
import { type EvaluatedSession, runMetric } from '../metric.ts';

/**
 * Sessions completed without human help / sessions. Completion comes from an outcome in the file (`reward`, `success`),
 * from the reference, or from goal_completion, in this order. Human help is a call that a user rejected, or a tool call
 * that hands over to a human by its name.
 */
export const completionRate = runMetric({
  name: 'completion_rate',
  question: 'What share of the sessions was completed without human help?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: [],
  uses: ['goal_completion'],

  evaluate({ sessions }): MetricOutcome {
    if (sessions.length === 0) return NO_SESSIONS;
    const unknown = sessions.filter((session) => isCompleted(session) === null);
    const completed = sessions.filter((session) => isCompleted(session));
    const help = completed.filter(({ facts }) => facts.neededHuman).length;
    const metadata = {
      sessions: sessions.length,
      completed: completed.length,
      withHelp: help,
      unknown: unknown.length,
    };
    if (unknown.length > 0) return undecidedOutcome(unknown, metadata);
    return {
      status: 'scored',
      score: (completed.length - help) / sessions.length,
      source: 'aggregate',
      reason: `${completed.length} of ${sessions.length} sessions were completed${help === 0 ? '' : `, ${help} of them with human help`}.`,
      metadata,
    };
  },
});

const NO_SESSIONS = notApplicable('No session was evaluated.');

/** Null if unknown. */
function isCompleted({ facts, result }: EvaluatedSession): boolean | null {
  const outcome = wholeScore(result('reward')) ?? wholeScore(result('success'));
  return outcome ?? facts.goalReached ?? wholeScore(result('goal_completion'));
}

function wholeScore(result: Result | undefined): boolean | null {
  return result?.status === 'scored' && result.score !== null ? meetsThreshold(result.score, 1) : null;
}

/** The most severe of the sessions' statuses is the status of the run. */
function undecidedOutcome(unknown: readonly EvaluatedSession[], metadata: Metadata): MetricOutcome {
  const states = unknown.map(({ result }) => result('goal_completion')?.status);
  // A judge cannot help if the trace lacks the information.
  const untold = states.every((state) => state === 'not_applicable') ? 'needs_reference' : 'needs_judge';
  const status = (['error', 'cancelled'] as const).find((state) => states.includes(state)) ?? untold;
  const sessions = `${unknown.length} of ${metadata.sessions} sessions`;
  const why = {
    error: 'the judge failed on their goal_completion',
    cancelled: 'the run was stopped',
    needs_reference: 'they carry no outcome, and name no goal by which a model could tell (--context gives one)',
    needs_judge: 'they carry no outcome, and no model judged their goal_completion',
  }[status];
  return { status, reason: `It is unknown whether ${sessions} were completed: ${why}.`, metadata };
}
