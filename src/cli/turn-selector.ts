import { resolve } from 'node:path';
import type { Session } from '../core/session.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { sanitizeLine, truncate } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

/** A turn of a file, as args on the command line. */
export interface TurnSelector {
  readonly file: string;
  /** A JSON pointer, or the number of the turn counted from 1. */
  readonly selector: string;
}

/** Parses `FILE#POINTER`. Both the file name and the pointer may contain `#`. @throws UsageError */
export async function parseTurnSelector(text: string, { cwd }: CommandHost): Promise<TurnSelector> {
  const marks = [...text.matchAll(/#/g)].map(({ index }) => index);
  const [first] = marks;
  if (first === undefined) {
    throw new UsageError(`--turn ${text} has no turn. Write FILE#POINTER or FILE#NUMBER, such as run.json#/turns/2.`);
  }
  const parts = marks.map((at) => ({ file: text.slice(0, at), selector: text.slice(at + 1) }));
  for (const part of parts) if (await exists(resolve(cwd, part.file))) return part;
  return { file: text.slice(0, first), selector: text.slice(first + 1) };
}

async function exists(path: string): Promise<boolean> {
  const there = await nodeFileSystem.stat(path).catch(() => null);
  return there?.kind === 'file';
}

/** A turn and its session. */
export interface SelectedTurn {
  readonly session: Session;
  /** Zero-based. */
  readonly index: number;
}

/** @throws UsageError that lists the turns if none matches. */
export function selectTurn({ file, selector: which }: TurnSelector, sessions: readonly Session[]): SelectedTurn {
  const all = sessions.flatMap((session) => session.turns.map((turn, index) => ({ session, turn, index })));
  const [only, ...more] = sessions;
  if (/^\d+$/.test(which) && only) {
    if (more.length > 0)
      throw noSuchTurnError(`has ${sessions.length} sessions, so a number does not identify a turn`, file, all);
    const index = Number(which) - 1;
    if (only.turns[index]) return { session: only, index };
    throw noSuchTurnError(`has no turn ${which}`, file, all);
  }
  const [match, ...others] = all.filter(({ turn }) => turn.pointer === which);
  if (match && others.length === 0) return match;
  throw noSuchTurnError(match ? `has several turns at ${which}` : `has no turn at "${sanitizeLine(which)}"`, file, all);
}

const MAX_LISTED_TURNS = 20;

function noSuchTurnError(
  what: string,
  file: string,
  all: readonly (SelectedTurn & { readonly turn: Session['turns'][number] })[],
): UsageError {
  const lines = all.slice(0, MAX_LISTED_TURNS).map(({ session, turn, index }) => {
    const input = turn.input === null ? '' : `: ${truncate(sanitizeLine(turn.input), 50)}`;
    return `  ${sanitizeLine(`${file}#${turn.pointer}`)}  turn ${index + 1} of ${sanitizeLine(session.id)}${input}`;
  });
  const left = all.length - lines.length;
  if (left > 0) lines.push(`  and ${left} more`);
  const listed = lines.length === 0 ? 'It has no turns.' : `Its turns:\n${lines.join('\n')}`;
  return new UsageError(`--turn: ${sanitizeLine(file)} ${what}. ${listed}`);
}
