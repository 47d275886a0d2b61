import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
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
import type { FindingArgument } from '../../protocol/edits.ts';
import { findRule } from '../../rules/index.ts';
import type { Context } from '../context.ts';
import { contentHash } from '../disk/content-hash.ts';
import { type Plan, refusal } from '../disk/file-change.ts';
import { type Accepted, withSuppression } from './sidecar-edit.ts';
import { acceptedTurns, brokenPart, sidecarOf } from './sidecar-file.ts';

/**
 * What the sidecar beside a trace is to say, so that a finding is accepted. Never rejects.
 *
 * A sidecar names turns as their own file has them, before files are joined: so the file is read once more.
 */
export async function planSuppression(
  { results, files }: Pick<Context, 'results' | 'files'>,
  finding: FindingArgument,
  reason: string,
): Promise<Plan> {
  const { rule, uri } = finding;
  if (!findRule(rule)) return refusal(`there is no rule "${rule}", and only what a rule found can be suppressed.`);
  const turn = turnOf(results, finding);
  if (!turn) return refusal(`this finding is not held: evaluate ${basename(fileURLToPath(uri))}, then suppress it.`);
  try {
    return await planned(files, turn, { rule, reason });
  } catch (error) {
    return refusal(`${basename(turn.file)} cannot be read: ${describeSystemError(error)}.`);
  }
}

/** A turn where it stands. */
export interface TurnOfFile {
  readonly file: string;
  readonly pointer: Pointer;
  /** As which the session was read. */
  readonly format: string;
  /** Of the text that was evaluated; null where it is not known. */
  readonly hash: string | null;
}

function turnOf(results: Context['results'], { uri, session: key, turn: index }: FindingArgument): TurnOfFile | null {
  const there = results.sessionsIn(fileURLToPath(uri));
  const session = key === undefined ? (there.length === 1 ? there[0] : undefined) : results.session(key);
  const turn = session?.detail.report.turns.find((one) => one.index === index);
  if (!session || !turn) return null;
  const file = turn.file ?? session.file;
  const { format } = session.detail.report.source;
  return { file, pointer: turn.pointer, format, hash: results.textsOf(session).get(file)?.stamp?.hash ?? null };
}

async function planned(files: FileSystem, turn: TurnOfFile, suppression: Suppression): Promise<Plan> {
  const { file, pointer, hash } = turn;
  if (hash !== null && contentHash(file, await files.read(file)) !== hash) return changed(file);
  const { sessions, problems } = await reading(files, turn);
  if (sessions.length === 0) {
    const broken = problems.find(({ severity }) => severity === 'error');
    return broken ? refusal(broken.message, broken) : changed(file);
  }
  const target = targetIn(sessions, pointer);
  if (!target) return changed(file);
  const sidecar = await sidecarOf(files, file);
  if ('refused' in sidecar) return sidecar;
  const { path, text } = sidecar;
  const broken = text === null ? null : brokenPart(sessions, path, text);
  if (broken) return refusal(broken.message, broken);

  const after = withSuppression(text, target.name, suppression);
  const before = text === null ? new Set() : acceptedTurns(sessions, path, text, suppression);
  const accepted = acceptedTurns(sessions, path, after, suppression);
  const isAlone = [...accepted].every((key) => key === target.key || before.has(key));
  if (isAlone && accepted.has(target.key)) return { change: { path, before: text, after } };
  return refusal('a sidecar cannot mean this turn alone. Are there keys or session ids that stand in it twice?', {
    file: path,
    line: null,
  });
}

function changed(file: string): Plan {
  return refusal(`${basename(file)} has changed since it was evaluated: evaluate it, then suppress the finding.`);
}

/**
 * Sessions as their sidecar meets them: not joined with those of other files, and with the ids that they have there; behind
 * them the cases of an evaluation set, which are sessions where they have no run.
 */
export async function reading(
  files: FileSystem,
  { file, format }: TurnOfFile,
): Promise<Pick<FileReadResult, 'sessions' | 'problems'>> {
  const { sessions, expectations, problems } = await readFile(
    { file, isExplicit: true, size: null },
    {
      files,
      formats: await formatsFor(file, format),
      forced: false,
      stdin: undefined,
      signal: new AbortController().signal,
      locator: new TextLocator(),
    },
  );
  return { sessions: [...sessions, ...expectations.flatMap(({ session }) => session ?? [])], problems };
}

/** A format of the user's own is in the configuration. */
async function formatsFor(file: string, format: string): Promise<readonly Format[]> {
  if (FORMATS.some(({ name }) => name === format)) return FORMATS;
  const { configuration } = await loadConfiguration({ cwd: dirname(file), registry: REGISTRY });
  return formatsWithMappings(configuration?.map);
}

interface Target {
  readonly key: string;
  readonly name: Accepted;
}

export function targetIn(sessions: readonly Session[], pointer: Pointer): Target | null {
  for (const [at, { id: session, turns }] of sessions.entries()) {
    const turn = turns.findIndex((one) => one.pointer === pointer);
    if (turn >= 0) return { key: `${at} ${turn}`, name: { session, isOnly: sessions.length === 1, turn } };
  }
  return null;
}
