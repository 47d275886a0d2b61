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
