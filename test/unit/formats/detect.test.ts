import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detect, FORMATS } from '../../../src/formats/index.ts';
import { sharedData, sharedDataManifest } from '../../support/shared-data.ts';
import { documentAt, fixture, json, jsonLines, read } from './read-fixture.ts';

const FIXTURES: readonly [string, string][] = [
  ['sessions.turnwise.json', 'turnwise'],
  ['sessions.turnwise.jsonl', 'turnwise'],
  ['fair-forge.json', 'fair-forge'],
  ['fair-forge.jsonl', 'fair-forge'],
  ['tau-bench.json', 'tau-bench'],
  ['tau2-bench.json', 'tau2-bench'],
  ['inspect-ai.json', 'inspect-ai'],
  ['atif.json', 'atif'],
  ['atif-sub-agents.json', 'atif'],
  ['openhands.json', 'openhands'],
  ['tapeagents.json', 'tapeagents'],
  ['openhands-output.jsonl', 'openhands'],
  ['swe-agent.traj', 'swe-agent'],
  ['mini-swe-agent.traj.json', 'mini-swe-agent'],
  ['mini-swe-agent-tools.traj.json', 'mini-swe-agent'],
  ['swe-agent-attempts.traj', 'swe-agent'],
  ['agentest-results.json', 'agentest'],
  ['agentest-comparison.json', 'agentest'],
  ['conv.evalset.json', 'adk-evalset'],
  ['conv-camel.evalset.json', 'adk-evalset'],
  ['old.test.json', 'adk-evalset'],
  ['older.test.json', 'adk-evalset'],
  ['conv.session.json', 'adk-session'],
  ['conv-camel.session.json', 'adk-session'],
  ['pandaprobe-trace.json', 'pandaprobe'],
  ['pandaprobe-traces.json', 'pandaprobe'],
  ['otlp-openllmetry.json', 'otlp'],
  ['otlp-events.jsonl', 'otlp'],
  ['otlp-gen-ai.json', 'otlp'],
  ['tempo.jsonl', 'tempo'],
  ['jaeger-adk.json', 'jaeger'],
  ['phoenix-page.json', 'phoenix'],
  ['phoenix-traces.json', 'phoenix'],
  ['mlflow-v2.jsonl', 'mlflow'],
  ['mlflow-v3.json', 'mlflow'],
  ['trail.json', 'trail'],
  ['any-agent.json', 'any-agent'],
  ['span-list-console.jsonl', 'span-list'],
  ['span-list-strands.json', 'span-list'],
  ['span-list-openinference-events.json', 'span-list'],
  ['span-list-agentcore.jsonl', 'span-list'],
  ['otel-messages.json', 'otel-messages'],
  ['claude-code.jsonl', 'claude-code'],
  ['claude-code-agents.jsonl', 'claude-code'],
  ['claude-code-stream.jsonl', 'claude-code'],
  ['claude-code-web.json', 'claude-code'],
  ['agent-e1f.jsonl', 'claude-code'],
  ['codex.jsonl', 'codex'],
  ['codex.json', 'codex'],
  ['codex-items.json', 'codex'],
  ['openai-agents-trace.json', 'openai-agents'],
  ['openai-agents-state.json', 'openai-agents'],
  ['openai-responses.json', 'openai-responses'],
  ['openai-responses.jsonl', 'openai-responses'],
  ['openai-responses-camel.json', 'openai-responses'],
  ['openai-responses-request.json', 'openai-responses'],
  ['openai-responses-chain.jsonl', 'openai-responses'],
  ['anthropic-messages.json', 'anthropic-messages'],
  ['anthropic-messages.jsonl', 'anthropic-messages'],
  ['anthropic-body.json', 'anthropic-messages'],
  ['anthropic-response.json', 'anthropic-messages'],
  ['langfuse-export.json', 'langfuse'],
  ['langfuse-observations.json', 'langfuse'],
  ['langfuse-page.json', 'langfuse'],
  ['langfuse-rows.jsonl', 'langfuse'],
  ['langfuse-session.json', 'langfuse'],
  ['langfuse-traces.jsonl', 'langfuse'],
  ['langsmith-trees.json', 'langsmith'],
  ['langsmith-runs.jsonl', 'langsmith'],
  ['langsmith-batch.json', 'langsmith'],
  ['langchain-constructor.json', 'langchain'],
  ['langchain-stored.json', 'langchain'],
  ['langchain-threads.jsonl', 'langchain'],
  ['langgraph-history.json', 'langchain'],
  ['toolbench.json', 'toolbench'],
  ['who-and-when.json', 'who-and-when'],
  ['who-and-when-ag2.json', 'who-and-when'],
  ['ai-sdk-ui.json', 'ai-sdk'],
  ['ai-sdk-ui-v4.json', 'ai-sdk'],
  ['ai-sdk-model.json', 'ai-sdk'],
  ['ai-sdk-model-v4.jsonl', 'ai-sdk'],
  ['bedrock-converse.json', 'bedrock-converse'],
  ['bedrock-converse-log.jsonl', 'bedrock-converse'],
  ['gemini-contents.json', 'gemini-contents'],
  ['gemini-batch.jsonl', 'gemini-contents'],
  ['autogen.json', 'autogen'],
  ['autogen-events.jsonl', 'autogen'],
  ['sharegpt.json', 'sharegpt'],
  ['sharegpt-hermes.jsonl', 'sharegpt'],
  ['magentic-one.json', 'magentic-one'],
  ['ag2.json', 'ag2'],
  ['openai-chat.json', 'openai-chat'],
  ['openai-chat-body.json', 'openai-chat'],
  ['openai-chat-messages.jsonl', 'openai-chat'],
  ['openai-chat-finetune.jsonl', 'openai-chat'],
];

it.each(FIXTURES)('%s is detected as %s and no other format', (file, format) => {
  const document = fixture(file);
  expect(detect(document)?.format.name).toBe(format);
  expect(detect(document)?.reason).toMatch(/^an? /);
  expect(FORMATS.filter((format) => format.detect(document) !== null).map(({ name }) => name)).toEqual([format]);
});

it.each([
  ['turnwise', { id: 'a', turns: [{ input: 'hi', output: null, steps: [] }] }],
  ['tau-bench', { task_id: 1, trial: 0, reward: 1, traj: [{ role: 'user', content: 'hi' }] }],
  ['fair-forge', { session_id: 'a', conversation: [{ query: 'hi', assistant: 'hello' }] }],
  ['pandaprobe', { trace_id: 'a', status: 'OK', spans: [{ span_id: 'b', kind: 'LLM' }] }],
  ['langfuse', { id: 'a', traceId: 'b', type: 'GENERATION', startTime: '2026-01-01T00:00:00Z', input: 'hi' }],
  ['langsmith', { id: 'a', run_type: 'llm', inputs: { messages: [] }, trace_id: 'b' }],
  ['langchain', { messages: [{ type: 'human', content: 'hi' }] }],
  ['openai-chat', { messages: [{ role: 'user', content: 'hi' }] }],
])('a file with one line of JSON is detected as %s', (format, value) => {
  expect(detect(json(value))?.format.name).toBe(format);
  expect(read(json(value)).sessions).toHaveLength(1);
  expect(detect(jsonLines([value, undefined]))?.format.name).toBe(format);
});

const user = { role: 'user', content: 'hi' };

it.each<[string, string, unknown]>([
  [
    'bedrock-converse',
    'Bedrock blocks',
    [
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ toolUse: {} }] },
    ],
  ],
  ['ai-sdk', 'AI SDK UI messages', [{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'hi' }] }]],
  ['ai-sdk', 'AI SDK v4 messages', [user, { role: 'assistant', content: '', toolInvocations: [] }]],
  [
    'ai-sdk',
    'AI SDK model messages',
    [user, { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f' }] }],
  ],
  [
    'gemini-contents',
    'Gemini contents',
    [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'hello' }] },
    ],
  ],
  [
    'sharegpt',
    'ShareGPT',
    [
      { from: 'human', value: 'hi' },
      { from: 'gpt', value: 'hello' },
    ],
  ],
  [
    'magentic-one',
    'Magentic-One',
    [
      { role: 'human', content: 'hi' },
      { role: 'Orchestrator (thought)', content: 'hm' },
    ],
  ],
  [
    'anthropic-messages',
    'blocks',
    [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }],
  ],
  [
    'anthropic-messages',
    'results',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] }] },
  ],
  [
    'openai-responses',
    'items',
    [
      { type: 'message', role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'a', name: 'f' },
    ],
  ],
  ['openai-responses', 'blocks', [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }]],
  ['openai-responses', 'a request', { model: 'gpt-5', input: 'hi', instructions: 'x' }],
  ['openai-responses', 'a failed response', { object: 'response', status: 'failed', error: { message: 'x' } }],
  ['claude-code', 'one line', { type: 'user', sessionId: 'a', uuid: 'b', message: user }],
  ['codex', 'one item', [{ type: 'response_item', payload: { type: 'message', role: 'user', content: 'x' } }]],
  ['who-and-when', 'Who&When', { history: [user], mistake_step: '3', mistake_agent: 'A', question: 'q' }],
  ['bedrock-converse', 'a response', { output: { message: { role: 'assistant', content: [{ text: 'hi' }] } } }],
  ['gemini-contents', 'a response', { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] } }] }],
  ['gemini-contents', 'contents without roles', [{ parts: [{ text: 'hi' }] }]],
  ['autogen', 'one message', [{ type: 'TextMessage', source: 'user', content: 'hi' }]],
  ['autogen', 'the state of a team', { message_thread: [{ type: 'StopMessage', source: 'a', content: 'x' }] }],
  [
    'ag2',
    'names in every role',
    [
      { ...user, name: 'writer' },
      { ...user, name: 'critic' },
    ],
  ],
  [
    'ag2',
    'a user with the role of the assistant',
    [
      { role: 'assistant', content: 'hi', name: 'user_proxy' },
      { ...user, name: 'bot' },
    ],
  ],
  [
    'openai-chat',
    'two users who have names',
    [
      { ...user, name: 'Ann' },
      { ...user, name: 'Bob' },
      { role: 'assistant', content: 'x' },
    ],
  ],
])('%s: %s', (format, _, value) => {
  const document = json(value);
  expect(FORMATS.filter((format) => format.detect(document) !== null).map(({ name }) => name)).toEqual([format]);
  expect(read(document).sessions).toHaveLength(1);
});

describe('documents that no format detects', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['a text', 'messages'],
    ['an empty list', []],
    ['an empty object', {}],
    ['a package manifest', { name: 'x', version: '1.0.0', scripts: { test: 'vitest' }, devDependencies: { zod: '4' } }],
    ['a lockfile', { name: 'x', lockfileVersion: 3, packages: { '': { name: 'x' } } }],
    ['a compiler configuration', { compilerOptions: { strict: true }, include: ['src'] }],
    ['GeoJSON', { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: null, properties: {} }] }],
    [
      'a vocabulary with tell-tale keys',
      { messages: 1, spans: 2, sessions: 3, turnwise: 4, events: 5, scenarios: 6, summary: 7 },
    ],
    ['a list of people with roles', [{ name: 'Ann', role: 'user', email: 'a@example.org' }]],
    ['messages without content', [{ role: 'user' }, { role: 'assistant' }]],
    ['a body without messages', { model: 'gpt-4o', messages: [] }],
    ['a request for embeddings', { model: 'text-embedding-3-small', input: 'hi', encoding_format: 'float' }],
    ['a table', [{ id: 1, name: 'a', reward: 2 }]],
    ['scenarios of another tool', { summary: { total: 1 }, scenarios: [{ name: 'x', steps: [] }] }],
    [
      'Inspect tool calls',
      [user, { role: 'assistant', content: '', tool_calls: [{ id: 'a', function: 'f', arguments: {} }] }],
    ],
    [
      'messages among which one has a role of its own',
      [user, { role: 'assistant', content: 'hello' }, { role: 'critic', content: 'hm' }],
    ],
    ['a list in which one entry happens to look like a message', [{ a: 1 }, { b: 2 }, { ...user }]],
    ['a trajectory of an unknown format', { trajectory_format: 'other-1', messages: [user], info: {} }],
    ['a trajectory of something else', { history: [user], trajectory: [{ action: 'left', observation: [0.1, 0.2] }] }],
    ['tau2', { info: {}, tasks: [], simulations: [{ id: 'a', messages: [user] }] }],
  ])('%s', (_, value) => {
    expect(detect(json(value))).toBeNull();
  });

  it.each([
    ['lines of Claude Code without a message', [{ type: 'summary', summary: 'x', leafUuid: 'a' }]],
    ['events of another log', [{ timestamp: '2026-01-01T00:00:00Z', type: 'event', payload: { type: 'message' } }]],
    ['nothing but broken lines', [undefined, undefined]],
  ])('%s lines', (_, values) => {
    expect(detect(jsonLines(values))).toBeNull();
  });
});

/** Formats as MANIFEST.md of the public data writes them. Null: no trace, or none that Turnwise reads. */
const MANIFEST_FORMATS: readonly (readonly [RegExp, string | null])[] = [
  [/^(?:CSV|labels$|ground truth|ORACLE|NOT a trace|QA pairs|OpenAI tool definitions)/, null],
  [/^ADK (?:old |evalset)/, 'adk-evalset'],
  [/^ADK session/, 'adk-session'],
  [/^Agentest /, 'agentest'],
  [/^(?:Anthropic Messages)/, 'anthropic-messages'],
  [/^any-agent /, 'any-agent'],
  [/^Harbor ATIF /, 'atif'],
  [/^Claude Code /, 'claude-code'],
  [/^Codex /, 'codex'],
  [/^Inspect AI log \.json/, 'inspect-ai'],
  [/^Jaeger /, 'jaeger'],
  [/^(?:LangChain|LangGraph) /, 'langchain'],
  [/^Langfuse /, 'langfuse'],
  [/^LangSmith /, 'langsmith'],
  [/^Magentic-One /, 'magentic-one'],
  [/^mini-swe-agent /, 'mini-swe-agent'],
  [/^OpenAI (?:chat|fine-tune)/, 'openai-chat'],
  [/^OpenAI Agents SDK run history/, 'openai-responses'],
  [/^OpenAI Agents SDK trace/, 'openai-agents'],
  [/^OpenAI Responses /, 'openai-responses'],
  [/^OpenHands /, 'openhands'],
  [/^TapeAgents tape/, 'tapeagents'],
  [/^OTLP (?:logs )?JSON(?:,| of|$)/, 'otlp'],
  [/^PandaProbe /, 'pandaprobe'],
  [/^(?:JS ReadableSpan dump|one span's attributes map|flat span dump)/, 'span-list'],
  [/^SWE-agent /, 'swe-agent'],
  [/^tau-bench /, 'tau-bench'],
  [/^tau2-bench /, 'tau2-bench'],
  [/^Tempo /, 'tempo'],
  [/^ToolBench /, 'toolbench'],
  [/^Vercel AI SDK /, 'ai-sdk'],
  [/^Who&When /, 'who-and-when'],
];

const manifest = sharedDataManifest();

describe.skipIf(manifest === null)('detection in the public data (needs ../shared/data)', () => {
  it('gives each file the format that MANIFEST.md says, and no other', () => {
    const rows = (manifest ?? []).flatMap(({ path, format }) => {
      // A format that this table does not know was added with its data.
      const row = MANIFEST_FORMATS.find(([pattern]) => pattern.test(format));
      return row && /\.(?:json|jsonl|traj)$/.test(path) ? [[path, [row[1] ?? []].flat()] as const] : [];
    });
    expect(rows.length).toBeGreaterThan(140);
    const detected = rows.map(([path]) => {
      const document = documentAt(sharedData(path) ?? '');
      return [path, FORMATS.filter((format) => format.detect(document) !== null).map(({ name }) => name)];
    });
    expect(detected).toEqual(rows);
  });
});

it.each([
  ['bom.json', ['openai-chat']],
  ['crlf-one-bad-line.jsonl', ['openai-chat']],
  ['empty.json', []],
  ['null.json', []],
  ['truncated.json', []],
])('%s, a file with a defect, is of the formats %j', (file, expected) => {
  const document = documentAt(join(import.meta.dirname, '..', '..', 'fixtures', 'edge', file));
  expect(FORMATS.filter((format) => format.detect(document) !== null).map(({ name }) => name)).toEqual(expected);
});

it.each(FIXTURES)('%s has an expectation key if it has expectations', (file, name) => {
  const { expectations = [] } = read(fixture(file));
  const keys = FORMATS.find((format) => format.name === name)?.expectationKeys ?? [];
  const text = JSON.stringify(fixture(file).value);
  if (expectations.length > 0) expect(keys.some((key) => text.includes(JSON.stringify(key)))).toBe(true);
});

describe('the cost of detection', () => {
  it('is bounded by the first entries', () => {
    let looked = 0;
    const get = (target: object, key: PropertyKey) => {
      looked += 1;
      return Reflect.get(target, key);
    };
    const entry = () => new Proxy({ role: 'robot' }, { get });
    expect(detect(json(Array.from({ length: 5000 }, entry)))).toBeNull();
    const short = looked;
    looked = 0;
    expect(detect(json(Array.from({ length: 10_000 }, entry)))).toBeNull();
    expect(looked).toBe(short);
  });

  it('is not affected by broken lines at the start', () => {
    expect(
      detect(jsonLines([undefined, null, user, { ...user }, { role: 'assistant', content: 'x' }]))?.format.name,
    ).toBe('openai-chat');
  });
});
