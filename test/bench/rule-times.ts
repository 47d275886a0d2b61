import type { Session } from '../../src/core/session.ts';
import { appliesTo, RULES } from '../../src/rules/index.ts';
import { createRuleView } from '../../src/rules/rule-view.ts';

/** Milliseconds by the id of a rule. What rules share is counted apart where it is built at once, else with the first that asks. */
export type RuleTimes = Readonly<Record<string, number>>;

const SHARED = '(index that they share)';

/** @param now a clock in milliseconds. */
export function ruleTimes(sessions: readonly Session[], now = () => performance.now()): RuleTimes {
  const options = RULES.map((rule) => rule.options?.parse({}));
  const times: Record<string, number> = {};
  const clock = (name: string, act: () => unknown) => {
    const start = now();
    act();
    times[name] = (times[name] ?? 0) + now() - start;
  };
  for (const session of sessions) {
    const view = createRuleView(session);
    clock(SHARED, () => [view.calls, view.kind]);
    for (const [index, rule] of RULES.entries()) {
      if (appliesTo(rule, view)) clock(rule.id, () => rule.check(view, options[index]));
    }
  }
  return times;
}

/** The names with the largest figures, the largest first. */
export function largest(figures: RuleTimes, count: number): [name: string, figure: number][] {
  return Object.entries(figures)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count);
}
