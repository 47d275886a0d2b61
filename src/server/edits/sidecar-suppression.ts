import { parse } from 'jsonc-parser';
import { get } from '../../core/json.ts';
import type { Suppression } from '../../core/session.ts';
import { isSameRule } from '../../rules/index.ts';
import { setJsonValue } from './json-edit.ts';

/** The turn that a suppression in a sidecar is about. */
export interface SuppressionTarget {
  /** The id of the session. */
  readonly session: string;
  /** Whether it is the only session of its trace: then its id can be left out. */
  readonly isOnly: boolean;
  /** Zero-based index. */
  readonly turn: number;
}

/**
 * The text of a sidecar with one more suppression. Everything else, comments too, stays as written.
 *
 * @param text null: there is no sidecar yet.
 */
export function addSuppression(
  text: string | null,
  { session, isOnly, turn }: SuppressionTarget,
  suppression: Suppression,
): string {
  const ofTurn = { index: turn, suppressions: [suppression] };
  if (text === null) {
    const sidecar = isOnly ? { turns: [ofTurn] } : { sessions: [{ id: session, turns: [ofTurn] }] };
    return `${JSON.stringify(sidecar, null, 2)}\n`;
  }
  const sidecar: unknown = parse(text);
  const sessions = arrayAt(sidecar, 'sessions');
  // Of entries with the same id the last one counts.
  const at = sessions.findLastIndex((entry) => get(entry, 'id') === session);
  if (at < 0 && !isOnly) return setJsonValue(text, ['sessions', sessions.length], { id: session, turns: [ofTurn] });

  const path = at < 0 ? [] : ['sessions', at];
  const turns = arrayAt(at < 0 ? sidecar : sessions[at], 'turns');
  const own = turns.findIndex((entry) => get(entry, 'index') === turn);
  if (own < 0) return setJsonValue(text, [...path, 'turns', turns.length], ofTurn);

  const suppressions = arrayAt(turns[own], 'suppressions');
  const known = suppressions.findIndex((entry) => {
    const rule = get(entry, 'rule');
    return typeof rule === 'string' && isSameRule(rule, suppression.rule);
  });
  const entryPath = [...path, 'turns', own, 'suppressions', known < 0 ? suppressions.length : known];
  return known < 0
    ? setJsonValue(text, entryPath, suppression)
    : setJsonValue(text, [...entryPath, 'reason'], suppression.reason);
}

function arrayAt(holder: unknown, key: string): readonly unknown[] {
  const list = get(holder, key);
  return Array.isArray(list) ? list : [];
}
