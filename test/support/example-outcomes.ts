import { EXAMPLE_SESSION } from '../../src/app/example-session.ts';
import type { Session } from '../../src/core/session.ts';
import type { SessionOutcome } from '../../src/core/session-outcome.ts';
import { createSessionEvaluator } from '../../src/engine/evaluate-session.ts';
import { NO_JUDGES } from '../../src/engine/judges.ts';
import { METRICS } from '../../src/metrics/index.ts';
import { runPlan } from '../unit/engine/support.ts';

/** Evaluates sessions by all rules and metrics, without a model. */
async function outcomesOf(sessions: readonly Session[]): Promise<readonly SessionOutcome[]> {
  const evaluate = createSessionEvaluator(runPlan(METRICS, {}), {
    metrics: METRICS,
    judges: NO_JUDGES,
    embedder: null,
    signal: new AbortController().signal,
    yieldIfDue: () => undefined,
  });
  const outcomes = [];
  for (const session of sessions) outcomes.push(await evaluate(session, new Map()));
  return outcomes.flatMap((outcome) => outcome ?? []);
}

/** Outcomes of the example of the documentation, as sessions of its own each. */
export async function exampleOutcomes(count: number): Promise<readonly SessionOutcome[]> {
  const sessions = Array.from({ length: count }, (_, index) => ({ ...EXAMPLE_SESSION, id: `session-${index}` }));
  return (await outcomesOf(sessions)).map((outcome) => ({
    ...outcome,
    hashes: { inputs: `inputs of ${outcome.id}`, content: `content of ${outcome.id}` },
  }));
}
