import * as l10n from '@vscode/l10n';
import type { Feedback } from '../../core/session.ts';
import type { EditOutcome } from '../../protocol/finding-edits.ts';
import type { FeedbackParams, FeedbackTarget } from '../../protocol/panel.ts';
import { metricResult } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import type { ServerContext } from '../context.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { refuseUnreadable, type TurnSource } from './plan-sidecar-edit.ts';

type FeedbackOptions = Pick<ServerContext, 'results' | 'contents' | 'planSidecarEdit'>;

/** Writes feedback into the sidecar beside the trace. @param inTurn makes one edit of a trace's sidecar after the other. */
export async function writeFeedback(
  parts: FeedbackOptions,
  params: FeedbackParams,
  inTurn: (file: string, plan: () => Promise<EditPlan>) => Promise<EditOutcome>,
): Promise<EditOutcome> {
  const view = parts.results.session(params.session);
  if (!view) return refuseEdit(l10n.t('the results of this session are no longer available. Evaluate its file again.'));
  const { turn, of } = params;
  const entry = toFeedback(params, parts.results.model(view), new Date());
  const source = turnSource(parts.results, view, turn);
  if (!source) return refuseEdit(l10n.t('this turn is no longer in the results. Evaluate its file again.'));
  const edit = { turn: source, add: { type: 'feedback', of, isOfTurn: turn !== null, entry } } as const;
  const plan = async () => {
    try {
      return await parts.planSidecarEdit(edit);
    } catch (error) {
      return refuseUnreadable(source.file, error);
    }
  };
  const outcome = await inTurn(source.file, plan);
  if ('error' in outcome) return outcome;
  parts.contents.rememberFeedback(view, turn, of, entry);
  return outcome;
}

/** Any of its turns identifies a session in its file. */
function turnSource(
  results: ServerContext['results'],
  view: SessionResultsView,
  index: number | null,
): TurnSource | null {
  const { report } = view.detail;
  const turn = index === null ? report.turns[0] : results.model(view).turn(index);
  if (!turn) return null;
  const { file = view.file, pointer } = turn;
  const hash = results.versionsOf(view).get(file)?.stamp?.hash ?? null;
  return { file, pointer, format: report.source.format, hash };
}

/** Null where the feedback is taken back. */
function toFeedback({ turn, of, feedback }: FeedbackParams, model: SessionModel, now: Date): Feedback | null {
  if (!feedback) return null;
  const note = feedback.note?.trim() ?? '';
  const score = of.type === 'metric' ? ratedScore(of.metric, turn, model) : null;
  return {
    ...feedbackSubject(of),
    value: feedback.value,
    ...(score === null ? {} : { score }),
    ...(note === '' ? {} : { note }),
    at: now.toISOString(),
  };
}

function feedbackSubject(of: FeedbackTarget): Pick<Feedback, 'metric' | 'rule' | 'label'> {
  switch (of.type) {
    case 'turn':
      return {};
    case 'metric':
      return { metric: of.metric };
    case 'rule':
      return { rule: of.rule };
    case 'label':
      return { label: of.label };
  }
}

/** The score that the feedback is about; a later evaluation may give another. */
function ratedScore(metric: string, turn: number | null, model: SessionModel): number | string | null {
  const metrics = turn === null ? model.report.metrics : model.turn(turn)?.metrics;
  const result = metrics && metricResult(metrics, metric);
  return result?.score ?? result?.label ?? null;
}
