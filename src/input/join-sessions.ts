import { jsonEqual } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import { joinTags, type Session, type Turn, turnFile } from '../core/session.ts';
import { UniqueIds } from '../formats/ids.ts';
import { isFromHistory } from '../formats/spans/turn-registry.ts';
import { compareStart } from '../formats/values.ts';
import { ProblemsByFile } from './problems-by-file.ts';

/**
 * Joins sessions with the same format and id, for formats that write one trace per turn. The joined session takes the
 * position of its first part; its turns are sorted by start time.
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
  const problems = new ProblemsByFile();
  const joined = Array.from(groups.values(), (parts) => (parts.length > 1 ? joinParts(parts, problems) : parts));
  return { sessions: joined.flat(), problems: problems.list() };
}

function joinParts(parts: readonly Session[], problems: ProblemsByFile): Session[] {
  const [first] = parts;
  if (!first) return [];
  const warn = (code: string, message: string) => {
    const { file, pointer } = first.source;
    problems.of(file).warn(code, pointer, `Session "${first.id}" ${message}`);
  };
  const tools = firstDefined(parts, 'tools');
  const turns = dropDuplicateTurns(
    dropReplayedTurns(partsByStart(parts)).map(({ turn, part }) => turnOfJoinedSession(turn, part, first, tools)),
    (turn) => turnFile(first, turn),
    warn,
  );
  if (turns.some(({ startedAt, id }) => startedAt === undefined && !isFromHistory(id))) {
    warn('no-start-time', 'has several traces; turns without a start time come last, in file order.');
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
    tags: joinTags(parts.map(({ tags }) => tags)),
    agentVersion: firstDefined(parts, 'agentVersion'),
    tools,
    reference: mergeEntries(parts, 'reference'),
    scores: mergeEntries(parts, 'scores'),
    suppressions: firstDefined(parts, 'suppressions') && parts.flatMap((part) => part.suppressions ?? []),
    feedback: firstDefined(parts, 'feedback') && parts.flatMap((part) => part.feedback ?? []),
    turns: turns.map((turn) => ({ ...turn, id: ids.claim(turn.id) })),
  };
  return [joined];
}

/** The pointers of values that come from the first part, since session pointers lead into the first file. */
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
  /** The turn's start. A turn that is only in a history has the start of the turn with that history. */
  readonly startedAt: string | undefined;
}

/** Sorted by start; turns without a start come last, except that a history's turns stay before their turn. */
function partsByStart(parts: readonly Session[]): readonly SessionPart[] {
  const sorted = parts.flatMap((part) => {
    let next: string | undefined;
    const ofPart: SessionPart[] = [];
    for (const turn of part.turns.toReversed()) {
      const startedAt = turn.startedAt ?? (isFromHistory(turn.id) ? next : undefined);
      next = startedAt;
      ofPart.push({ turn, part, startedAt });
    }
    return ofPart.reverse();
  });
  return sorted.toSorted(compareStart);
}

/**
 * Drops turns that a trace replays from its history when another file has their own traces. A user may send the same
 * text twice, so a history's turns are counted per text.
 */
function dropReplayedTurns(turns: readonly SessionPart[]): readonly SessionPart[] {
  const known = new Map<string | null, number>();
  const replays = new Map<string, Map<string | null, number>>();
  return turns.filter(({ turn, part, startedAt }) => {
    const { input, id } = turn;
    const before = known.get(input) ?? 0;
    if (isFromHistory(id)) {
      const history = JSON.stringify([part.source.file, startedAt]);
      const replayed = replays.get(history) ?? new Map<string | null, number>();
      const count = (replayed.get(input) ?? 0) + 1;
      replays.set(history, replayed.set(input, count));
      if (count <= before) return false;
    }
    known.set(input, before + 1);
    return true;
  });
}

/** Drops turns that occur in several files, which would count twice; keeps the copy that has steps. */
function dropDuplicateTurns(
  turns: readonly Turn[],
  fileOfTurn: (turn: Turn) => string,
  warn: (code: string, message: string) => void,
): readonly Turn[] {
  const files = new Map<string, string>();
  const filesWithSteps = new Map(turns.flatMap((turn) => (turn.steps.length > 0 ? [[turn.id, fileOfTurn(turn)]] : [])));
  return turns.filter((turn) => {
    const key = JSON.stringify([turn.id, turn.startedAt, turn.input, turn.output]);
    const file = fileOfTurn(turn);
    const whole = turn.steps.length > 0 ? undefined : filesWithSteps.get(turn.id);
    if (whole !== undefined && whole !== file) return false;
    const other = files.get(key);
    if (other === undefined) files.set(key, file);
    if (other === undefined || other === file) return true;
    warn('same-turn-twice', `has turn "${turn.id}" in both ${other} and ${file}; it counts once.`);
    return false;
  });
}

/** Keeps a turn's own file, and its own tool catalogue if it differs from the session's. */
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

/** The entries of all parts; the first part wins for a key. */
function mergeEntries<Key extends 'metadata' | 'reference' | 'scores'>(
  parts: readonly Session[],
  key: Key,
): Session[Key] | undefined {
  const entries = parts.toReversed().flatMap((part) => Object.entries(part[key] ?? {}));
  return entries.length > 0 ? (Object.fromEntries(entries) as Session[Key]) : undefined;
}
