import * as z from 'zod';
import { durationOf, turnTimeSpan } from '../../core/time-span.ts';
import { defineRule, type RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan } from '../shared/message-format.ts';
import { describeRatio, findOutliers, type Measurement, outlierOptions } from './outliers.ts';

const options = outlierOptions.extend({ seconds: z.number().min(0).default(5) });
type LatencyOptions = z.infer<typeof options>;

export const latencyOutlier = defineRule<LatencyOptions>({
  id: 'latency-outlier',
  title: 'Unusually slow',
  proves: 'A turn or a call took far longer than the others in its session.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Reports a turn that took at least five seconds, at least five times the median turn of its session, and is an outlier by the median absolute deviation (modified z-score above 3.5, on logarithms). The same applies to a call among the calls of its tool in the session. At least eight turns, or calls of the tool, must have known times.',
    silent:
      'Skips shorter sessions and traces without times. If more than one in twenty, and more than one in total, is that slow, it is not an outlier but a second kind of turn or call. The rule cannot see why something was slow: a turn with many calls takes longer than one with few, and some traces include the time in which a user was asked to allow a call.',
    remedy:
      'Look at the times of the steps of the turn: a slow tool, a model that wrote a long text, or many sequential calls that could have run in parallel.',
  },
  options,
  check: (view, options) => [...slowTurns(view, options), ...slowCalls(view, options)],
});

function slowTurns(view: RuleView, { seconds, ...rest }: LatencyOptions): RuleFinding[] {
  const observed = view.session.turns.flatMap((turn, index): Measurement<number>[] => {
    const span = turnTimeSpan(turn);
    return span && span.end >= span.start ? [{ item: index, amount: span.end - span.start }] : [];
  });
  return findOutliers(observed, rest, seconds * 1000).flatMap((outlier) => {
    const turn = view.session.turns[outlier.item];
    if (!turn) return [];
    return {
      turn: outlier.item,
      message: `This turn took ${formatDuration(outlier.amount)}, ${describeRatio(outlier)} of its session (${formatDuration(outlier.median)}).`,
      evidence: [view.evidence(outlier.item, turn.pointer, 'the slow turn')],
    };
  });
}

function slowCalls(view: RuleView, { seconds, ...rest }: LatencyOptions): RuleFinding[] {
  const byTool = new Map<string, Measurement<IndexedCall>[]>();
  for (const call of view.calls) {
    const amount = durationOf(call.step);
    if (amount === null) continue;
    const timed = byTool.get(call.step.name);
    if (timed) timed.push({ item: call, amount });
    else byTool.set(call.step.name, [{ item: call, amount }]);
  }
  return [...byTool.values()].flatMap((observed) =>
    findOutliers(observed, rest, seconds * 1000).map((outlier) => {
      const { step, turn } = outlier.item;
      return {
        turn,
        message: `${codeSpan(step.name)} took ${formatDuration(outlier.amount)}, ${describeRatio(outlier)} of its calls in this session (${formatDuration(outlier.median)}).`,
        evidence: [view.evidence(turn, step.pointer, 'the slow call')],
      };
    }),
  );
}

/** `320 ms`, `7.8 s`, `94 s`, `12 min`, `3.1 h`. */
function formatDuration(milliseconds: number): string {
  const units = [
    [1, 1000, 'ms'],
    [1000, 120, 's'],
    [60_000, 120, 'min'],
    [3_600_000, Number.POSITIVE_INFINITY, 'h'],
  ] as const;
  const [size, , name] = units.find(([unit, below]) => milliseconds < unit * below) ?? units[3];
  const amount = milliseconds / size;
  return `${amount < 10 && size > 1 ? Math.round(amount * 10) / 10 : Math.round(amount).toLocaleString('en-US')} ${name}`;
}
