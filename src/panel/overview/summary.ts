import {
  MAX_FILTER_LENGTH,
  type OverviewChoice,
  type OverviewScores,
  type OverviewSummary,
} from '../../protocol/sessions-overview.ts';
import { completionOf, scoreDistributions } from '../../report-model/score-distributions.ts';
import { type AttemptGroups, groupSessionAttempts } from '../../report-model/session-attempts.ts';
import { countKinds, countNames, filledColumns, type SessionEntry } from '../../report-model/sessions-table.ts';
import type { PanelSession } from '../panel-session.ts';
import { limitName, limitSentence } from '../values.ts';

/** Labels and rules offered as filters. */
const MAX_CHOICES = 200;

/** @param running how many sessions are being evaluated. @param tasks how many have several attempts. */
export function summarizeOverview(entries: readonly SessionEntry[], running: number, tasks: number): OverviewSummary {
  return {
    sessions: entries.length,
    kinds: countKinds(entries),
    running,
    labels: choices(entries, ({ labels }) => labels),
    rules: choices(entries, ({ rules }) => rules),
    columns: filledColumns(entries),
    tasks,
  };
}

function choices(
  entries: readonly SessionEntry[],
  namesOf: (entry: SessionEntry) => Iterable<string>,
): OverviewChoice[] {
  const all = countNames(entries, namesOf).filter(({ name }) => name.length <= MAX_FILTER_LENGTH);
  return all.slice(0, MAX_CHOICES);
}

type EvaluatedSession = Pick<PanelSession, 'row' | 'detail'>;

/** The attempts of tasks among sessions; those that are being evaluated are left out. */
export function groupTasks(sessions: readonly EvaluatedSession[]): AttemptGroups {
  return groupSessionAttempts(
    sessions.flatMap(({ row: { key, turnsDone }, detail: { report, facts, gates } }) =>
      facts && turnsDone === null ? [{ key, report, facts, gates }] : [],
    ),
  );
}

/** What the scores of sessions add up to; those that are being evaluated are left out. */
export function overviewScoresOf(
  sessions: readonly EvaluatedSession[],
  { summary }: Pick<AttemptGroups, 'summary'>,
): OverviewScores {
  const finished = sessions.filter(({ row }) => row.turnsDone === null);
  const known = finished.flatMap(({ detail: { report, facts } }) => (facts ? [{ report, facts }] : []));
  const distributions = scoreDistributions(finished.map(({ detail }) => detail.report));
  return {
    distributions: distributions.map((one) => ({ ...one, metric: limitName(one.metric) })),
    correctedShares: correctedSharesOf(finished),
    completion: completionOf(known),
    attempts: summary,
  };
}

/** Those of their run. Sessions of several runs have no common share. */
function correctedSharesOf(sessions: readonly EvaluatedSession[]): OverviewScores['correctedShares'] {
  const texts = new Map<string, Set<string>>();
  for (const { detail } of sessions) {
    for (const { metric, text } of detail.correctedShares ?? []) {
      texts.set(metric, (texts.get(metric) ?? new Set()).add(text));
    }
  }
  return Array.from(texts, ([metric, [text = '', ...others]]) =>
    others.length === 0 ? [{ metric: limitName(metric), text: limitSentence(text) }] : [],
  ).flat();
}
