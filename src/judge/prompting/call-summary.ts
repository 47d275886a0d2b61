import type { Step } from '../../core/session.ts';

const MAX_NAME_LENGTH = 80;

/**
 * Names and outcomes of calls in order, `get_order ok, refund error x2`; where that is longer than `limit`, how often each
 * of them occurs.
 */
export function summarizeCalls(steps: readonly Step[], limit: number): string {
  const called = steps.flatMap((step) => {
    if (step.type === 'tool') return `${step.name.slice(0, MAX_NAME_LENGTH)} ${step.outcome}`;
    return step.type === 'agent' ? `sub-agent ${step.name.slice(0, MAX_NAME_LENGTH)}` : [];
  });
  const inOrder = formatCounts(countRuns(called));
  if (inOrder.length <= limit) return inOrder;
  const counts = new Map<string, number>();
  for (const one of called) counts.set(one, (counts.get(one) ?? 0) + 1);
  return formatCounts([...counts].sort(([, a], [, b]) => b - a));
}

type CallCount = readonly [what: string, count: number];

function countRuns(called: readonly string[]): CallCount[] {
  const runs: [string, number][] = [];
  for (const one of called) {
    const last = runs.at(-1);
    if (last?.[0] === one) last[1] += 1;
    else runs.push([one, 1]);
  }
  return runs;
}

function formatCounts(counted: readonly CallCount[]): string {
  return counted.map(([what, count]) => (count === 1 ? what : `${what} x${count}`)).join(', ');
}
