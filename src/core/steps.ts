import type { Step, Turn } from './session.ts';

/** The steps of a turn with those of its sub-agents, in order. */
export function* allSteps(turn: Turn): Generator<Step> {
  const waiting: Step[] = [...turn.steps].reverse();
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    yield step;
    if (step.type !== 'agent') continue;
    for (const inner of [...step.turns].reverse()) {
      for (const nested of [...inner.steps].reverse()) waiting.push(nested);
    }
  }
}
