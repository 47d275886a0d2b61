import { type JudgeLabel, judgedVerdict, type Label } from '../../core/judge-labels.ts';
import { labelId, labelPart } from '../../core/label-ids.ts';
import type { Result } from '../../core/result.ts';
import type { RecordedSession, RunManifest } from '../../core/run-record.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';

/** What a judge said of a turn or a session: all of a label but what the person says. */
export interface JudgedResult extends Omit<JudgeLabel, 'label' | 'note' | 'at'> {
  readonly id: string;
  /** Of the metric; null for one of labels. */
  readonly threshold: number | null;
  /** Why, as the judge says. */
  readonly reason: string | null;
}

/** The results of one metric, by one judge: all that one question to a person is about. */
export interface JudgedMetric {
  readonly metric: string;
  readonly judge: string;
  readonly question: string;
  readonly threshold: number | null;
  readonly results: readonly JudgedResult[];
}

/** The file of a session, as the row of its run names it, and its task. */
type SessionRow = Pick<RecordedSession, 'id' | 'file' | 'line' | 'content' | 'task'>;

/**
 * The results of a run that a judge gave, by metric: scored ones with a threshold or with failure labels. Scores of rules, of the trace
 * and means are no answers of a judge. Equal results of equal sessions count once.
 *
 * @param outcomes in the order of their rows.
 */
export function judgedMetrics(
  { plan, questions }: Pick<RunManifest, 'plan' | 'questions'>,
  rows: readonly SessionRow[],
  outcomes: readonly SessionOutcome[],
): JudgedMetric[] {
  const thresholds = new Map(plan.metrics.map(({ name, template }) => [name, template.threshold]));
  const byMetric = new Map<string, Map<string, JudgedResult>>();
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const add = (row: SessionRow, name: string, result: Result, turn: { index: number; line: number | null } | null) => {
    const verdict = judgedVerdict(result);
    const question = questions[name];
    if (verdict === null || question === undefined || result.judge === undefined) return;
    const about = { metric: name, judge: result.judge, question, content: row.content, turn: turn?.index ?? null };
    const id = labelId(about);
    const results = byMetric.get(name) ?? new Map<string, JudgedResult>();
    byMetric.set(name, results);
    results.set(id, {
      ...about,
      id,
      file: row.file,
      line: turn?.line ?? row.line,
      session: row.id,
      part: labelPart(row.task, row.content),
      score: result.score,
      verdict,
      threshold: thresholds.get(name) ?? null,
      reason: result.reason,
    });
  };
  for (const outcome of outcomes) {
    const row = rowOf.get(outcome.id);
    if (!row) continue;
    for (const turn of outcome.turns) {
      for (const [name, result] of Object.entries(turn.metrics)) add(row, name, result, turn);
    }
    for (const [name, result] of Object.entries(outcome.metrics)) add(row, name, result, null);
  }
  return Array.from(byMetric, ([metric, byId]) => {
    const results = [...byId.values()];
    const [first] = results;
    return {
      metric,
      judge: first?.judge ?? '',
      question: first?.question ?? '',
      threshold: first?.threshold ?? null,
      results,
    };
  });
}

/** What a person says of a result. @param note empty: none. @param at when, ISO 8601 */
export function toLabel(
  { id: _id, threshold: _threshold, reason: _reason, ...result }: JudgedResult,
  label: Label,
  note: string,
  at: string,
): JudgeLabel {
  return { ...result, label, ...(note === '' ? {} : { note: sanitizeText(note, MAX_NOTE) }), at };
}

const MAX_NOTE = 2000;
