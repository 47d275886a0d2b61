import { createYielder } from '../core/async/yielding.ts';
import type { ProblemOccurrence } from '../core/report.ts';
import type { Result, Status } from '../core/result.ts';
import type { Severity } from '../core/severity.ts';
import { isScore } from '../core/statuses.ts';
import { escapeRegExp } from '../core/text/escape-reg-exp.ts';
import type { TextCitation } from './transcript/citation-finder.ts';
import type { FirstMatch, SearchIndex } from './transcript/search-index.ts';

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

/** Criteria of turns: all must match; of a list, one must match. */
export interface TurnCriteria {
  /** Has a score of one of these metrics, with the status or `belowThreshold` if given. */
  readonly metrics?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly severities?: readonly Severity[] | undefined;
  readonly statuses?: readonly Status[] | undefined;
  readonly belowThreshold?: boolean | undefined;
  /** In the transcript and in the reasons of findings, ignoring case. */
  readonly text?: string | undefined;
}

/** What a search needs of the results of a session. */
export interface SearchedSession {
  readonly turnCount: number;
  turn(index: number): { readonly metrics: Readonly<Record<string, SearchedResult>> } | undefined;
  /** The findings by the index of their turn. */
  readonly findingsByTurn: () => {
    readonly failures: ReadonlyMap<number, readonly SearchedProblem[]>;
    readonly observations: ReadonlyMap<number, readonly Pick<SearchedProblem, 'reason'>[]>;
  };
}

type SearchedResult = Pick<Result, 'status' | 'passed' | 'implied'>;
type SearchedProblem = Pick<ProblemOccurrence, 'label' | 'severity' | 'reason'>;

/** A turn that contains the text. */
interface TextHit {
  readonly turn: number;
  /** Occurrences in the turn. */
  readonly count: number;
  /** The first occurrence with its context. */
  readonly snippet: { readonly before: string; readonly match: string; readonly after: string };
  /** Its range in the whole text; null in the reason of a finding. */
  readonly citation: TextCitation | null;
}

export interface MatchingTurns {
  /** Zero-based indices, ascending. */
  readonly turns: readonly number[];
  /** Occurrences of the text; 0 without one. */
  readonly occurrences: number;
  /** One for each of the first matching turns. */
  readonly hits: readonly TextHit[];
  /** The texts of the transcript were not searched. */
  readonly unread?: true;
}

/**
 * The turns that match a query. Texts are built once, and a search text that extends the previous one is searched only
 * in its matches.
 *
 * @param texts null: the session cannot be read, and only its findings are searched. Called only to search a text.
 */
export async function findMatchingTurns(
  model: SearchedSession,
  texts: (() => SearchIndex) | null,
  { text = '', ...filters }: TurnCriteria,
  signal: AbortSignal,
): Promise<MatchingTurns> {
  const turns: number[] = [];
  const hits: TextHit[] = [];
  let occurrences = 0;
  const matchesFilters = turnFilter(model, filters);
  const pattern = text.trim() === '' ? null : new RegExp(escapeRegExp(text), 'giu');
  const index = texts && pattern ? texts() : null;
  const among = index?.candidates(text);
  const containing: number[] = [];
  const yieldIfDue = createYielder(SLICE_MS);
  for (let turn = 0; turn < model.turnCount; turn += 1) {
    const pause = yieldIfDue();
    if (pause) {
      await pause;
      if (signal.aborted) return NO_MATCHES;
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
  return { turns, occurrences, hits, ...(pattern && !texts ? { unread: true as const } : {}) };
}

const NO_MATCHES: MatchingTurns = { turns: [], occurrences: 0, hits: [] };

function toHit(turn: number, count: number, { text, start, end, location }: FirstMatch): TextHit {
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
    citation: location && { turn, ...location, start, end },
  };
}

/** Matches in the labels and reasons of findings. */
function searchFindings({ findingsByTurn }: SearchedSession, turn: number, pattern: RegExp) {
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
function turnFilter(model: SearchedSession, filters: Omit<TurnCriteria, 'text'>): (turn: number) => boolean {
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
