import { basename } from 'node:path';
import type { Feedback, Session } from '../../core/session.ts';
import { describeSystemError } from '../../input/system-error.ts';
import type { EditOutcome } from '../../protocol/edits.ts';
import type { GivenOpinion, OpinionOf } from '../../protocol/panel.ts';
import type { Context } from '../context.ts';
import { contentHash } from '../disk/content-hash.ts';
import { type Plan, refusal } from '../disk/file-change.ts';
import type { HeldSession } from '../held/rows.ts';
import { remember } from '../report/opinions.ts';
import { resultOf } from '../report/scores.ts';
import { reportOfTurn } from '../report/turn-reports.ts';
import { withFeedback } from './sidecar-feedback.ts';
import { brokenPart, sidecarOf } from './sidecar-file.ts';
import { reading, targetIn } from './suppressing.ts';

type Parts = Pick<Context, 'results' | 'files' | 'transcripts'>;

/** Writes it into the sidecar beside the trace. @param inTurn writes one plan after the other. */
export async function writeOpinion(
  parts: Parts,
  given: GivenOpinion,
  inTurn: (plan: () => Promise<Plan>) => Promise<EditOutcome>,
): Promise<EditOutcome> {
  const held = parts.results.session(given.session);
  if (!held) return refusal('the results of this session are not there any more. Evaluate it again.');
  const entry = feedbackOf(given, held, new Date());
  const outcome = await inTurn(() => planned(parts.files, parts.results, { held, given, entry }));
  if ('refused' in outcome) return outcome;
  const session: Session | null = await parts.transcripts.of(held);
  if (session) remember(session, given.turn, given.of, entry);
  return outcome;
}

/** Null: it is taken back. */
function feedbackOf({ turn, of, opinion }: GivenOpinion, held: HeldSession, now: Date): Feedback | null {
  if (!opinion) return null;
  const note = opinion.note?.trim() ?? '';
  const score = of.type === 'metric' ? scoreOf(of.metric, turn, held) : null;
  return {
    ...aboutOf(of),
    value: opinion.value,
    ...(score === null ? {} : { score }),
    ...(note === '' ? {} : { note }),
    at: now.toISOString(),
  };
}

function aboutOf(of: OpinionOf): Pick<Feedback, 'metric' | 'rule' | 'label'> {
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

/** The score that it is about: later ones may be others. */
function scoreOf(metric: string, turn: number | null, held: HeldSession): number | string | null {
  const metrics = turn === null ? held.detail.report.metrics : reportOfTurn(held, turn)?.metrics;
  const result = metrics && resultOf(metrics, metric);
  return result?.score ?? result?.label ?? null;
}

interface Wanted {
  readonly held: HeldSession;
  readonly given: GivenOpinion;
  readonly entry: Feedback | null;
}

/** Never rejects. */
async function planned(files: Context['files'], results: Context['results'], wanted: Wanted): Promise<Plan> {
  const { held, given } = wanted;
  const { report } = held.detail;
  // A session is known in its file by any of its turns.
  const turn = given.turn === null ? report.turns[0] : reportOfTurn(held, given.turn);
  if (!turn) return refusal('this turn is not held. Evaluate its file again.');
  const file = turn.file ?? held.file;
  const hash = results.textsOf(held).get(file)?.stamp?.hash ?? null;
  try {
    if (hash !== null && contentHash(file, await files.read(file)) !== hash) return changed(file);
    const of = { file, pointer: turn.pointer, format: report.source.format, hash };
    const { sessions } = await reading(files, of);
    return await edit(files, sessions, { ...wanted, file, pointer: turn.pointer });
  } catch (error) {
    return refusal(`${basename(file)} cannot be read: ${describeSystemError(error)}.`);
  }
}

/** A sidecar names turns as their own file has them, before files are joined. */
async function edit(
  files: Context['files'],
  sessions: readonly Session[],
  { given, entry, file, pointer }: Wanted & { readonly file: string; readonly pointer: string },
): Promise<Plan> {
  const target = targetIn(sessions, pointer);
  if (!target) return changed(file);
  const sidecar = await sidecarOf(files, file);
  if ('refused' in sidecar) return sidecar;
  const { path, text } = sidecar;
  const broken = text === null ? null : brokenPart(sessions, path, text);
  if (broken) return refusal(broken.message, broken);
  const { session, isOnly, turn: index } = target.name;
  if (sessions.filter(({ id }) => id === session).length > 1) {
    return refusal(
      `${basename(file)} has several sessions with the id "${session}", so that no sidecar can mean this one.`,
    );
  }
  const id = sessions.find((one) => one.id === session)?.turns[index]?.id ?? '';
  const place = { session, isOnly, turn: given.turn === null ? null : { index, id }, of: given.of };
  const after = withFeedback(text, place, entry);
  const wrong = brokenPart(sessions, path, after);
  return wrong ? refusal(wrong.message, wrong) : { change: { path, before: text, after } };
}

function changed(file: string): Plan {
  return refusal(`${basename(file)} has changed since it was evaluated. Evaluate it again, then say what you think.`);
}
