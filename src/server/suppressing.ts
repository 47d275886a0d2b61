import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfiguration } from '../config/load.ts';
import { VOCABULARY } from '../config/vocabulary.ts';
import type { Pointer, Session, Suppression } from '../core/session.ts';
import { formatsWith } from '../formats/mapped.ts';
import type { Files } from '../input/files.ts';
import { TextLocator } from '../input/locator.ts';
import { readFile } from '../input/read.ts';
import type { FindingArgument } from '../protocol/edits.ts';
import { ruleOf } from '../rules/index.ts';
import type { Context } from './context.ts';
import { hashOf } from './disk.ts';
import { type Plan, refusal } from './file-change.ts';
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
  if (!ruleOf(rule)) return refusal(`there is no rule "${rule}", and only what a rule found can be accepted.`);
  const turn = turnOf(results, finding);
  if (!turn) return refusal(`${basename(fileURLToPath(uri))} is not evaluated: evaluate it, then accept the finding.`);
  try {
    return await planned(files, turn, { rule, reason });
  } catch (error) {
    return refusal(`${basename(turn.file)} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

interface TurnOfFile {
  readonly file: string;
  readonly pointer: Pointer;
  /** Of the text that was evaluated; null where it is not known. */
  readonly hash: string | null;
}

function turnOf(results: Context['results'], { uri, session: key, turn: index }: FindingArgument): TurnOfFile | null {
  const there = results.sessionsIn(fileURLToPath(uri));
  const session = key === undefined ? (there.length === 1 ? there[0] : undefined) : results.session(key);
  const turn = session?.detail.report.turns.find((one) => one.index === index);
  if (!session || !turn) return null;
  const file = turn.file ?? session.file;
  return { file, pointer: turn.pointer, hash: results.textsOf(session).get(file)?.stamp?.hash ?? null };
}

async function planned(files: Files, { file, pointer, hash }: TurnOfFile, suppression: Suppression): Promise<Plan> {
  const isOther = hash !== null && hashOf(await files.read(file)) !== hash;
  const sessions = isOther ? [] : await sessionsOf(files, file);
  if (sessions.length === 0 && !isOther) {
    return refusal(`${basename(file)} says what is expected and holds no session: no sidecar beside it is read.`);
  }
  const target = targetIn(sessions, pointer);
  if (!target) {
    return refusal(`${basename(file)} has changed since it was evaluated: evaluate it, then accept the finding.`);
  }
  const sidecar = await sidecarOf(files, file);
  if ('refused' in sidecar) return sidecar;
  const { path, text } = sidecar;
  const broken = text === null ? null : brokenPart(sessions, path, text);
  if (broken) return refusal(broken.message, broken);

  const before = text === null ? new Set() : acceptedTurns(sessions, path, text, suppression);
  for (const name of target.names) {
    const after = withSuppression(text, name, suppression);
    const accepted = acceptedTurns(sessions, path, after, suppression);
    const isAlone = [...accepted].every((key) => key === target.key || before.has(key));
    if (isAlone && accepted.has(target.key)) return { change: { path, before: text, after } };
  }
  return refusal(`${basename(file)} has several sessions or turns with one id, so that no sidecar can mean this turn.`);
}

/** Those of one file, as its sidecar meets them: not joined with those of others, and with the ids that they have there. */
async function sessionsOf(files: Files, file: string): Promise<readonly Session[]> {
  const request = { cwd: dirname(file), vocabulary: VOCABULARY, code: 'refuse' } as const;
  const { configuration } = await loadConfiguration(request);
  const { sessions } = await readFile(
    { file, named: true, size: null },
    {
      files,
      formats: formatsWith(configuration?.map),
      forced: false,
      stdin: undefined,
      signal: new AbortController().signal,
      locator: new TextLocator(),
    },
  );
  return sessions;
}

interface Target {
  readonly key: string;
  /** How a sidecar may name it: the first way that means it alone is taken. */
  readonly names: readonly Accepted[];
}

function targetIn(sessions: readonly Session[], pointer: Pointer): Target | null {
  for (const [at, { id: session, turns }] of sessions.entries()) {
    const index = turns.findIndex((turn) => turn.pointer === pointer);
    const turn = turns[index];
    if (!turn) continue;
    const isOnly = sessions.length === 1;
    const names = [{ index }, { id: turn.id }].map((name) => ({ session, isOnly, turn: name }));
    return { key: `${at} ${index}`, names };
  }
  return null;
}
