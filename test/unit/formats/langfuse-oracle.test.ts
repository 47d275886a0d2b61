import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { get, getArray, getString, isObject, parseJson } from '../../../src/core/json.ts';
import type { Tool } from '../../../src/core/session.ts';
import type { Message, RequestedCall } from '../../../src/formats/chat/messages/conversation.ts';
import { parseChat } from '../../../src/formats/chat/messages/dialects.ts';
import { Problems } from '../../../src/formats/problems.ts';
import { INPUT, langfuse, OUTPUT } from '../../../src/formats/spans/dialects/langfuse.ts';
import { langfuseSpans } from '../../../src/formats/spans/langfuse.ts';
import { sharedData } from '../../support/shared-data.ts';
import { documentAt } from './read-fixture.ts';

/**
 * Langfuse's own tests say which messages, tool calls and tools its observations hold, for traces of many frameworks
 * (`X.trace.json` with `X.chatml.json`). Ours must agree, but for what is listed here.
 */

interface Said {
  readonly role: string;
  readonly content: string | null;
  readonly calls: readonly { readonly id: string | undefined; readonly name: string; readonly arguments: unknown }[];
  /** Of a result: the call that it answers. */
  readonly call: string | undefined;
}

const assistant = (content: string | null, ...calls: Said['calls']): Said => said('assistant', content, calls);
const said = (role: string, content: string | null, calls: Said['calls'] = [], call?: string): Said => ({
  role,
  content,
  calls,
  call,
});

interface Difference {
  readonly why: string;
  readonly ours: readonly Said[];
}

/** Where we differ, by the framework, the observation and its side. */
const DIFFERENCES: ReadonlyMap<string, Difference> = new Map<string, Difference>([
  [
    'claude-agent e9aac170 input',
    {
      why: 'Langfuse wants a list of messages; this is one message by itself, and its text is what the user asked.',
      ours: [said('user', "What's the weather like in Berlin and New York?")],
    },
  ],
  ...['edbd987c', 'f411dab6'].map(
    (id) =>
      [
        `claude-agent ${id} output`,
        { why: 'What a tool returned is no message: it has no role. It is read as the result of the call.', ours: [] },
      ] as const,
  ),
  [
    'google-adk bded6778 input',
    {
      why: 'The response of a function is sent in the role of the user, but no user said it: it is the result of a call.',
      ours: [
        said(
          'system',
          'Always greet using the say_hello tool.\n\nYou are an agent. Your internal name is "hello_agent".',
        ),
        said('user', 'hi'),
        assistant(null, { id: undefined, name: 'say_hello', arguments: {} }),
        said('tool', '{"greeting":"Hello Langfuse 👋"}'),
      ],
    },
  ],
  [
    'google-adk 04290e4d output',
    { why: 'Langfuse makes a message of an empty object; nothing was recorded.', ours: [] },
  ],
  [
    'langgraph-python 21441266 output',
    {
      why: 'Langfuse shows JSON in the text of a result as what it says; the agent was given the text.',
      ours: [
        said(
          'tool',
          '[{"url": "https://example.com", "title": "Example Result", "q": "example"}]',
          [],
          'call_1oGK863sxQHlPreFhDdEs3yl',
        ),
      ],
    },
  ],
  ...['90d94774', '98870087'].map(
    (id) =>
      [
        `openai-agents ${id} output`,
        {
          why: 'The response repeats the instructions of its request, which Langfuse does not show: they are the system text.',
          ours: [
            said('system', 'You are a helpful agent.'),
            id === '98870087'
              ? assistant(null, {
                  id: 'call_Kud0j0DxWSmLzv9W5m6qVqXn',
                  name: 'get_weather',
                  arguments: { city: 'Tokyo' },
                })
              : assistant(
                  'The weather in Tokyo is currently sunny. If you need more details like temperature or forecast for the upcoming days, just let me know!',
                ),
          ],
        },
      ] as const,
  ),
  [
    'pydantic-ai 5cb389a3 output',
    {
      why: 'Langfuse leaves the message of a `gen_ai.choice` event where it is, without a role; it is the answer.',
      ours: [assistant(expect.stringMatching(/^Langfuse is a tool designed for observability/))],
    },
  ],
  ['vercel-aisdk e9bb8c19 output', { why: 'What a tool returned is no message: it has no role.', ours: [] }],
]);

const root = sharedData('langfuse');
const names = root === null ? [] : readdirSync(root).filter((name) => name.endsWith('.chatml.json'));

describe.skipIf(root === null)('the messages that Langfuse expects (needs ../shared/data/langfuse)', () => {
  const seen: string[] = [];

  it.each(names)('%s', (name) => {
    const expected = JSON.parse(readFileSync(`${root}/${name}`, 'utf8'));
    const document = documentAt(`${root}/${name.replace('.chatml.', '.trace.')}`);
    const problems = new Problems(document.file);
    const spans = langfuseSpans(document, problems).map(({ read }) => read());
    const framework = name.replace(/-\d{4}-.*$/, '');
    expect(Object.keys(expected).filter((id) => !spans.some(({ spanId }) => spanId === id))).toEqual([]);
    for (const span of spans) {
      for (const [side, key] of [
        ['input', INPUT],
        ['output', OUTPUT],
      ] as const) {
        const value = span.attributes.find(key);
        const ours = (value && parseChat(value.value, value.pointer, problems)?.messages) ?? [];
        const place = `${framework} ${span.spanId.slice(0, 8)} ${side}`;
        const difference = DIFFERENCES.get(place);
        if (difference) seen.push(place);
        // A trace has a span of its own, which Langfuse's tests know nothing of.
        if (span.spanId.startsWith('trace:')) continue;
        const theirs = messagesOf(get(expected[span.spanId], side));
        expect([place, ours.map(ourMessage)]).toEqual([place, difference?.ours ?? theirs]);
        // What is listed as a difference is one.
        if (difference) expect([place, theirs]).not.toEqual([place, difference.ours]);
      }
      expect([span.spanId, (langfuse.tools(span) ?? []).map(ourTool)]).toEqual([
        span.spanId,
        toolsOf(expected[span.spanId]),
      ]);
    }
    expect(problems.list()).toEqual([]);
  });

  it('has every listed difference', () => {
    expect(seen.toSorted()).toEqual([...DIFFERENCES.keys()].toSorted());
  });
});

/** What their result of reading one side of an observation says; nothing when it is a failure. */
function messagesOf(side: unknown): Said[] {
  return (getArray(side, 'data') ?? []).map((message) => {
    const content = get(message, 'content');
    const blocks = Array.isArray(content) ? content : [];
    const texts = blocks.flatMap((block) => getString(block, 'text') ?? []);
    const inBlocks = blocks.filter((block) => getString(block, 'type') === 'tool_use');
    const text = typeof content === 'string' ? content : texts.join('\n');
    return {
      role: roleOf(getString(message, 'role')),
      content: text === '' ? null : text,
      calls: [...(getArray(message, 'tool_calls') ?? []), ...inBlocks].map((call) => ({
        id: getString(call, 'id') || undefined,
        name: getString(call, 'name') ?? '',
        arguments: parsed(get(call, 'arguments') ?? get(call, 'input')),
      })),
      call: getString(message, 'tool_call_id'),
    };
  });
}

function roleOf(role: string | undefined): string {
  return role === 'model' ? 'assistant' : (role ?? 'none');
}

function ourMessage(message: Message): Said {
  switch (message.role) {
    case 'system':
    case 'user':
      return said(message.role, message.content?.text || null);
    case 'agent':
      return assistant(message.content?.text || null, ...message.calls.map(ourCall));
    case 'result': {
      const { value, call } = message;
      return said('tool', typeof value === 'string' ? value : JSON.stringify(value), [], call);
    }
    case 'sub-agent':
      throw new Error('No observation holds the turns of a sub-agent.');
  }
}

function ourCall({ id, name, arguments: args }: RequestedCall) {
  return { id, name, arguments: args };
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value) : value;
}

/** The tools of all messages of an observation, which Langfuse repeats at each of them. */
function toolsOf(observation: unknown) {
  const tools = new Map<string, unknown>();
  for (const side of ['input', 'output']) {
    for (const message of getArray(get(observation, side), 'data') ?? []) {
      for (const tool of getArray(message, 'tools') ?? []) tools.set(getString(tool, 'name') ?? '', tool);
    }
  }
  return [...tools.values()].filter(isObject).map((tool) => ({
    name: getString(tool, 'name'),
    description: getString(tool, 'description') || undefined,
    inputSchema: get(tool, 'parameters'),
  }));
}

function ourTool({ name, description, inputSchema }: Tool) {
  return { name, description, inputSchema };
}
