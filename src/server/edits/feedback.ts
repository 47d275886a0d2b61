import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Feedback, Session } from '../../core/session.ts';
import { describeSystemError } from '../../input/system-error.ts';
import type { EditOutcome } from '../../protocol/finding-edits.ts';
import type { FeedbackParams, FeedbackTarget } from '../../protocol/panel.ts';
import { metricResult } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import type { ServerContext } from '../context.ts';
import { contentHash } from '../disk/content-hash.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { setFeedback } from './sidecar-feedback.ts';
import { findSidecar, sidecarError } from './sidecar-file.ts';
import { findSidecarTarget, readUnjoinedSessions } from './suppress-finding.ts';

type FeedbackOptions = Pick<ServerContext, 'results' | 'files' | 'contents'>;

/** Writes feedback into the sidecar beside the trace. @param inTurn runs one edit after the other. */
export async function writeFeedback(
  parts: FeedbackOptions,
  params: FeedbackParams,
  inTurn: (plan: () => Promise<EditPlan>) => Promise<EditOutcome>,
): Promise<EditOutcome> {
  const view = parts.results.session(params.session);
  if (!view) return refuseEdit(l10n.t('the results of this session are no longer available. Evaluate its file again.'));
  const entry = toFeedback(params, parts.results.model(view), new Date());
  const outcome = await inTurn(() => planFeedback(parts.files, parts.results, { view, params, entry }));
  if ('error' in outcome) return outcome;
  parts.contents.rememberFeedback(view, params.turn, params.of, entry);
  return outcome;
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

interface FeedbackEdit {
  readonly view: SessionResultsView;
  readonly params: FeedbackParams;
  readonly entry: Feedback | null;
}

/** Never rejects. */
async function planFeedback(
  files: ServerContext['files'],
  results: ServerContext['results'],
  edit: FeedbackEdit,
): Promise<EditPlan> {
  const { view, params } = edit;
  const { report } = view.detail;
  // Any of its turns identifies a session in its file.
  const turn = params.turn === null ? report.turns[0] : results.model(view).turn(params.turn);
  if (!turn) return refuseEdit(l10n.t('this turn is no longer in the results. Evaluate its file again.'));
  const file = turn.file ?? view.file;
  const hash = results.versionsOf(view).get(file)?.stamp?.hash ?? null;
  try {
    if (hash !== null && contentHash(file, await files.read(file)) !== hash) return refuseChangedFile(file);
    const of = { file, pointer: turn.pointer, format: report.source.format, hash };
    const { sessions } = await readUnjoinedSessions(files, of);
    return await planSidecarFeedback(files, sessions, { ...edit, file, pointer: turn.pointer });
  } catch (error) {
    return refuseEdit(l10n.t('{0} cannot be read: {1}.', basename(file), describeSystemError(error)));
  }
}

/** A sidecar names turns as their own file has them, before files are joined. */
async function planSidecarFeedback(
  files: ServerContext['files'],
  sessions: readonly Session[],
  { params, entry, file, pointer }: FeedbackEdit & { readonly file: string; readonly pointer: string },
): Promise<EditPlan> {
  const target = findSidecarTarget(sessions, pointer);
  if (!target) return refuseChangedFile(file);
  const sidecar = await findSidecar(files, file);
  if ('error' in sidecar) return sidecar;
  const { path, text } = sidecar;
  const broken = text === null ? null : sidecarError(sessions, path, text);
  if (broken) return refuseEdit(broken.message, broken);
  const { session, isOnly, turn: index } = target.name;
  if (sessions.filter(({ id }) => id === session).length > 1) {
    return refuseEdit(
      l10n.t('{0} has several sessions with the id "{1}", so a sidecar cannot name this one.', basename(file), session),
    );
  }
  const id = sessions.find((candidate) => candidate.id === session)?.turns[index]?.id ?? '';
  const location = { session, isOnly, turn: params.turn === null ? null : { index, id }, target: params.of };
  const after = setFeedback(text, location, entry);
  const wrong = sidecarError(sessions, path, after);
  return wrong ? refuseEdit(wrong.message, wrong) : { change: { path, before: text, after } };
}

function refuseChangedFile(file: string): EditPlan {
  return refuseEdit(l10n.t('{0} has changed since it was evaluated. Evaluate it and try again.', basename(file)));
}
