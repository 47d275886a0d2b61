import { type JSONPath, parse } from 'jsonc-parser';
import { get, getArray, isObject } from '../../core/json.ts';
import type { Feedback } from '../../core/session.ts';
import { isFeedbackOn } from '../../panel/feedback.ts';
import type { FeedbackTarget } from '../../protocol/panel.ts';
import { setJsonValue } from './json-edit.ts';

/** The target of feedback in a sidecar. */
export interface FeedbackLocation {
  /** The id of the session. */
  readonly session: string;
  /** Whether it is the only session of its trace: then its id can be left out. */
  readonly isOnly: boolean;
  /** Null: the session as a whole. */
  readonly turn: { readonly index: number; readonly id: string } | null;
  readonly target: FeedbackTarget;
}

/**
 * The text of a sidecar with feedback that replaces earlier feedback on the same target. Everything else, comments
 * too, stays as written.
 *
 * @param text null: there is no sidecar yet. @param entry null: the feedback is taken back.
 */
export function setFeedback(text: string | null, location: FeedbackLocation, entry: Feedback | null): string {
  if (text === null) return entry ? `${JSON.stringify(newSidecar(location, entry), null, 2)}\n` : '{}\n';
  const cleared = removeFeedback(text, location);
  if (!entry) return cleared;
  const path = feedbackContainer(parse(cleared), location);
  const written = path.missing
    ? setJsonValue(cleared, path.path, path.missing(entry))
    : appendFeedback(cleared, path.path, entry);
  return written;
}

function newSidecar({ session, isOnly, turn }: FeedbackLocation, entry: Feedback): unknown {
  const own = turn ? { turns: [{ index: turn.index, feedback: [entry] }] } : { feedback: [entry] };
  return isOnly ? own : { sessions: [{ id: session, ...own }] };
}

function appendFeedback(text: string, holder: JSONPath, entry: Feedback): string {
  const { length } = arrayAtPath(parse(text), [...holder, 'feedback']);
  return setJsonValue(text, [...holder, 'feedback', length], entry);
}

/** Where an entry goes: the path of its container, or how to create the container. */
function feedbackContainer(
  sidecar: unknown,
  location: FeedbackLocation,
): { readonly path: JSONPath; readonly missing?: (entry: Feedback) => unknown } {
  const session = sessionPath(sidecar, location);
  if (!session) {
    const { length } = arrayAtPath(sidecar, ['sessions']);
    const whole = (entry: Feedback) => {
      const own = location.turn
        ? { turns: [{ index: location.turn.index, feedback: [entry] }] }
        : { feedback: [entry] };
      return { id: location.session, ...own };
    };
    return { path: ['sessions', length], missing: whole };
  }
  const { turn } = location;
  if (!turn) return { path: session };
  const turns = arrayAtPath(sidecar, [...session, 'turns']);
  const at = turns.findIndex((entry) => isTurnEntry(entry, turn));
  if (at >= 0) return { path: [...session, 'turns', at] };
  const missing = (entry: Feedback) => ({ index: turn.index, feedback: [entry] });
  return { path: [...session, 'turns', turns.length], missing };
}

/** Null where the sidecar has no entry for the session. */
function sessionPath(sidecar: unknown, { session, isOnly }: FeedbackLocation): JSONPath | null {
  // Of entries with the same id the last one counts.
  const at = arrayAtPath(sidecar, ['sessions']).findLastIndex((entry) => get(entry, 'id') === session);
  if (at >= 0) return ['sessions', at];
  return isOnly ? [] : null;
}

/** Removes the feedback on the target; an empty list goes too. */
function removeFeedback(text: string, location: FeedbackLocation): string {
  let left = text;
  for (const holder of feedbackContainers(parse(text), location)) {
    const list = arrayAtPath(parse(left), [...holder, 'feedback']);
    for (const [at, entry] of [...list.entries()].reverse()) {
      if (isFeedback(entry) && isFeedbackOn(entry, location.target))
        left = setJsonValue(left, [...holder, 'feedback', at], undefined);
    }
    if (list.length > 0 && arrayAtPath(parse(left), [...holder, 'feedback']).length === 0) {
      left = setJsonValue(left, [...holder, 'feedback'], undefined);
    }
  }
  return left;
}

/** All containers that may have it: feedback on an only session may be inside or outside of the session's entry. */
function feedbackContainers(sidecar: unknown, { session, isOnly, turn }: FeedbackLocation): JSONPath[] {
  const own = [...arrayAtPath(sidecar, ['sessions']).entries()].flatMap(([at, entry]): JSONPath[] =>
    get(entry, 'id') === session ? [['sessions', at]] : [],
  );
  const sessions: JSONPath[] = isOnly ? [...own, []] : own;
  if (!turn) return sessions;
  return sessions.flatMap((path) =>
    [...arrayAtPath(sidecar, [...path, 'turns']).entries()].flatMap(([at, entry]): JSONPath[] =>
      isTurnEntry(entry, turn) ? [[...path, 'turns', at]] : [],
    ),
  );
}

function isTurnEntry(entry: unknown, { index, id }: NonNullable<FeedbackLocation['turn']>): boolean {
  return get(entry, 'index') === index || get(entry, 'id') === id;
}

function isFeedback(value: unknown): value is Feedback {
  return isObject(value);
}

function arrayAtPath(value: unknown, path: JSONPath): readonly unknown[] {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>(
      (holder, key) => (typeof key === 'number' ? (Array.isArray(holder) ? holder[key] : undefined) : get(holder, key)),
      value,
    );
  const key = path.at(-1);
  return typeof key === 'string' ? (getArray(parent, key) ?? []) : [];
}
