import type { CancellationToken } from '../../protocol/rpc.ts';
import type { TurnHit, TurnMatches, TurnQuery } from '../../protocol/turn-search.ts';
import { isScore } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { escapeRegExp } from './citation-finder.ts';
import type { FirstMatch } from './search-index.ts';
import type { Transcript } from './transcript.ts';

/** Turns that are returned with a snippet. */
const MAX_HITS = 200;
/** Characters around a match. */
const CONTEXT_LENGTH = 40;
/** Characters of the match itself. */
const MAX_MATCH_LENGTH = 120;
/** Limit of counted matches per turn. */
const MAX_PER_TURN = 1000;

/** Milliseconds of work before other requests get their turn and cancellation is checked. */
const SLICE_MS = 8;

/**
 * The turns that match a query. Texts are built once, and a search text that extends the previous one is searched only
 * in its matches.
 *
 * @param transcript null: the session cannot be read, and only its findings are searched.
 */
export async function findMatchingTurns(
  model: SessionModel,
  transcript: Transcript | null,
  { text = '', ...filters }: TurnQuery,
  token: CancellationToken,
): Promise<TurnMatches> {
  const turns: number[] = [];
  const hits: TurnHit[] = [];
  let occurrences = 0;
  const matchesFilters = turnFilter(model, filters);
  const pattern = text.trim() === '' ? null : new RegExp(escapeRegExp(text), 'giu');
  const index = transcript && pattern ? transcript.search() : null;
  const among = index?.candidates(text);
  const containing: number[] = [];
  let until = performance.now() + SLICE_MS;
  for (let turn = 0; turn < model.turnCount; turn += 1) {
    if (performance.now() > until) {
      await new Promise(setImmediate);
      if (token.isCancellationRequested) return NO_MATCHES;
      until = performance.now() + SLICE_MS;
    }
    // Findings are searched too, and not remembered.
    const textMatches = pattern && (among?.has(turn) ?? true) ? index?.search(turn, pattern, MAX_PER_TURN) : undefined;
    if (textMatches && textMatches.count > 0) containing.push(turn);
    if (!matchesFilters(turn)) continue;
    if (!pattern) {
      turns.push(turn);
      continue;
    }
    const findingMatches = searchFindings(model, turn, pattern);
    const count = (textMatches?.count ?? 0) + findingMatches.count;
    const first = textMatches?.first ?? findingMatches.first;
    if (count === 0 || !first) continue;
    turns.push(turn);
    occurrences += count;
    if (hits.length < MAX_HITS) hits.push(toHit(turn, count, first));
  }
  index?.remember(text, containing);
  return { turns, occurrences, hits, ...(pattern && !transcript ? { unread: true as const } : {}) };
}

const NO_MATCHES: TurnMatches = { turns: [], occurrences: 0, hits: [] };

function toHit(turn: number, count: number, { text, start, end, location: address }: FirstMatch): TurnHit {
  const before = text.slice(Math.max(0, start - CONTEXT_LENGTH), start);
  const behind = text.slice(end, end + CONTEXT_LENGTH);
  return {
    turn,
    count,
    snippet: {
      before: `${start > CONTEXT_LENGTH ? '…' : ''}${before.toWellFormed()}`,
      match: text.slice(start, Math.min(end, start + MAX_MATCH_LENGTH)).toWellFormed(),
      after: `${behind.toWellFormed()}${end + CONTEXT_LENGTH < text.length ? '…' : ''}`,
    },
    citation: address && { turn, ...address, start, end },
  };
}

/** Matches in the labels and reasons of findings. */
function searchFindings({ findingsByTurn }: SessionModel, turn: number, pattern: RegExp) {
  const { failures, observations } = findingsByTurn();
  let count = 0;
  let first: FirstMatch | undefined;
  const texts = [
    ...(failures.get(turn) ?? []).flatMap(({ label, reason }) => [label, reason]),
    ...(observations.get(turn) ?? []).map(({ reason }) => reason),
  ];
  for (const text of texts) {
    for (const match of text.matchAll(pattern)) {
      count += 1;
      first ??= { text, start: match.index, end: match.index + match[0].length, location: null };
    }
  }
  return { count, first };
}

/** Whether a turn passes the filters. */
function turnFilter(model: SessionModel, filters: Omit<TurnQuery, 'text'>): (turn: number) => boolean {
  const { metrics, labels, severities, statuses, belowThreshold = false } = filters;
  const ofMetrics = metrics && metrics.length > 0 ? new Set(metrics) : null;
  const ofStatuses = statuses && statuses.length > 0 ? new Set(statuses) : null;
  const ofLabels = labels && labels.length > 0 ? new Set(labels) : null;
  const ofSeverities = severities && severities.length > 0 ? new Set(severities) : null;
  const { failures } = model.findingsByTurn();

  const hasResult = (turn: number): boolean => {
    const results = model.turn(turn)?.metrics ?? {};
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
