import type { Turn } from '../../core/session.ts';

interface TimeRange {
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** Milliseconds between two times; null where they are missing or invalid. */
export function durationMs({ startedAt, endedAt }: TimeRange): number | null {
  const duration = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isFinite(duration) && duration >= 0 ? duration : null;
}

/** Milliseconds from the start of the first turn to the end of the last; null where they are unknown. */
export function durationOfTurns(turns: readonly Turn[]): number | null {
  return durationMs({ startedAt: turns[0]?.startedAt, endedAt: turns.at(-1)?.endedAt });
}

/** As `durationMs`, from the times of its steps where the turn has none. */
export function turnDurationMs(turn: Turn): number | null {
  const own = durationMs(turn);
  if (own !== null) return own;
  const times = turn.steps.flatMap((step) => ('startedAt' in step || 'endedAt' in step ? [step] : []));
  return durationMs({ startedAt: times[0]?.startedAt, endedAt: times.at(-1)?.endedAt });
}

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
}

/** The tokens of the model calls of turns and of their sub-agents; null where none is recorded. */
export function tokensOf(turns: readonly Turn[]): TokenCounts | null {
  const total = { input: 0, output: 0 };
  let isRecorded = false;
  const open = [...turns];
  for (let turn = open.pop(); turn; turn = open.pop()) {
    for (const step of turn.steps) {
      if (step.type === 'agent') for (const inner of step.turns) open.push(inner);
      if (step.type !== 'model' || !step.usage) continue;
      const { inputTokens, outputTokens } = step.usage;
      isRecorded = true;
      total.input += tokenCount(inputTokens);
      total.output += tokenCount(outputTokens);
    }
  }
  return isRecorded ? total : null;
}

/** Token counts of a file may be any number. */
export function tokenCount(value: number): number {
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** The tool calls of turns and of their sub-agents, in a loop: these may be nested deeper than the call stack allows. */
export function countCalls(turns: readonly Turn[]): number {
  let calls = 0;
  const open = [...turns];
  for (let turn = open.pop(); turn; turn = open.pop()) {
    for (const step of turn.steps) {
      if (step.type === 'tool') calls += 1;
      else if (step.type === 'agent') for (const inner of step.turns) open.push(inner);
    }
  }
  return calls;
}
