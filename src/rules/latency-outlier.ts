import * as z from 'zod';
import { durationOf, turnTimeSpan } from '../core/time-span.ts';
import { type Observation, outlierOptions, outliers, timesTheMedian } from './outliers.ts';
import { type Found, ruleWith } from './rule.ts';
import type { Call, RuleView } from './view.ts';
import { code } from './wording.ts';

const options = outlierOptions.extend({ seconds: z.number().min(0).default(5) });
type Options = z.infer<typeof options>;

export const latencyOutlier = ruleWith<Options>({
  id: 'latency-outlier',
  title: 'Unusually slow',
  proves: 'A turn or a call took far longer than the others of its session.',
  severity: 'info',
  label: null,
  moves: [],
  page: {
    how:
      'A turn that took five seconds or more, at least five times the median of the turns of its session, and is far out by the ' +
      'median of the deviations from it (a modified z-score above 3.5, on logarithms). The same for a call, among the calls ' +
      'of its tool in the session. There must be eight turns, or calls of the tool, whose times are known.',
    silent:
      'Shorter sessions, and traces without times. Where more than one in twenty is that slow, and more than one at all, it is no ' +
      'outlier but a second kind of turn or call. It cannot see why something was slow: a turn with many calls takes longer than one ' +
      'with few, and some traces count the time in which a user was asked to allow a call.',
    remedy:
      'Look at the times of the steps of the turn: a slow tool, a model that wrote at length, or many calls one after the other that ' +
      'could have run side by side.',
  },
  options,
  check: (view, given) => [...slowTurns(view, given), ...slowCalls(view, given)],
});

function slowTurns(view: RuleView, { seconds, ...rest }: Options): Found[] {
  const observed = view.session.turns.flatMap((turn, index): Observation<number>[] => {
    const span = turnTimeSpan(turn);
    return span && span.end >= span.start ? [{ of: index, amount: span.end - span.start }] : [];
  });
  return outliers(observed, rest, seconds * 1000).flatMap((outlier) => {
    const turn = view.session.turns[outlier.of];
    if (!turn) return [];
    return {
      turn: outlier.of,
      message: `This turn took ${duration(outlier.amount)}, ${timesTheMedian(outlier)} of its session (${duration(outlier.median)}).`,
      evidence: [view.evidence(outlier.of, turn.pointer, 'the turn that took so long')],
    };
  });
}

function slowCalls(view: RuleView, { seconds, ...rest }: Options): Found[] {
  const byTool = new Map<string, Observation<Call>[]>();
  for (const call of view.calls) {
    const amount = durationOf(call.step);
    if (amount === null) continue;
    const known = byTool.get(call.step.name);
    if (known) known.push({ of: call, amount });
    else byTool.set(call.step.name, [{ of: call, amount }]);
  }
  return [...byTool.values()].flatMap((observed) =>
    outliers(observed, rest, seconds * 1000).map((outlier) => {
      const { step, turn } = outlier.of;
      return {
        turn,
        message: `${code(step.name)} took ${duration(outlier.amount)}, ${timesTheMedian(outlier)} of its calls in this session (${duration(outlier.median)}).`,
        evidence: [view.evidence(turn, step.pointer, 'the call that took so long')],
      };
    }),
  );
}

/** `320 ms`, `7.8 s`, `94 s`, `12 min`, `3.1 h`. */
function duration(milliseconds: number): string {
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
