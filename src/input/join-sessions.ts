import { jsonEqual } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import { type Session, type Turn, turnFile } from '../core/session.ts';
import { UniqueIds } from '../formats/ids.ts';
import { isFromHistory } from '../formats/spans/turn-registry.ts';
import { compareStart } from '../formats/values.ts';
import { ProblemsByFile } from './problems-by-file.ts';

/**
 * Makes one session of the sessions that share a format and an id, where the format writes one trace per turn. It
 * stands where its first part stood, and its turns are in the order of their start.
 *
 * @param joins whether sessions of a format are joined.
 */
export function joinSessions(
  sessions: readonly Session[],
  joins: (format: string) => boolean,
): { readonly sessions: readonly Session[]; readonly problems: readonly Problem[] } {
  const groups = new Map<string | Session, Session[]>();
  for (const session of sessions) {
    const { format } = session.source;
    const key = joins(format) ? JSON.stringify([format, session.id]) : session;
    const group = groups.get(key);
    if (group) group.push(session);
    else groups.set(key, [session]);
  }
  const told = new ProblemsByFile();
  const joined = Array.from(groups.values(), (parts) => (parts.length > 1 ? joinParts(parts, told) : parts));
  return { sessions: joined.flat(), problems: told.list() };
}

function joinParts(parts: readonly Session[], told: ProblemsByFile): Session[] {
  const [first] = parts;
  if (!first) return [];
  const warn = (code: string, message: string) => {
    const { file, pointer } = first.source;
    told.of(file).warn(code, pointer, `Session "${first.id}" ${message}`);
  };
  const tools = firstDefined(parts, 'tools');
  const turns = dropDuplicateTurns(
    dropReplayedTurns(partsByStart(parts)).map(({ turn, part }) => turnOfJoinedSession(turn, part, first, tools)),
    (turn) => turnFile(first, turn),
    warn,
  );
  if (turns.some(({ startedAt, id }) => startedAt === undefined && !isFromHistory(id))) {
    warn(
      'no-start-time',
      'is made of several traces; its turns without a start time come last, in the order of files.',
    );
  }
  const ids = new UniqueIds();
  const joined: Session = {
    id: first.id,
    source: first.source,
    goal: firstDefined(parts, 'goal'),
    ...pointersIntoFirst(first, parts),
    profile: firstDefined(parts, 'profile'),
    coding: firstDefined(parts, 'coding'),
    system: firstDefined(parts, 'system'),
    knowledge: firstDefined(parts, 'knowledge'),
    metadata: mergeEntries(parts, 'metadata'),
    task: firstDefined(parts, 'task'),
    tools,
    reference: mergeEntries(parts, 'reference'),
    scores: mergeEntries(parts, 'scores'),
    suppressions: firstDefined(parts, 'suppressions') && parts.flatMap((part) => part.suppressions ?? []),
    feedback: firstDefined(parts, 'feedback') && parts.flatMap((part) => part.feedback ?? []),
    turns: turns.map((turn) => ({ ...turn, id: ids.claim(turn.id) })),
  };
  return [joined];
}

/** Of what the joined session has from its first file: pointers lead into that file. */
function pointersIntoFirst(
  first: Session,
  parts: readonly Session[],
): Pick<Session, 'goalPointer' | 'systemPointer' | 'knowledgePointer'> {
  const { goal, goalPointer, system, systemPointer, knowledge, knowledgePointer } = first;
  return {
    ...(goal === firstDefined(parts, 'goal') ? { goalPointer } : {}),
    ...(system === firstDefined(parts, 'system') ? { systemPointer } : {}),
    ...(knowledge === firstDefined(parts, 'knowledge') ? { knowledgePointer } : {}),
  };
}

interface SessionPart {
  readonly turn: Turn;
  readonly part: Session;
  /** When it started; of a turn that only a history shows, when the turn started that the history belongs to. */
  readonly startedAt: string | undefined;
}

/** By start; turns without one come last, but those of a history stand before the turn that it belongs to. */
function partsByStart(parts: readonly Session[]): readonly SessionPart[] {
  const found = parts.flatMap((part) => {
    let next: string | undefined;
    const ofPart: SessionPart[] = [];
    for (const turn of part.turns.toReversed()) {
      const startedAt = turn.startedAt ?? (isFromHistory(turn.id) ? next : undefined);
      next = startedAt;
      ofPart.push({ turn, part, startedAt });
    }
    return ofPart.reverse();
  });
  return found.toSorted(compareStart);
}

/**
 * Without the turns that a trace tells again from its history, where another file has the traces of them. A user may
 * ask the same twice: of a text, a history tells those that came before.
 */
function dropReplayedTurns(turns: readonly SessionPart[]): readonly SessionPart[] {
  const known = new Map<string | null, number>();
  const retold = new Map<string, Map<string | null, number>>();
  return turns.filter(({ turn, part, startedAt }) => {
    const { input, id } = turn;
    const before = known.get(input) ?? 0;
    if (isFromHistory(id)) {
      const history = JSON.stringify([part.source.file, startedAt]);
      const told = retold.get(history) ?? new Map<string | null, number>();
      const count = (told.get(input) ?? 0) + 1;
      retold.set(history, told.set(input, count));
      if (count <= before) return false;
    }
    known.set(input, before + 1);
    return true;
  });
}

/** A trace that two files hold is one turn: counted twice it would weigh twice. One may hold what the other leaves out. */
function dropDuplicateTurns(
  turns: readonly Turn[],
  fileOfTurn: (turn: Turn) => string,
  warn: (code: string, message: string) => void,
): readonly Turn[] {
  const files = new Map<string, string>();
  const shown = new Map(turns.flatMap((turn) => (turn.steps.length > 0 ? [[turn.id, fileOfTurn(turn)]] : [])));
  return turns.filter((turn) => {
    const key = JSON.stringify([turn.id, turn.startedAt, turn.input, turn.output]);
    const file = fileOfTurn(turn);
    const whole = turn.steps.length > 0 ? undefined : shown.get(turn.id);
    if (whole !== undefined && whole !== file) return false;
    const other = files.get(key);
    if (other === undefined) files.set(key, file);
    if (other === undefined || other === file) return true;
    warn('same-turn-twice', `has its turn "${turn.id}" in ${other} and in ${file}: it counts once.`);
    return false;
  });
}

/** A turn of a part keeps its own file, and its own catalogue where that is another one. */
function turnOfJoinedSession(turn: Turn, part: Session, whole: Session, catalogue: Session['tools']): Turn {
  const file = turn.file ?? part.source.file;
  const tools = turn.tools ?? (jsonEqual(part.tools, catalogue) ? undefined : part.tools);
  return {
    ...turn,
    ...(file === whole.source.file ? {} : { file }),
    ...(tools === undefined ? {} : { tools }),
  };
}

function firstDefined<Key extends keyof Session>(parts: readonly Session[], key: Key): Session[Key] | undefined {
  return parts.find((part) => part[key] !== undefined)?.[key];
}

/** The entries of all parts; of those with the same key, the first. */
function mergeEntries<Key extends 'metadata' | 'reference' | 'scores'>(
  parts: readonly Session[],
  key: Key,
): Session[Key] | undefined {
  const entries = parts.toReversed().flatMap((part) => Object.entries(part[key] ?? {}));
  return entries.length > 0 ? (Object.fromEntries(entries) as Session[Key]) : undefined;
}
