import type { JsonObject } from '../core/json.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { userPrompt } from '../scenarios/simulated-user.ts';

/** What a model is asked that plays the user of a scenario. */
export interface SimulatedUserPrompt {
  /** Where nothing is known of the scenario, with `{{profile}}`, `{{goal}}` and `{{knowledge}}`. */
  readonly system: string;
  /** What follows at the beginning, and after the first answer of the agent. */
  readonly first: readonly string[];
  readonly next: readonly string[];
  /** JSON Schema. */
  readonly answer: JsonObject;
}

const ANY_SCENARIO: Parameters<typeof userPrompt>[0] = {
  profile: '{{profile}}',
  goal: '{{goal}}',
  knowledge: [{ content: '{{knowledge}}' }],
};

export function simulatedUserPrompt(
  scenario: Pick<Scenario, 'userPromptTemplate' | 'profile' | 'goal' | 'knowledge'> = ANY_SCENARIO,
): SimulatedUserPrompt {
  const first = userPrompt(scenario, []);
  const next = userPrompt(scenario, [{ userMessage: '…', agentMessage: '…' }]);
  return { system: first.prompt.system, first: first.prompt.parts, next: next.prompt.parts, answer: first.schema };
}
