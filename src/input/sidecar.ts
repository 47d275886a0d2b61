import { childPointer } from '../core/pointer.ts';
import type { Problem } from '../core/problem.ts';
import { outcomeOfStatement, recordedOutcome } from '../core/recorded-outcome.ts';
import {
  type Feedback,
  joinTags,
  type Pointer,
  type Session,
  type Suppression,
  type Tool,
  type Turn,
} from '../core/session.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { stemOf } from '../formats/ids.ts';
import { type DeclaredTask, withDeclaredTask } from '../formats/mapped/task-mapper.ts';
import { Problems } from '../formats/problems.ts';
import { warnUncheckedState } from '../formats/turnwise.ts';
import { parseLenient } from './parse-lenient.ts';
import { baseName, folderOf } from './paths.ts';
import { type SidecarSession, type SidecarTurn, sidecarSchema } from './sidecar-schema.ts';
import { readToolCatalogue } from './supplements.ts';

/** Possible sidecars of a trace, most specific first: `a.trace.turnwise.json`, then `a.turnwise.json` for `a.trace.json`. */
export function sidecarNames(file: string): string[] {
  const folder = folderOf(file);
  const stems = [baseName(file).replace(/\.[^.]*$/, ''), stemOf(file)];
  const names = stems.map((stem) => `${folder}${stem}.turnwise.json`);
  return [...new Set(names)].filter((name) => name !== file);
}

/**
 * Adds a sidecar's values to the sessions of its trace. The trace's own values win, then those for the session, then
 * those for all sessions.
 *
 * @param value the parsed sidecar, not validated. @param file its name, for problems.
 */
export function applySidecar(
  sessions: readonly Session[],
  value: unknown,
  file: string,
): { readonly sessions: readonly Session[]; readonly problems: readonly Problem[] } {
  const { value: sidecar, problems } = parseLenient(sidecarSchema, value, file);
  if (!sidecar) return { sessions, problems };
  const warnings = new Problems(file);
  const hasSeveral = sessions.length > 1;
  if (hasSeveral && sidecar.turns) {
    const message = `The trace has ${sessions.length} sessions: move these turns to an entry of "sessions".`;
    warnings.warn('turns-without-session', '/turns', message);
  }
  if (hasSeveral && sidecar.task?.trial !== undefined) {
    const message = `The trace has ${sessions.length} sessions, and all of them get this trial. Move it to entries of "sessions".`;
    warnings.warn('trial-without-session', '/task/trial', message);
  }
  const all = prepareEntry({ ...sidecar, turns: hasSeveral ? undefined : sidecar.turns }, '', warnings);
  const entries = new Map(
    sidecar.sessions?.map((entry, index) => [entry.id, prepareEntry(entry, `/sessions/${index}`, warnings)] as const),
  );
  const known = new Set(sessions.map(({ id }) => id));
  for (const [id, { pointer }] of entries) {
    if (!known.has(id))
      warnings.warn('unknown-session', pointer, `The trace has no session with the id "${id}". Check the id.`);
  }
  for (const [entry, affected] of [
    [all, sessions] as const,
    ...[...entries].map(([id, entry]) => [entry, sessions.filter((session) => session.id === id)] as const),
  ]) {
    if (
      entry.entry.reference?.finalState !== undefined &&
      affected.some(({ finalState }) => finalState === undefined)
    ) {
      warnUncheckedState(childPointer(entry.pointer, 'reference', 'finalState'), warnings);
    }
  }
  const merged = sessions.map((session) => {
    const entry = entries.get(session.id);
    const own = entry ? applyEntry(session, entry, baseName(file), warnings) : session;
    const both = applyEntry(own, all, baseName(file), warnings);
    const result = applyTask(
      // A person's statement takes precedence over the format's, and one on a session over one on all.
      { ...both, coding: entry?.entry.coding ?? all.entry.coding ?? session.coding },
      [all, ...(entry ? [entry] : [])],
      warnings,
    );
    const isExpecting = saysWhatIsExpected(all) || (entry !== undefined && saysWhatIsExpected(entry));
    return isExpecting ? { ...result, expectationFiles: [...(result.expectationFiles ?? []), file] } : result;
  });
  return { sessions: merged, problems: [...problems, ...warnings.list()] };
}

/** An entry with parsed tools. */
interface PreparedEntry {
  readonly entry: SidecarSession;
  readonly turns: readonly { readonly entry: SidecarTurn; readonly tools: readonly Tool[] | undefined }[];
  readonly tools: readonly Tool[] | undefined;
  readonly pointer: Pointer;
}

function saysWhatIsExpected({ entry, turns }: PreparedEntry): boolean {
  return (
    entry.reference !== undefined ||
    entry.outcome !== undefined ||
    turns.some((turn) => turn.entry.reference !== undefined)
  );
}

function prepareEntry(entry: SidecarSession, pointer: Pointer, warnings: Problems): PreparedEntry {
  const toolsOf = (tools: readonly unknown[] | undefined, entryPointer: Pointer) =>
    tools && readToolCatalogue(tools, childPointer(entryPointer, 'tools'), warnings);
  return {
    entry,
    turns:
      entry.turns?.map((turn, index) => ({
        entry: turn,
        tools: toolsOf(turn.tools, childPointer(pointer, 'turns', index)),
      })) ?? [],
    tools: toolsOf(entry.tools, pointer),
    pointer,
  };
}

function applyEntry(
  session: Session,
  { entry, turns, tools, pointer }: PreparedEntry,
  sidecar: string,
  warnings: Problems,
): Session {
  return {
    ...session,
    goal: session.goal ?? entry.goal,
    system: session.system ?? entry.system,
    knowledge: session.knowledge ?? entry.knowledge,
    tools: session.tools ?? tools,
    reference: mergeObjects(session.reference, entry.reference),
    scores: mergeObjects(session.scores, entry.labels),
    outcome: mergeOutcome(session, entry.outcome, sidecar),
    tags: joinTags([session.tags, entry.tags]),
    suppressions: concatLists(session.suppressions, entry.suppressions),
    feedback: concatLists(session.feedback, entry.feedback),
    turns:
      turns.length > 0 ? applyTurnEntries(session, turns, childPointer(pointer, 'turns'), warnings) : session.turns,
  };
}

/** A person's statement takes precedence over the trace's. @param entries the last one wins. */
function applyTask(session: Session, entries: readonly PreparedEntry[], warnings: Problems): Session {
  const task: DeclaredTask = Object.assign({}, ...entries.map(({ entry }) => entry.task ?? {}));
  const result = withDeclaredTask(session, task);
  if (result.task === undefined) {
    for (const { entry, pointer } of entries) {
      if (!entry.task) continue;
      const message = `Session "${session.id}" has no task that this could belong to. Add the "id" of the task.`;
      warnings.warn('task-without-id', childPointer(pointer, 'task'), message);
    }
  }
  return result;
}

/** The trace's own outcome wins where it says success or failure. */
function mergeOutcome(session: Session, stated: SidecarSession['outcome'], sidecar: string): Session['outcome'] {
  const recorded = recordedOutcome(session);
  if (!stated || (recorded && recorded.status !== 'unknown')) return session.outcome;
  return outcomeOfStatement(stated, sidecar);
}

function applyTurnEntries(
  { id, turns }: Session,
  entries: PreparedEntry['turns'],
  pointer: Pointer,
  warnings: Problems,
): Turn[] {
  const merged = [...turns];
  const indexOf = new Map(turns.map((turn, index) => [turn.id, index]));
  for (const [number, { entry, tools }] of entries.entries()) {
    const index = entry.index ?? indexOf.get(entry.id ?? '') ?? -1;
    const turn = merged[index];
    if (!turn) {
      const what = entry.id === undefined ? `with the index ${entry.index}` : `"${entry.id}"`;
      const message = `Session "${id}" has no turn ${what}; it has ${pluralize(turns.length, 'turn')}. Check the entry.`;
      warnings.warn('unknown-turn', childPointer(pointer, number), message);
      continue;
    }
    merged[index] = {
      ...turn,
      tools: turn.tools ?? tools,
      reference: mergeObjects(turn.reference, entry.reference),
      scores: mergeObjects(turn.scores, entry.labels),
      suppressions: concatLists(turn.suppressions, entry.suppressions),
      feedback: concatLists(turn.feedback, entry.feedback),
    };
  }
  return merged;
}

function mergeObjects<Value extends object>(own: Value | undefined, more: Value | undefined): Value | undefined {
  return own && more ? { ...more, ...own } : (own ?? more);
}

function concatLists<One extends Suppression | Feedback>(
  own: readonly One[] | undefined,
  more: readonly One[] | undefined,
): readonly One[] | undefined {
  return own && more ? [...own, ...more] : (own ?? more);
}
