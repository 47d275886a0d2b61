import type { Configuration } from '../config/schema.ts';
import { canonicalJson } from '../core/json.ts';
import { feedbackOutcome, recordedOutcome } from '../core/recorded-outcome.ts';
import type { Session } from '../core/session.ts';
import { withConfiguredSeverity } from '../engine/evaluate-session.ts';
import { hasRecordedTurns } from '../engine/gates.ts';
import { applySuppressions } from '../engine/suppression.ts';
import type { ReadSummary } from '../input/load.ts';
import type { RiskSample } from '../metrics/shared/risk-fit.ts';
import { conversationLength } from '../metrics/shared/risk-model.ts';
import { decideOutcome } from '../report-model/agent-outcome.ts';
import { collectFindings } from '../rules/index.ts';
import { toolNameMatcher } from '../rules/shared/tool-effect.ts';
import { type LoadRunOptions, streamRun } from './load-run.ts';

/** The user's sessions whose outcome is known, as samples for a fit of `session_risk`. */
export interface LabelledSamples extends Pick<ReadSummary, 'problems' | 'sources'> {
  readonly samples: readonly RiskSample[];
  /** Sessions of which neither the file nor the user says whether the agent did its job. */
  readonly unlabelled: number;
}

/**
 * Reads trace files, and what the rules find in the sessions whose outcome the file or the user's feedback says. What a
 * judge says does not count: the risk reads judges too.
 */
export async function readLabelledSamples(
  paths: readonly string[],
  configuration: Configuration,
  options: LoadRunOptions,
): Promise<LabelledSamples> {
  const { sessions, summary } = await streamRun(paths, configuration, options);
  const samples: RiskSample[] = [];
  let unlabelled = 0;
  for await (const session of sessions) {
    const { status } = decideOutcome({ recorded: recordedOutcome(session), user: feedbackOutcome(session) });
    if (status === 'unknown' || !hasRecordedTurns(session)) unlabelled += 1;
    else samples.push(toSample(session, status === 'failed', configuration));
  }
  const { problems, sources } = summary();
  return { samples, unlabelled, problems, sources };
}

function toSample(session: Session, failed: boolean, configuration: Configuration): RiskSample {
  const all = collectFindings(session, {
    settings: configuration.rules,
    changesState: toolNameMatcher(configuration.stateChangingTools),
  });
  const { findings } = applySuppressions(session, all);
  const { task } = session;
  return {
    domain: 'project',
    set: canonicalJson([task?.dataset ?? null, task?.agent ?? null]),
    family: familyOf(session),
    findings: findings.map((finding) => withConfiguredSeverity(finding, configuration)),
    length: conversationLength(session),
    agreement: null,
    failed,
  };
}

/** Attempts of one task belong together, whichever agent made them. */
function familyOf({ task, goal, id, source }: Session): string {
  if (!task) return canonicalJson([source.file, id]);
  return canonicalJson([task.dataset ?? (task.declared ? null : { goal: goal ?? null }), task.id]);
}

export function countTasks(samples: readonly RiskSample[]): number {
  return new Set(samples.map(({ family }) => family)).size;
}
