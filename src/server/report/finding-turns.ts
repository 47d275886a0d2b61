import type { Session } from '../../core/session.ts';
import type { Found, Hit, Wanted } from '../../protocol/find.ts';
import type { CancellationToken } from '../../protocol/request.ts';
import type { HeldSession } from '../held/rows.ts';
import { foundByTurn } from './findings.ts';
import { literal } from './passages.ts';
import { isScore } from './scores.ts';
import { type FirstFound, Searchable } from './searchable.ts';
import { reportOfTurn } from './turn-reports.ts';

/** Turns that are shown with the words around what was found. */
const HITS = 200;
/** Characters around it. */
const AROUND = 40;
/** Of what was found itself. */
const MATCH = 120;
/** More occurrences in one turn are not counted. */
const MOST_IN_TURN = 1000;

/** So long at a time, in milliseconds: then others have their turn, and it is seen whether the answer is still wanted. */
const SLICE_MS = 8;

/**
 * The turns that are wanted. Nothing that was read is read again; a text that goes on from the one that was sought before is
 * sought only where that was.
 *
 * @param session null: what was said cannot be read again, and only what was found is searched.
 */
export async function findTurns(
  held: HeldSession,
  session: Session | null,
  { text = '', ...wanted }: Wanted,
  token: CancellationToken,
): Promise<Found> {
  const turns: number[] = [];
  const hits: Hit[] = [];
  let occurrences = 0;
  const isWanted = filterOf(held, wanted);
  const sought = text.trim() === '' ? null : new RegExp(literal(text), 'giu');
  const searchable = session && sought ? Searchable.of(session) : null;
  const among = searchable?.among(text);
  const containing: number[] = [];
  let until = performance.now() + SLICE_MS;
  for (let turn = 0; turn < held.row.turns; turn += 1) {
    if (performance.now() > until) {
      await new Promise(setImmediate);
      if (token.isCancellationRequested) return NOTHING;
      until = performance.now() + SLICE_MS;
    }
    // What is said of a turn is searched too, which is not remembered.
    const said = sought && (among?.has(turn) ?? true) ? searchable?.find(turn, sought, MOST_IN_TURN) : undefined;
    if (said && said.count > 0) containing.push(turn);
    if (!isWanted(turn)) continue;
    if (!sought) {
      turns.push(turn);
      continue;
    }
    const found = findingsOf(held, turn, sought);
    const count = (said?.count ?? 0) + found.count;
    const first = said?.first ?? found.first;
    if (count === 0 || !first) continue;
    turns.push(turn);
    occurrences += count;
    if (hits.length < HITS) hits.push(hitOf(turn, count, first));
  }
  searchable?.remember(text, containing);
  return { turns, occurrences, hits, ...(sought && !session ? { unread: true as const } : {}) };
}

const NOTHING: Found = { turns: [], occurrences: 0, hits: [] };

function hitOf(turn: number, count: number, { text, start, end, address }: FirstFound): Hit {
  const before = text.slice(Math.max(0, start - AROUND), start);
  const behind = text.slice(end, end + AROUND);
  return {
    turn,
    count,
    snippet: {
      before: `${start > AROUND ? '…' : ''}${before.toWellFormed()}`,
      match: text.slice(start, Math.min(end, start + MATCH)).toWellFormed(),
      after: `${behind.toWellFormed()}${end + AROUND < text.length ? '…' : ''}`,
    },
    passage: address && { turn, ...address, start, end },
  };
}

/** In the labels and reasons of what was found. */
function findingsOf({ detail }: HeldSession, turn: number, sought: RegExp) {
  const { failures, observations } = foundByTurn(detail.found);
  let count = 0;
  let first: FirstFound | undefined;
  const said = [
    ...(failures.get(turn) ?? []).flatMap(({ label, reason }) => [label, reason]),
    ...(observations.get(turn) ?? []).map(({ reason }) => reason),
  ];
  for (const text of said) {
    for (const match of text.matchAll(sought)) {
      count += 1;
      first ??= { text, start: match.index, end: match.index + match[0].length, address: null };
    }
  }
  return { count, first };
}

/** Whether a turn is what is wanted, its texts aside. */
function filterOf(held: HeldSession, wanted: Omit<Wanted, 'text'>): (turn: number) => boolean {
  const { metrics, labels, severities, statuses, belowThreshold = false } = wanted;
  const ofMetrics = metrics && metrics.length > 0 ? new Set(metrics) : null;
  const ofStatuses = statuses && statuses.length > 0 ? new Set(statuses) : null;
  const ofLabels = labels && labels.length > 0 ? new Set(labels) : null;
  const ofSeverities = severities && severities.length > 0 ? new Set(severities) : null;
  const { failures } = foundByTurn(held.detail.found);

  const hasResult = (turn: number): boolean => {
    const results = reportOfTurn(held, turn)?.metrics ?? {};
    for (const metric of ofMetrics ?? Object.keys(results)) {
      const result = Object.hasOwn(results, metric) ? results[metric] : undefined;
      if (!result || result.implied) continue;
      if (belowThreshold && result.passed !== false) continue;
      if (ofStatuses ? ofStatuses.has(result.status) : belowThreshold || isScore(result.status)) return true;
    }
    return false;
  };
  const hasFailure = (turn: number): boolean =>
    (failures.get(turn) ?? []).some(
      ({ label, severity }) => (ofLabels?.has(label) ?? true) && (ofSeverities?.has(severity) ?? true),
    );
  return (turn) =>
    (!(ofMetrics || ofStatuses || belowThreshold) || hasResult(turn)) &&
    (!(ofLabels || ofSeverities) || hasFailure(turn));
}
