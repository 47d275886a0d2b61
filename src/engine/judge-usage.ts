import type { RunUsage } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { JudgeUsage, SessionOutcome } from '../core/session-outcome.ts';
import type { ModelUsage } from '../llm/chat-client.ts';

type ModelName = NonNullable<RunPlan['judge']>;

const COUNTS = ['calls', 'callsCached', 'promptTokens', 'completionTokens'] as const satisfies (keyof ModelUsage)[];

/** Sums usage by model; models that were not called are left out. */
export function sumUsage(
  all: Iterable<ModelName & { readonly usage: Pick<ModelUsage, (typeof COUNTS)[number]> }>,
): JudgeUsage[] {
  const sums = new Map<string, Record<(typeof COUNTS)[number], number> & ModelName>();
  for (const { provider, model, usage } of all) {
    const key = nameOf({ provider, model });
    const sum = sums.get(key) ?? { provider, model, calls: 0, callsCached: 0, promptTokens: 0, completionTokens: 0 };
    for (const count of COUNTS) sum[count] += usage[count];
    sums.set(key, sum);
  }
  return [...sums.values()].filter(isUsed);
}

/** The usage of a run: of its sessions, and of what belongs to none. */
export function runUsage(
  { judge, judges, price }: Pick<RunPlan, 'judge' | 'judges' | 'price'>,
  outcomes: readonly SessionOutcome[],
  beside: readonly JudgeUsage[],
): RunUsage {
  const used = sumUsage(
    [...outcomes.flatMap(({ judgeUsage }) => judgeUsage), ...beside].map((usage) => ({ ...usage, usage })),
  );
  const sum = (count: (typeof COUNTS)[number]) => used.reduce((total, usage) => total + usage[count], 0);
  const order = [...(judge ? [judge] : []), ...Object.values(judges)].map(nameOf);
  const callsOf = used
    .toSorted((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)))
    .map((usage) => [nameOf(usage), usage.calls + usage.callsCached] as const);
  const hasOthers = used.some((usage) => !judge || nameOf(usage) !== nameOf(judge));
  const cost = usageCost(used, judge, price);
  return {
    judgeCalls: sum('calls'),
    judgeCallsCached: sum('callsCached'),
    ...(hasOthers ? { judgeCallsOf: Object.fromEntries(callsOf) } : {}),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
    embeddedTexts: outcomes.reduce((total, { embeddedTexts }) => total + embeddedTexts, 0),
    ...(cost === null ? {} : { cost }),
  };
}

/** Null if it is unknown: the configured price applies to the default judge's model only. */
function usageCost(used: readonly JudgeUsage[], judge: ModelName | null, price: RunPlan['price']): number | null {
  if (!price || !judge) return null;
  if (used.some((usage) => usage.calls > 0 && nameOf(usage) !== nameOf(judge))) return null;
  const tokens = (count: 'promptTokens' | 'completionTokens') => used.reduce((total, usage) => total + usage[count], 0);
  return (tokens('promptTokens') * price.input + tokens('completionTokens') * price.output) / 1e6;
}

function isUsed(usage: JudgeUsage): boolean {
  return COUNTS.some((count) => usage[count] !== 0);
}

function nameOf({ provider, model }: ModelName): string {
  return `${provider}/${model}`;
}
