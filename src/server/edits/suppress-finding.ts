import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import type { Pointer, Session, Suppression } from '../../core/session.ts';
import type { Format } from '../../formats/format.ts';
import { FORMATS } from '../../formats/index.ts';
import { formatsWithMappings } from '../../formats/mapped/mapped-format.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { TextLocator } from '../../input/locator.ts';
import { type FileReadResult, readFile } from '../../input/read-file.ts';
import { describeSystemError } from '../../input/system-error.ts';
import type { FindingArgument } from '../../protocol/finding-edits.ts';
import { findRule } from '../../rules/index.ts';
import type { ServerContext } from '../context.ts';
import { contentHash } from '../disk/content-hash.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { findSidecar, sidecarError, suppressedTurns } from './sidecar-file.ts';
import { addSuppression, type SuppressionTarget } from './sidecar-suppression.ts';

/**
 * Plans to suppress a finding in the sidecar beside its trace. Never rejects.
 *
 * A sidecar names turns as their own file has them, before files are joined, so the file is read again.
 */
export async function planSuppression(
  { results, files }: Pick<ServerContext, 'results' | 'files'>,
  finding: FindingArgument,
  reason: string,
): Promise<EditPlan> {
  const { rule, uri } = finding;
  if (!findRule(rule))
    return refuseEdit(l10n.t('there is no rule "{0}". Only findings of rules can be suppressed.', rule));
  const turn = findTurn(results, finding);
  if (!turn)
    return refuseEdit(
      l10n.t('this finding is no longer in the results. Evaluate {0} and try again.', basename(fileURLToPath(uri))),
    );
  try {
    return await planSidecarEdit(files, turn, { rule, reason });
  } catch (error) {
    return refuseEdit(l10n.t('{0} cannot be read: {1}.', basename(turn.file), describeSystemError(error)));
  }
}

/** A turn in its file. */
export interface TurnSource {
  readonly file: string;
  readonly pointer: Pointer;
  /** The format in which the session was read. */
  readonly format: string;
  /** Of the text that was evaluated; null where it is unknown. */
  readonly hash: string | null;
}

function findTurn(
  results: ServerContext['results'],
  { uri, session: key, turn: index }: FindingArgument,
): TurnSource | null {
  const there = results.sessionsIn(fileURLToPath(uri));
  const session = key === undefined ? (there.length === 1 ? there[0] : undefined) : results.session(key);
  const turn = session?.detail.report.turns.find((candidate) => candidate.index === index);
  if (!session || !turn) return null;
  const file = turn.file ?? session.file;
  const { format } = session.detail.report.source;
  return { file, pointer: turn.pointer, format, hash: results.versionsOf(session).get(file)?.stamp?.hash ?? null };
}

async function planSidecarEdit(files: FileSystem, turn: TurnSource, suppression: Suppression): Promise<EditPlan> {
  const { file, pointer, hash } = turn;
  if (hash !== null && contentHash(file, await files.read(file)) !== hash) return refuseChangedFile(file);
  const { sessions, problems } = await readUnjoinedSessions(files, turn);
  if (sessions.length === 0) {
    const broken = problems.find(({ severity }) => severity === 'error');
    return broken ? refuseEdit(broken.message, broken) : refuseChangedFile(file);
  }
  const target = findSidecarTarget(sessions, pointer);
  if (!target) return refuseChangedFile(file);
  const sidecar = await findSidecar(files, file);
  if ('error' in sidecar) return sidecar;
  const { path, text } = sidecar;
  const broken = text === null ? null : sidecarError(sessions, path, text);
  if (broken) return refuseEdit(broken.message, broken);

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

function refuseChangedFile(file: string): EditPlan {
  return refuseEdit(l10n.t('{0} has changed since it was evaluated. Evaluate it and try again.', basename(file)));
}

/**
 * Sessions as a sidecar applies to them: not joined with other files, with the ids of their file; after them the cases
 * of an evaluation set, which are sessions where they have no run.
 */
export async function readUnjoinedSessions(
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

export function findSidecarTarget(sessions: readonly Session[], pointer: Pointer): SidecarTarget | null {
  for (const [at, { id: session, turns }] of sessions.entries()) {
    const turn = turns.findIndex((candidate) => candidate.pointer === pointer);
    if (turn >= 0) return { key: `${at} ${turn}`, name: { session, isOnly: sessions.length === 1, turn } };
  }
  return null;
}
