import type { NewScenarioPlace } from '../protocol/new-scenario.ts';

export type AgentKind = NewScenarioPlace['agents'][number]['type'];

/** A new scenario as text. */
export interface ScenarioTemplate {
  readonly fileName: string;
  readonly text: string;
}

/**
 * A small scenario for a kind of agent. Where the configuration has no agent of this kind, its first lines say how to add one.
 *
 * @param agent the name of the first agent of the kind; undefined: there is none.
 */
export function scenarioTemplate(kind: AgentKind, agent: string | undefined): ScenarioTemplate {
  if (kind === 'custom') {
    return { fileName: 'refund.sim.ts', text: `${comments('//', kind, agent)}${codeText(agent ?? AGENT_NAMES[kind])}` };
  }
  return {
    fileName: 'refund.scenario.yaml',
    text: `${comments('#', kind, agent)}${dataText(kind, agent ?? AGENT_NAMES[kind])}`,
  };
}

const AGENT_NAMES = { chat_completions: 'support', custom: 'support', replay: 'recorded' } as const satisfies Record<
  AgentKind,
  string
>;

const ADD_AGENT = {
  chat_completions: [
    'Add your agent to turnwise.config.yaml first:',
    '  simulation:',
    '    agents:',
    '      support: { endpoint: "http://localhost:3000/v1/chat/completions" }',
  ],
  custom: [
    'Add your agent to turnwise.config.ts first:',
    "  import { defineConfig } from 'turnwise';",
    '  export default defineConfig({',
    '    simulation: {',
    '      agents: {',
    '        support: {',
    "          type: 'custom',",
    '          // messages: the conversation. tools.resolveTool(name, args): the answer of a mock below.',
    "          handler: async (messages, tools) => ({ role: 'assistant', content: 'The answer of your agent' }),",
    '        },',
    '      },',
    '    },',
    '  });',
  ],
  replay: [
    'Add the trace to turnwise.config.yaml first:',
    '  simulation:',
    '    agents:',
    '      recorded: { type: replay, file: runs/refund.json }',
    'The messages below must be those of the trace. "Add to Tests" in a report writes them for you.',
  ],
} as const satisfies Record<AgentKind, readonly string[]>;

function comments(mark: '#' | '//', kind: AgentKind, agent: string | undefined): string {
  const lines = agent === undefined ? ADD_AGENT[kind] : [];
  const all = [...lines, 'To run it: turnwise scenarios --run'];
  return all.map((line) => `${mark} ${line}\n`).join('');
}

function dataText(kind: AgentKind, agent: string): string {
  const mocks = `mocks:
  tools: # what your agent gets when it calls a tool
    get_order: { id: A-1001, status: delivered, total: 42.5 }
    refund_order: { refunded: 42.5 }
`;
  return `name: refund a delivered order
agent: ${JSON.stringify(agent)}
turns:
  - userMessage: Please refund order A-1001.
    assertions:
      toolCalls: # "contains": these calls in this order, among others
        matchMode: contains
        expected: [{ name: get_order }]
        forbidden: [refund_order] # not before the user has agreed
  - userMessage: Yes, please.
    assertions:
      toolCalls:
        matchMode: contains
        expected: [{ name: refund_order, args: { id: A-1001 } }]
      answer: { contains: ["42.5"] }
      noFindings: ["*"] # no rule finds a problem
${kind === 'replay' ? '# Tools without a mock answer as they were recorded.\n' : mocks}`;
}

function codeText(agent: string): string {
  return `import { scenario } from 'turnwise';

scenario('refund a delivered order', {
  agent: ${JSON.stringify(agent)},
  turns: [
    {
      userMessage: 'Please refund order A-1001.',
      assertions: {
        // "contains": these calls in this order, among others. No refund before the user has agreed.
        toolCalls: { matchMode: 'contains', expected: [{ name: 'get_order' }], forbidden: ['refund_order'] },
      },
    },
    {
      userMessage: 'Yes, please.',
      assertions: {
        toolCalls: { matchMode: 'contains', expected: [{ name: 'refund_order', args: { id: 'A-1001' } }] },
        answer: { contains: ['42.5'] },
        // No rule finds a problem.
        noFindings: ['*'],
      },
    },
  ],
  // What your agent gets when it calls a tool. Called for each attempt, so that nothing is shared.
  mocks: () => ({
    tools: {
      get_order: ({ id }) => ({ id, status: 'delivered', total: 42.5 }),
      refund_order: () => ({ refunded: 42.5 }),
    },
  }),
});
`;
}
