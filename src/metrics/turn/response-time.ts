import type { MetricOutcome } from '../../core/result.ts';
import { agentToolCalls, type Turn } from '../../core/session.ts';
import { durationOf, turnTimeSpan } from '../../core/time-span.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { textOrEmpty } from '../shared/text.ts';

/** Milliseconds from the start of a turn to its end. Informational. */
export const responseTime = turnMetric({
  name: 'response_time',
  version: 2,
  aliases: ['response_time_v1'],
  question: 'How long did the user wait?',
  source: 'ADK, metrics and scoring',
  scale: 'milliseconds',
  threshold: null,
  needs: [],

  evaluate({ turn }): MetricOutcome {
    const span = turnTimeSpan(turn);
    if (!span) return NO_TIMES;
    const totalMs = span.end - span.start;
    if (totalMs < 0) return ENDS_FIRST;
    const calls = agentToolCalls(turn);
    return {
      status: 'scored',
      score: totalMs,
      source: 'rules',
      reason: span.isExact
        ? null
        : 'From the first to the last time of its steps, because the turn itself has no times.',
      metadata: {
        totalMs,
        toolCallCount: calls.length,
        avgTimePerTool: calls.length === 0 ? null : totalMs / calls.length,
        tools: toolTimes(turn),
        responseComplete: turn.captured === false ? null : textOrEmpty(turn.output) !== '',
      },
    };
  },
});

const NO_TIMES = notApplicable('The trace does not say when this turn started and ended.');
const ENDS_FIRST = notApplicable('The times of this turn are invalid: it ends before it starts.');

/** Times by tool, for calls with a known start and end. */
function toolTimes(turn: Turn): { name: string; calls: number; totalMs: number; avgMs: number }[] {
  const times = new Map<string, { calls: number; totalMs: number }>();
  for (const call of agentToolCalls(turn)) {
    const duration = durationOf(call);
    if (duration === null) continue;
    const known = times.get(call.name) ?? { calls: 0, totalMs: 0 };
    times.set(call.name, { calls: known.calls + 1, totalMs: known.totalMs + duration });
  }
  return [...times].map(([name, { calls, totalMs }]) => ({ name, calls, totalMs, avgMs: totalMs / calls }));
}
