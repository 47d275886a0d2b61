import { basename } from 'node:path';
import { getArray, getString, isObject } from '../core/json.ts';
import { adkEvalset, type SimulatedCase, simulatedCases } from '../formats/agents/adk-evalset.ts';
import type { Expectation } from '../formats/format.ts';
import type { DataScenario } from '../scenarios/data-scenarios.ts';
import type { ScenarioIssue } from '../scenarios/open-scenario-process.ts';

/** What is in an evaluation set of the Agent Development Kit. */
export interface AdkScenarios {
  readonly scenarios: readonly DataScenario[];
  /** Those of its cases that are conversations, which may have been recorded. */
  readonly cases: readonly Expectation[];
  readonly issues: readonly ScenarioIssue[];
}

/** Codes of problems that cases with a simulated user have only where sessions are compared with them. */
const OF_COMPARISONS = ['conversation-scenario', 'no-expectation'];

/** Each case is a scenario: with its expected calls and answers, or with a user whom a model plays. */
export function readAdkScenarios(file: string, value: unknown): AdkScenarios {
  const simulated = simulatedCases(value);
  const { expectations: cases = [], problems } = adkEvalset.read({ file, value, lines: false });
  const shown = simulated.length === 0 ? problems : problems.filter(({ code }) => !OF_COMPARISONS.includes(code));
  const issues = shown.map(({ severity, message, line }): ScenarioIssue => {
    return { severity: severity === 'error' ? 'error' : 'warning', message, scenario: null, path: [], line };
  });
  return {
    scenarios: [...cases.map(scenarioOfCase), ...simulated.map(scenarioOfSimulatedCase)],
    cases,
    issues: [...issues, ...simulated.flatMap((one) => unknownPersona(one, file))],
  };
}

function scenarioOfCase({ id, turns }: Expectation): DataScenario {
  return {
    name: id,
    path: [],
    options: {
      turns: turns.map(({ input, reference: { response, toolCalls } }) => ({
        userMessage: input ?? '',
        ...(response !== undefined && { response }),
        ...(toolCalls && {
          assertions: {
            toolCalls: {
              matchMode: 'strict',
              expected: toolCalls.map(({ name, arguments: args }) => ({
                name,
                ...(args && { args, argMatchMode: 'exact' }),
              })),
            },
          },
        }),
      })),
    },
  };
}

function scenarioOfSimulatedCase({ id, startingPrompt, plan, persona }: SimulatedCase): DataScenario {
  return {
    name: id,
    path: [],
    options: {
      profile: profileOf(persona),
      ...(plan !== undefined && { goal: plan }),
      ...(startingPrompt !== undefined && { firstMessage: startingPrompt }),
    },
  };
}

/** The personas that the Agent Development Kit has by name, by what its documentation says that they do. */
const PERSONAS: ReadonlyMap<string, string> = new Map([
  [
    'EXPERT',
    'An expert, who writes in a professional tone. You give details without being asked, answer only questions that matter for what you want, correct what the assistant gets wrong, and help it once after an error.',
  ],
  [
    'NOVICE',
    'A beginner, who writes as people talk. You say what you want and give details only when asked, answer every question, do not correct the assistant, and never help it after an error.',
  ],
  [
    'EVALUATOR',
    'Someone who tries out the assistant, and writes as people talk. You give details without being asked, answer only questions that matter for what you want, do not correct the assistant, and never help it after an error.',
  ],
]);

const ANY_USER = 'A user of the assistant.';

function profileOf(persona: unknown): string {
  if (typeof persona === 'string') return PERSONAS.get(persona) ?? persona;
  if (!isObject(persona)) return ANY_USER;
  const behaviors = (getArray(persona, 'behaviors') ?? []).map((behavior) => {
    const instructions =
      getArray(behavior, 'behavior_instructions') ?? getArray(behavior, 'behaviorInstructions') ?? [];
    const texts = instructions.filter((text) => typeof text === 'string');
    return `- ${[getString(behavior, 'name'), ...texts].filter(Boolean).join(': ')}`;
  });
  return [getString(persona, 'description') ?? ANY_USER, ...behaviors].join('\n');
}

function unknownPersona({ id, persona }: SimulatedCase, file: string): ScenarioIssue[] {
  if (typeof persona !== 'string' || PERSONAS.has(persona)) return [];
  const message = `${basename(file)} names the persona "${persona}", which is none of ${[...PERSONAS.keys()].join(', ')}. Describe it as an object with a "description".`;
  return [{ severity: 'error', message, scenario: id, path: [], line: null }];
}
