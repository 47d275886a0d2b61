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
 * @param agent the name of the first agent of the kind; undefined: there is none. @param configuration the name of the file that
 * applies; null: there is none yet.
 */
export function scenarioTemplate(
  kind: AgentKind,
  agent: string | undefined,
  configuration: string | null,
): ScenarioTemplate {
  const lines = agent === undefined ? addAgent(kind, configuration) : [];
  if (kind === 'custom') {
    return { fileName: 'refund.sim.ts', text: `${comments('//', lines)}${codeText(agent ?? AGENT_NAMES[kind])}` };
  }
  return {
    fileName: 'refund.scenario.yaml',
    text: `${comments('#', lines)}${dataText(kind, agent ?? AGENT_NAMES[kind])}`,
  };
}

const AGENT_NAMES = { chat_completions: 'support', custom: 'support', replay: 'recorded' } as const satisfies Record<
  AgentKind,
  string
>;

/** How to add an agent to a configuration: the file that applies, else the one to create. */
function addAgent(kind: AgentKind, configuration: string | null): readonly string[] {
  if (kind === 'custom') return addHandler(configuration);
  const file = configuration ?? 'turnwise.config.yaml';
  const agent = DATA_AGENTS[kind];
  const lines = /\.ya?ml$/.test(file)
    ? ['simulation:', '  agents:', `    ${AGENT_NAMES[kind]}: ${agent.yaml}`]
    : [`"simulation": { "agents": { "${AGENT_NAMES[kind]}": ${agent.json} } }`];
  return [`Add ${agent.noun} to ${file} first:`, ...lines.map((line) => `  ${line}`), ...agent.notes];
}

const DATA_AGENTS = {
  chat_completions: {
    noun: 'your agent',
    yaml: '{ endpoint: "http://localhost:3000/v1/chat/completions" }',
    json: '{ "endpoint": "http://localhost:3000/v1/chat/completions" }',
    notes: [],
  },
  replay: {
    noun: 'the trace',
    yaml: '{ type: replay, file: runs/refund.json }',
    json: '{ "type": "replay", "file": "runs/refund.json" }',
    notes: ['The messages below must be those of the trace. "Add to Tests" in a report writes them for you.'],
  },
} as const;

/** Data has no functions: such a configuration is to become code. */
function addHandler(configuration: string | null): readonly string[] {
  const isData = configuration !== null && /\.(?:json|ya?ml)$/.test(configuration);
  return [
    isData
      ? `Rewrite ${configuration} as turnwise.config.ts first, since your agent is a function:`
      : `Add your agent to ${configuration ?? 'turnwise.config.ts'} first:`,
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
  ];
}

function comments(mark: '#' | '//', lines: readonly string[]): string {
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
