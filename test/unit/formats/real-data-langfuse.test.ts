import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentToolCalls, type Session } from '../../../src/core/session.ts';
import { detect, FORMATS } from '../../../src/formats/index.ts';
import { sharedData } from '../../support/shared-data.ts';
import { documentAt, onlySession, pointersOf, read, resolve } from './read-fixture.ts';

const root = sharedData('.');

/** The only session of a file, of which nothing is wrong; every pointer leads somewhere, and no other format takes it. */
function session(path: string): Session {
  const document = documentAt(`${root}/${path}`, path);
  expect(FORMATS.filter((format) => format.detect(document) !== null)).toHaveLength(1);
  const reading = read(document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  expect(reading.problems).toEqual([]);
  return onlySession(reading);
}

function counts({ turns }: Session) {
  const calls = turns.flatMap(agentToolCalls);
  return {
    turns: turns.length,
    models: turns.flatMap(({ steps }) => steps.filter(({ type }) => type === 'model')).length,
    calls: calls.length,
    errors: calls.filter(({ outcome }) => outcome === 'error').length,
    missing: calls.filter(({ outcome }) => outcome === 'missing').length,
  };
}

// All numbers were counted in the raw files, apart from the readers.
describe.skipIf(root === null)('real exports of Langfuse (needs ../shared/data)', () => {
  it.each([
    // Its session, calls of models and tools, and what was asked and answered.
    ['autogen-2025-06-06', 'session_abc', 1, 0, "Say 'Hello World!'", /^Hello World!$/],
    [
      'claude-agent-2025-12-22',
      '097f1d8982fa909b8cffb14a166ec272',
      4,
      2,
      "What's the weather like in Berlin and New York?",
      /^Great! Here's the current weather for both cities:/,
    ],
    ['google-adk-2025-08-28', 'demo-session', 2, 1, 'hi', /^Hello Langfuse 👋!\n$/],
    [
      'koog-2025-08-26',
      '6f8d2449-33ed-4c7c-82e7-5410e34ee4e6',
      2,
      2,
      'Greet and say goodbye to the user in the same message. Use provided tools to generate a proper greeting. The user name is Bob.',
      /^Hello my darling Bob! And, bye my dear Bob!$/,
    ],
    [
      'langgraph-python-2025-08-22',
      'demo-thread-1',
      2,
      1,
      "Search the web for 'example' and summarize.",
      /^The search for "example" primarily leads to/,
    ],
    ['llamaindex-2025-06-05', 'session_abc', 1, 0, 'What is Langfuse?', /^Langfuse is a tool designed to help/],
    [
      'openai-agents-2025-09-30',
      'fee618f96dc31e0ca38b2f7b26eb8b29',
      2,
      1,
      "What's the weather in Tokyo?",
      /^The weather in Tokyo is currently sunny\./,
    ],
    ['pydantic-ai-2025-06-06', 'session_abc', 1, 0, 'What is Langfuse?', /^Langfuse is a tool designed for observ/],
    // One call of a model, which is recorded around and at the request; it ends with the call of a tool.
    [
      'vercel-aisdk-2025-11-17',
      'df41e597d0a85e0d7a6ae8ebfaa70aa0',
      1,
      1,
      'What is the weather like today in San Francisco?',
      null,
    ],
  ])('langfuse/%s.trace.json', (name, id, models, calls, input, answered) => {
    const found = session(`langfuse/${name}.trace.json`);
    expect(found.id).toBe(id);
    expect(counts(found)).toEqual({ turns: 1, models, calls, errors: 0, missing: 0 });
    const [turn] = found.turns;
    expect(turn?.input).toBe(input);
    if (answered === null) expect(turn?.output).toBeNull();
    else expect(turn?.output).toMatch(answered);
    expect(turn?.captured).toBeUndefined();
    for (const call of turn ? agentToolCalls(turn) : []) expect(call.result).toBeTruthy();
  });

  it('langfuse/seeder-openai-assistants-2024-05-29.json, in which the agent speaks first', () => {
    const found = session('langfuse/seeder-openai-assistants-2024-05-29.json');
    expect(counts(found)).toEqual({ turns: 2, models: 2, calls: 0, errors: 0, missing: 0 });
    expect(found.turns.map(({ input, output }) => [input, output?.slice(0, 30)])).toEqual([
      [null, 'I am a math tutor that likes t'],
      ['I need to solve the equation `3x + 11 = 14`. Can you help me?', 'Sure, first subtract 11 from b'],
    ]);
  });

  it.each([
    ['claude-agent-2025-12-22', 'You are a friendly travel assistant who helps with weather information.', undefined],
    [
      'google-adk-2025-08-28',
      'Always greet using the say_hello tool.\n\nYou are an agent. Your internal name is "hello_agent".',
      ['say_hello'],
    ],
    ['koog-2025-08-26', 'You are a nice and polite assistant.', undefined],
    ['langgraph-python-2025-08-22', undefined, ['Web-Search']],
    ['openai-agents-2025-09-30', 'You are a helpful agent.', ['get_weather']],
    ['vercel-aisdk-2025-11-17', undefined, ['getWeather']],
  ])('langfuse/%s.trace.json: instructions and tools', (name, system, tools) => {
    const found = session(`langfuse/${name}.trace.json`);
    expect([found.system, found.tools?.map((tool) => tool.name)]).toEqual([system, tools]);
  });

  it("Langfuse's expected messages are not a trace", () => {
    const names = readdirSync(`${root}/langfuse`).filter((name) => name.endsWith('.chatml.json'));
    expect(names).toHaveLength(9);
    for (const name of names) expect(detect(documentAt(`${root}/langfuse/${name}`))).toBeNull();
  });
});

describe.skipIf(root === null)('real recordings of LangChain and LangSmith (needs ../shared/data)', () => {
  it('langsmith/langsmith_py_wrap_openai_.json', () => {
    const found = session('langsmith/langsmith_py_wrap_openai_.json');
    expect(counts(found)).toEqual({ turns: 1, models: 1, calls: 0, errors: 0, missing: 0 });
    expect(found.turns[0]).toMatchObject({
      input: 'howdy',
      inputPointer: '/post/0/inputs/messages/0/content',
      output: 'Howdy! How can I assist you today?',
      outputPointer: '/patch/0/outputs/choices/0/message/content',
    });
    expect(found.turns[0]?.steps[0]).toMatchObject({
      model: 'gpt-4o-mini',
      finishReason: 'stop',
      usage: { inputTokens: 9, outputTokens: 9 },
    });
  });

  it.each([
    ['langchain_stored_messages', 2, 7, 'langchain_stored_messages'],
    ['langgraph_js_lc_constructor', 2, 7, 'langgraph_js_lc_constructor'],
    ['langgraph_thread_state_plain', 2, 7, 'conv_42'],
    // The unknown tool has no run; the next model was told that it does not exist.
    ['langsmith_run_tree_turn1', 1, 6, 'conv_42'],
    // The first turn is in the history of the second.
    ['langsmith_run_tree_turn2', 2, 7, 'conv_42'],
    ['langsmith_runs_flat', 1, 6, 'conv_42'],
  ])('sdk-generated/%s.json', (name, turns, models, id) => {
    const found = session(`sdk-generated/${name}.json`);
    expect(found.id).toBe(id);
    expect(counts(found)).toEqual({ turns, models, calls: 5, errors: 2, missing: 0 });
    expect(
      found.turns[0] && agentToolCalls(found.turns[0]).map((call) => call.error?.replace(/^Error: |\n.*/g, '')),
    ).toEqual([undefined, 'amount exceeds order total 42.50', undefined, 'Tool "cancel_order" not found.', undefined]);
  });
});
