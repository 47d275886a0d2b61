import type { Step } from '../../core/session.ts';

const MAX_NAME_LENGTH = 80;

/**
 * Names and outcomes of calls in order, `get_order ok, refund error x2`; if that is longer than `limit`, how often each of them
 * occurs.
 */
export function summarizeCalls(steps: readonly Step[], limit: number): string {
  const calls = steps.flatMap((step) => {
    if (step.type === 'tool') return `${step.name.slice(0, MAX_NAME_LENGTH)} ${step.outcome}`;
    return step.type === 'agent' ? `sub-agent ${step.name.slice(0, MAX_NAME_LENGTH)}` : [];
  });
  const inOrder = formatCounts(countRuns(calls));
  if (inOrder.length <= limit) return inOrder;
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1);
  return formatCounts([...counts].sort(([, a], [, b]) => b - a));
}

type CallCount = readonly [name: string, count: number];

function countRuns(calls: readonly string[]): CallCount[] {
  const runs: [string, number][] = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (last?.[0] === call) last[1] += 1;
    else runs.push([call, 1]);
  }
  return runs;
}

function formatCounts(counts: readonly CallCount[]): string {
  return counts.map(([name, count]) => (count === 1 ? name : `${name} x${count}`)).join(', ');
}
