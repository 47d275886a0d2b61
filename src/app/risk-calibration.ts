import type { Configuration } from '../config/schema.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { labelledSamples, type OwnSession, ownSession } from '../engine/labelled-sessions.ts';
import type { ReadSummary } from '../input/load.ts';
import { RISK_COEFFICIENTS } from '../metrics/shared/risk-coefficients.ts';
import { compareWithFit, type RiskComparison } from '../metrics/shared/risk-comparison.ts';
import type { RiskSample } from '../metrics/shared/risk-fit.ts';
import { type LoadRunOptions, streamRun } from './load-run.ts';

/** The user's sessions whose outcome is known. */
export interface LabelledSessions extends Pick<ReadSummary, 'problems' | 'sources'> {
  readonly samples: readonly RiskSample[];
  readonly failed: number;
  readonly succeeded: number;
  /** Attempts of one task count once. */
  readonly tasks: number;
  /** Sessions of which neither the file nor the user says whether the agent did its job. */
  readonly unlabelled: number;
}

/** The fewest sessions of each outcome, and the fewest tasks: with less, no difference can be told from chance. */
export const MIN_LABELLED = { sessions: 10, tasks: 10 } as const;

/** Reads trace files, and runs the rules over their sessions. Rejects when the signal is aborted. */
export async function readLabelledSessions(
  paths: readonly string[],
  configuration: Configuration,
  options: LoadRunOptions,
): Promise<LabelledSessions> {
  const { sessions, summary } = await streamRun(paths, configuration, options);
  const own: OwnSession[] = [];
  let count = 0;
  for await (const session of sessions) {
    options.signal.throwIfAborted();
    count += 1;
    const read = ownSession(session, configuration);
    if (read) own.push(read);
  }
  const samples = labelledSamples(own);
  const failed = samples.filter((sample) => sample.failed).length;
  const { problems, sources } = summary();
  return {
    samples,
    failed,
    succeeded: samples.length - failed,
    tasks: new Set(samples.map(({ family }) => family)).size,
    unlabelled: count - samples.length,
    problems,
    sources,
  };
}

/** Weights that are fitted to the user's sessions, compared with those that ship. */
export type RiskCalibration = RiskComparison;

export function hasEnough({ failed, succeeded, tasks }: LabelledSessions): boolean {
  return Math.min(failed, succeeded) >= MIN_LABELLED.sessions && tasks >= MIN_LABELLED.tasks;
}

/** Fits the weights to the sessions and says by cross-validation whether they are better. */
export function calibrateRisk({ samples, failed, tasks }: LabelledSessions): RiskCalibration {
  const fittedOn = `${pluralize(samples.length, 'session')} of this project with an outcome, of ${pluralize(tasks, 'task')}; ${failed} failed`;
  return compareWithFit(samples, RISK_COEFFICIENTS, fittedOn);
}
