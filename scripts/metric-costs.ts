import { estimatingModel } from '../src/app/estimating-model.ts';
import type { RecordedQuestion } from '../src/app/judge-recorder.ts';
import { openModels } from '../src/app/open-models.ts';
import { previewExample } from '../src/app/prompt-catalogue.ts';
import { withDefaultJudge } from '../src/app/prompt-preview.ts';
import { checkConfiguration } from '../src/config/check.ts';
import { REGISTRY } from '../src/config/registry.ts';
import type { JudgeTarget } from '../src/judge/question.ts';
import { METRICS } from '../src/metrics/index.ts';

/** What a set of questions costs. Token counts are estimates. */
export interface CallCost {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The cost of a metric that uses a judge, for one turn or one session. */
export interface MetricCost {
  /** What it adds to the questions of the metrics that ask by default. */
  readonly batched: CallCost;
  readonly alone: CallCost;
}

/** The turn of the built-in example to which all turn metrics apply. */
const TURN = 1;

/** The costs of the metrics that use a judge, by name, for the built-in example with placeholder answers. */
export async function metricCosts(): Promise<ReadonlyMap<string, MetricCost>> {
  const { questions: asks } = await previewExample(configuration(), { env: {}, signal });
  const costs = new Map<string, MetricCost>();
  for (const { name, scope, usesJudge } of METRICS) {
    if (!usesJudge) continue;
    const place: JudgeTarget = scope === 'turn' ? TURN : 'session';
    const there = asks.filter((ask) => ask.target === place);
    const own = there.filter(({ metric }) => metric === name);
    const others = there.filter(({ metric }) => metric !== name && byDefault(metric));
    const [alone, without, together] = [await costOf(own), await costOf(others), await costOf([...others, ...own])];
    costs.set(name, { alone, batched: subtractCost(together, without) });
  }
  return costs;
}

const { signal } = new AbortController();

function configuration() {
  const { configuration: defaults } = checkConfiguration({}, REGISTRY);
  if (!defaults) throw new Error('The defaults are no configuration.');
  return withDefaultJudge(defaults);
}

function byDefault(metric: string | null): boolean {
  return METRICS.some(({ name, optIn }) => name === metric && !optIn);
}

/** Asks all questions at once, as a run does. */
async function costOf(asks: readonly RecordedQuestion[]): Promise<CallCost> {
  const options = { signal, answerCache: null, boundaryKey: new Uint8Array(32), replaceModel: estimatingModel };
  const judge = openModels(configuration(), {}, options).judges.defaultJudge;
  const [first] = asks;
  if (!judge || !first) return { calls: 0, promptTokens: 0, completionTokens: 0 };
  const about = judge.forSession(first.session, first.findings);
  await Promise.all(
    asks.map(({ target: place, question, asking }) =>
      place === 'session' ? about.askSession(question, asking) : about.askTurn(place, question, asking),
    ),
  );
  return judge.usage;
}

function subtractCost(all: CallCost, without: CallCost): CallCost {
  return {
    calls: all.calls - without.calls,
    promptTokens: all.promptTokens - without.promptTokens,
    completionTokens: all.completionTokens - without.completionTokens,
  };
}
