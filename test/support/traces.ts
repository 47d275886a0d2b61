/** Small traces as OpenAI chat messages, as text. */

type Message = Readonly<Record<string, unknown>>;

export function user(content: string): Message {
  return { role: 'user', content };
}

export function agent(content: string): Message {
  return { role: 'assistant', content };
}

/** A call and its result. */
function call(id: string, name: string, args: Readonly<Record<string, unknown>>, result: string): Message[] {
  const tool_calls = [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }];
  return [
    { role: 'assistant', content: null, tool_calls },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

export function chat(...messages: readonly Message[]): string {
  return JSON.stringify(messages, null, 2);
}

/** With the tools that there were. */
function request(tools: readonly string[], ...messages: readonly Message[]): string {
  const catalogue = tools.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }));
  return JSON.stringify({ model: 'm', tools: catalogue, messages }, null, 2);
}

export const GOOD = chat(
  user('What is the capital of France?'),
  agent('The capital of France is Paris.'),
  user('And of Spain?'),
  agent('Madrid is the capital of Spain.'),
);

/** The same answer twice: loop_detection is 0 in the second turn. */
export const LOOPING = chat(
  user('Where is my parcel with the blue ribbon?'),
  agent('Your parcel left the warehouse on Monday and arrives tomorrow.'),
  user('That was not my question. Which carrier has it?'),
  agent('Your parcel left the warehouse on Monday and arrives tomorrow.'),
);

/** Calls a tool that the agent was not given. */
export const UNKNOWN_TOOL = request(
  ['get_order'],
  user('Show order A-1001, please.'),
  ...call('c1', 'fetch_order', { id: 'A-1001' }, 'Error: there is no tool fetch_order'),
  agent('Order A-1001 comes to 42.50.'),
);

/** A session that cancels an order. */
export const cancelling = (order: string, answer: string) => ({
  messages: [
    { role: 'user', content: 'Cancel my order.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'cancel_order', arguments: JSON.stringify({ order_id: order }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: '{"status":"cancelled"}' },
    { role: 'assistant', content: answer },
  ],
});
