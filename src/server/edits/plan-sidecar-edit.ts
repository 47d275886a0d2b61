import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import { loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import type { Feedback, Pointer, Session, Suppression } from '../../core/session.ts';
import type { Format } from '../../formats/format.ts';
import { FORMATS } from '../../formats/index.ts';
import { formatsWithMappings } from '../../formats/mapped/mapped-format.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { TextLocator } from '../../input/locator.ts';
import { type FileReadResult, readFile } from '../../input/read-file.ts';
import { describeSystemError } from '../../input/system-error.ts';
import type { FeedbackTarget } from '../../protocol/panel.ts';
import { contentHash } from '../disk/content-hash.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { setFeedback } from './sidecar-feedback.ts';
import { findSidecar, sidecarError, suppressedTurns } from './sidecar-file.ts';
import { addSuppression, type SuppressionTarget } from './sidecar-suppression.ts';

/** A turn in its file. */
export interface TurnSource {
  readonly file: string;
  readonly pointer: Pointer;
  /** The format in which the session was read. */
  readonly format: string;
  /** Of the text that was evaluated; null where it is unknown. */
  readonly hash: string | null;
}

/** What the user wants to add to the sidecar beside a trace, as plain data. */
export interface SidecarEdit {
  readonly turn: TurnSource;
  readonly add:
    | { readonly type: 'suppression'; readonly suppression: Suppression }
    | {
        readonly type: 'feedback';
        readonly of: FeedbackTarget;
        /** Whether it is about the turn, and not about its session. */
        readonly isOfTurn: boolean;
        /** Null: earlier feedback is taken back. */
        readonly entry: Feedback | null;
      };
}

export type PlanSidecarEdit = (edit: SidecarEdit) => Promise<EditPlan>;

/**
 * Plans an edit of the sidecar beside a trace. A sidecar names turns as their own file has them, before files are joined,
 * so the file is read again. Never rejects.
 */
export async function planSidecarEdit(files: FileSystem, { turn, add }: SidecarEdit): Promise<EditPlan> {
  const { file, hash } = turn;
  try {
    if (hash !== null && contentHash(file, await files.read(file)) !== hash) return refuseChangedFile(file);
    const { sessions, problems } = await readUnjoinedSessions(files, turn);
    if (sessions.length === 0) {
      const broken = problems.find(({ severity }) => severity === 'error');
      return broken ? refuseEdit(broken.message, broken) : refuseChangedFile(file);
    }
    const target = findSidecarTarget(sessions, turn.pointer);
    if (!target) return refuseChangedFile(file);
    const sidecar = await findSidecar(files, file);
    if ('error' in sidecar) return sidecar;
    const { path, text } = sidecar;
    const broken = text === null ? null : sidecarError(sessions, path, text);
    if (broken) return refuseEdit(broken.message, broken);
    const place = { file, path, text, sessions, target };
    return add.type === 'suppression' ? withSuppression(place, add) : withFeedback(place, add);
  } catch (error) {
    return refuseUnreadable(file, error);
  }
}

export function refuseUnreadable(file: string, error: unknown): EditPlan {
  return refuseEdit(l10n.t('{0} cannot be read: {1}.', basename(file), describeSystemError(error)));
}

function refuseChangedFile(file: string): EditPlan {
  return refuseEdit(l10n.t('{0} has changed since it was evaluated. Evaluate it and try again.', basename(file)));
}

/**
 * Sessions as a sidecar applies to them: not joined with other files, with the ids of their file; after them the cases
 * of an evaluation set, which are sessions where they have no run.
 */
async function readUnjoinedSessions(
  files: FileSystem,
  { file, format }: TurnSource,
): Promise<Pick<FileReadResult, 'sessions' | 'problems'>> {
  const { sessions, expectations, problems } = await readFile(
    { file, isExplicit: true },
    {
      files,
      formats: await formatsByName(file, format),
      forced: false,
      stdin: undefined,
      signal: new AbortController().signal,
      locator: new TextLocator(),
    },
  );
  return { sessions: [...sessions, ...expectations.flatMap(({ session }) => session ?? [])], problems };
}

/** A custom format is defined in the configuration. */
async function formatsByName(file: string, format: string): Promise<readonly Format[]> {
  if (FORMATS.some(({ name }) => name === format)) return FORMATS;
  const { configuration } = await loadConfiguration({ cwd: dirname(file), registry: REGISTRY, agentest: 'ignore' });
  return formatsWithMappings(configuration?.map);
}

interface SidecarTarget {
  readonly key: string;
  readonly name: SuppressionTarget;
}

function findSidecarTarget(sessions: readonly Session[], pointer: Pointer): SidecarTarget | null {
  for (const [at, { id: session, turns }] of sessions.entries()) {
    const turn = turns.findIndex((candidate) => candidate.pointer === pointer);
    if (turn >= 0) return { key: `${at} ${turn}`, name: { session, isOnly: sessions.length === 1, turn } };
  }
  return null;
}

/** Where an edit goes. */
interface EditPlace {
  readonly file: string;
  /** The sidecar, and its text; null: there is none yet. */
  readonly path: string;
  readonly text: string | null;
  readonly sessions: readonly Session[];
  readonly target: SidecarTarget;
}

type Addition<Type> = Extract<SidecarEdit['add'], { readonly type: Type }>;

function withSuppression(
  { path, text, sessions, target }: EditPlace,
  { suppression }: Addition<'suppression'>,
): EditPlan {
  const after = addSuppression(text, target.name, suppression);
  const before = text === null ? new Set() : suppressedTurns(sessions, path, text, suppression);
  const accepted = suppressedTurns(sessions, path, after, suppression);
  const isAlone = [...accepted].every((key) => key === target.key || before.has(key));
  if (isAlone && accepted.has(target.key)) return { change: { path, before: text, after } };
  return refuseEdit(l10n.t('the sidecar cannot name this turn alone. Check it for duplicate keys or session ids.'), {
    file: path,
    line: null,
  });
}

function withFeedback(
  { file, path, text, sessions, target }: EditPlace,
  { of, isOfTurn, entry }: Addition<'feedback'>,
): EditPlan {
  const { session, isOnly, turn: index } = target.name;
  if (sessions.filter(({ id }) => id === session).length > 1) {
    return refuseEdit(
      l10n.t('{0} has several sessions with the id "{1}", so a sidecar cannot name this one.', basename(file), session),
    );
  }
  const id = sessions.find((candidate) => candidate.id === session)?.turns[index]?.id ?? '';
  const after = setFeedback(text, { session, isOnly, turn: isOfTurn ? { index, id } : null, target: of }, entry);
  const wrong = sidecarError(sessions, path, after);
  return wrong ? refuseEdit(wrong.message, wrong) : { change: { path, before: text, after } };
}
