import * as z from 'zod';
import type { Metadata, MetricOutcome } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { notApplicable } from '../judged-metric.ts';
import { type EvaluatedSession, runMetric } from '../metric.ts';

const options = z.strictObject({
  /** How long a session takes without the agent, in milliseconds. */
  baselineMs: z.number().positive().optional(),
});

type Options = z.output<typeof options>;

/**
 * Sessions completed without human help / sessions whose outcome is known. A session is completed if its outcome is a
 * success: recorded, by the user's feedback, by expectations or by a judge. Human help is a call that a user rejected, or a
 * tool call that hands over to a human by its name.
 */
export const completionRate = runMetric({
  name: 'completion_rate',
  question: 'What share of the sessions was completed without human help?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: [],
  uses: ['goal_completion'],
  options,

  evaluate({ sessions }, { baselineMs }: Options): MetricOutcome {
    if (sessions.length === 0) return NO_SESSIONS;
    const unknown = sessions.filter(({ outcome }) => outcome.status === 'unknown');
    const completed = sessions.filter(({ outcome }) => outcome.status === 'succeeded');
    const known = sessions.length - unknown.length;
    const help = completed.filter(({ facts }) => facts.neededHuman).length;
    const metadata = {
      sessions: sessions.length,
      completed: completed.length,
      withHelp: help,
      unknown: unknown.length,
      ...timeToCompletion(completed, baselineMs),
    };
    if (known === 0) return undecidedOutcome(unknown, metadata);
    return {
      status: 'scored',
      score: (completed.length - help) / known,
      source: 'aggregate',
      reason: reasonText(metadata, known),
      metadata,
    };
  },
});

const NO_SESSIONS = notApplicable('No session was evaluated.');

/** The mean time of completed sessions with recorded times, and its share of the baseline. */
function timeToCompletion(completed: readonly EvaluatedSession[], baselineMs: number | undefined): Metadata {
  const durations = completed.flatMap(({ facts }) => facts.durationMs ?? []);
  if (durations.length === 0) return {};
  const meanMs = durations.reduce((sum, duration) => sum + duration, 0) / durations.length;
  const ofBaseline = baselineMs === undefined ? {} : { baselineMs, ofBaseline: round(meanMs / baselineMs) };
  return { meanMs: Math.round(meanMs), timed: durations.length, ...ofBaseline };
}

function reasonText(
  { completed, withHelp, unknown }: Readonly<Record<'completed' | 'withHelp' | 'unknown', number>>,
  known: number,
): string {
  const help = withHelp === 0 ? '' : `, ${withHelp} of them with human help`;
  const rest = unknown === 0 ? '' : ` It is unknown of ${pluralize(unknown, 'more session')}.`;
  return `${completed} of ${pluralize(known, 'session')} ${known === 1 ? 'was' : 'were'} completed${help}.${rest}`;
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
    needs_reference: 'they carry no outcome, and name no goal by which a model could tell (a sidecar can name it)',
    needs_judge: 'they carry no outcome, and no model judged their goal_completion',
  }[status];
  return { status, reason: `It is unknown whether ${sessions} were completed: ${why}.`, metadata };
}
