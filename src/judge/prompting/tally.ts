import type { Step } from '../../core/session.ts';

const LONGEST_NAME = 80;

/**
 * Names and outcomes of calls in order, `get_order ok, refund error x2`; where that is longer than `limit`, how often each
 * of them occurs.
 */
export function tallyOf(steps: readonly Step[], limit: number): string {
  const called = steps.flatMap((step) => {
    if (step.type === 'tool') return `${step.name.slice(0, LONGEST_NAME)} ${step.outcome}`;
    return step.type === 'agent' ? `sub-agent ${step.name.slice(0, LONGEST_NAME)}` : [];
  });
  const inOrder = listed(runsOf(called));
  if (inOrder.length <= limit) return inOrder;
  const counts = new Map<string, number>();
  for (const one of called) counts.set(one, (counts.get(one) ?? 0) + 1);
  return listed([...counts].sort(([, a], [, b]) => b - a));
}

type Counted = readonly [what: string, count: number];

function runsOf(called: readonly string[]): Counted[] {
  const runs: [string, number][] = [];
  for (const one of called) {
    const last = runs.at(-1);
    if (last?.[0] === one) last[1] += 1;
    else runs.push([one, 1]);
  }
  return runs;
}

function listed(counted: readonly Counted[]): string {
  return counted.map(([what, count]) => (count === 1 ? what : `${what} x${count}`)).join(', ');
}
