import { lazy } from '../../core/cache/memoize.ts';
import type { Session, Step, Turn } from '../../core/session.ts';
import { durationOf, parseTime } from '../../core/time-span.ts';
import { costOfUsage } from '../../metrics/shared/session-facts.ts';
import { type TokenCounts, tokenCount } from './turn-measures.ts';

/** A row of the timeline: a turn, or one of its steps. Steps of a sub-agent follow the step that called it. */
export interface TimelineRow {
  /** Zero-based index of the session's turn. */
  readonly turn: number;
  /** Index of the step of that turn; for a sub-agent's steps, of the step that called it. Null for the turn itself. */
  readonly step: number | null;
  readonly part: Step | Turn;
  /** 0 for a turn, 1 for its steps, more in sub-agents. */
  readonly depth: number;
  /** Milliseconds since 1970; null where the trace does not say. The end is never before the start. */
  readonly start: number | null;
  readonly end: number | null;
  /** With all that is below the row; null where none is recorded. */
  readonly tokens: TokenCounts | null;
  /** In US dollars. */
  readonly cost: number | null;
}

/** The calls of a model in a session. */
export interface ModelUse {
  readonly name: string;
  readonly calls: number;
  readonly tokens: TokenCounts | null;
  readonly cost: number | null;
}

export interface TimelineSummary {
  /** How many turns and how many steps have a duration. */
  readonly timed: { readonly turns: number; readonly steps: number };
  /** The sum over turns, without the time between them; null without times. */
  readonly durationMs: number | null;
  readonly slowest: { readonly turn: number; readonly durationMs: number } | null;
  readonly tokens: TokenCounts | null;
  /** In US dollars: of all model calls, else what the trace says of the session. */
  readonly cost: number | null;
  /** The most used first. */
  readonly models: readonly ModelUse[];
}

/** The steps of a session in order, with times and costs. Rows are made when they are shown. */
export class Timeline {
  readonly summary = lazy(() => this.#summarize());
  readonly #session: Session;
  /** The index of the first row of each turn, and the number of all rows. */
  readonly #offsets: readonly number[];
  #last: { readonly turn: number; readonly rows: readonly TimelineRow[] } | null = null;

  constructor(session: Session) {
    this.#session = session;
    const offsets = [0];
    for (const turn of session.turns) offsets.push((offsets.at(-1) ?? 0) + 1 + countSteps(turn));
    this.#offsets = offsets;
  }

  get total(): number {
    return this.#offsets.at(-1) ?? 0;
  }

  rows(from: number, count: number): TimelineRow[] {
    const rows: TimelineRow[] = [];
    const end = Math.min(from + count, this.total);
    for (let turn = this.#turnAt(from); from + rows.length < end; turn += 1) {
      const first = this.#offsets[turn] ?? 0;
      const at = from + rows.length - first;
      rows.push(...this.turnRows(turn).slice(at, at + count - rows.length));
    }
    return rows;
  }

  /** The row of a turn, and the rows of its steps. */
  turnRows(turn: number): readonly TimelineRow[] {
    if (this.#last?.turn !== turn) {
      const value = this.#session.turns[turn];
      this.#last = { turn, rows: value ? expandTurn(value, turn) : [] };
    }
    return this.#last.rows;
  }

  /** The row of a turn itself. */
  turnRow(turn: number): TimelineRow | undefined {
    return this.turnRows(turn)[0];
  }

  #turnAt(row: number): number {
    let [low, high] = [0, this.#offsets.length - 1];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= row) low = middle;
      else high = middle;
    }
    return low;
  }

  #summarize(): TimelineSummary {
    const timed = { turns: 0, steps: 0 };
    const models = new Map<string, ModelUse>();
    let durationMs: number | null = null;
    let slowest: TimelineSummary['slowest'] = null;
    let tokens: TokenCounts | null = null;
    let cost: number | null = null;
    for (const [index, turn] of this.#session.turns.entries()) {
      for (const row of expandTurn(turn, index)) {
        const duration = rowDuration(row);
        if (row.step !== null) {
          if (duration !== null) timed.steps += 1;
          addModel(models, row);
          continue;
        }
        tokens = addTokens(tokens, row.tokens);
        cost = addNumbers(cost, row.cost);
        if (duration === null) continue;
        timed.turns += 1;
        durationMs = (durationMs ?? 0) + duration;
        if (slowest === null || duration > slowest.durationMs) slowest = { turn: index, durationMs: duration };
      }
    }
    return {
      timed,
      durationMs,
      slowest: timed.turns > 1 ? slowest : null,
      tokens,
      cost: cost ?? recordedCost(this.#session),
      models: [...models.values()].sort((a, b) => b.calls - a.calls),
    };
  }
}

/** Null where the trace does not say when it began or when it ended. */
export function rowDuration({ start, end }: Pick<TimelineRow, 'start' | 'end'>): number | null {
  return start === null || end === null ? null : end - start;
}

interface OpenRow {
  readonly row: { -readonly [Key in keyof TimelineRow]: TimelineRow[Key] };
  readonly parent: OpenRow | null;
}

/** In a loop, since sub-agents may be nested deeper than the call stack allows. */
function expandTurn(turn: Turn, index: number): TimelineRow[] {
  const top: OpenRow = { row: { turn: index, step: null, depth: 0, ...ownFacts(turn) }, parent: null };
  const rows = [top];
  const open: OpenRow[] = [];
  const push = (steps: readonly Step[], parent: OpenRow): void => {
    for (let at = steps.length - 1; at >= 0; at -= 1) {
      const part = steps[at];
      if (!part) continue;
      const { step, depth } = parent.row;
      open.push({ row: { turn: index, step: step ?? at, depth: depth + 1, ...ownFacts(part) }, parent });
    }
  };
  push(turn.steps, top);
  for (let next = open.pop(); next; next = open.pop()) {
    rows.push(next);
    const { part } = next.row;
    if (!('type' in part) || part.type !== 'agent') continue;
    for (const inner of part.turns.toReversed()) push(inner.steps, next);
  }
  for (const { row, parent } of rows.toReversed()) {
    if (!parent) continue;
    const { row: above } = parent;
    above.tokens = addTokens(above.tokens, row.tokens);
    above.cost = addNumbers(above.cost, row.cost);
    include(above, row);
  }
  // A single moment is no duration.
  for (const { row } of rows) if (row.start === row.end && !hasDuration(row.part)) row.end = null;
  return rows.map(({ row }) => row);
}

/** What is recorded of a turn or a step itself, without what is below it. */
function ownFacts(part: Turn | Step): Pick<TimelineRow, 'part' | 'start' | 'end' | 'tokens' | 'cost'> {
  const facts = { part, ...ownTimes(part), tokens: null, cost: null };
  if (!('type' in part) || part.type !== 'model' || !part.usage) return facts;
  const { inputTokens, outputTokens } = part.usage;
  const tokens = { input: tokenCount(inputTokens), output: tokenCount(outputTokens) };
  return { ...facts, tokens, cost: costOfUsage(part.usage) };
}

type Times = Pick<TimelineRow, 'start' | 'end'>;

function ownTimes(part: Turn | Step): Times {
  if ('type' in part && part.type === 'agent') {
    const times: { start: number | null; end: number | null } = { start: null, end: null };
    for (const turn of part.turns) include(times, ownTimes(turn));
    return times;
  }
  if (!('startedAt' in part || 'endedAt' in part)) return { start: null, end: null };
  const [start, end] = [parseTime(part.startedAt), parseTime(part.endedAt)];
  // A part that ends before it begins has no duration.
  return { start, end: start !== null && end !== null && end < start ? null : end };
}

function hasDuration(part: Turn | Step): boolean {
  return ('startedAt' in part || 'endedAt' in part) && durationOf(part) !== null;
}

/** Extends a time range so that another is within it. */
function include(range: { start: number | null; end: number | null }, { start, end }: Times): void {
  const first = start ?? end;
  const last = end ?? start;
  if (first !== null && (range.start === null || first < range.start)) range.start = first;
  if (last !== null && (range.end === null || last > range.end)) range.end = last;
}

function countSteps(turn: Turn): number {
  let steps = 0;
  const open = [turn];
  for (let next = open.pop(); next; next = open.pop()) {
    steps += next.steps.length;
    for (const step of next.steps) if (step.type === 'agent') for (const inner of step.turns) open.push(inner);
  }
  return steps;
}

function addModel(models: Map<string, ModelUse>, { part, tokens, cost }: TimelineRow): void {
  if (!('type' in part) || part.type !== 'model' || part.model === undefined) return;
  const known = models.get(part.model);
  models.set(part.model, {
    name: part.model,
    calls: (known?.calls ?? 0) + 1,
    tokens: addTokens(known?.tokens ?? null, tokens),
    cost: addNumbers(known?.cost ?? null, cost),
  });
}

function addTokens(a: TokenCounts | null, b: TokenCounts | null): TokenCounts | null {
  return a && b ? { input: a.input + b.input, output: a.output + b.output } : (a ?? b);
}

function addNumbers(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

/** What the trace says of the session as a whole. */
function recordedCost({ metadata }: Session): number | null {
  const cost = metadata?.cost ?? metadata?.agent_cost;
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null;
}
