import { expect, it } from 'vitest';
import { agentToolCalls, type Session } from '../../../src/core/session.ts';
import { fixture, read, resolve } from './read-fixture.ts';

/** One conversation, written in every format: what is read must not depend on which one it was. */
const ORDER = { order_id: 'A-1001' };
const CONVERSATION = [
  {
    input: 'Please refund order A-1001.',
    output: 'Your refund of $42.50 for order A-1001 was issued.',
    calls: [
      ['get_order', ORDER, 'ok'],
      ['refund_order', { ...ORDER, amount: 425 }, 'error'],
      ['get_order', ORDER, 'ok'],
      ['cancel_order', ORDER, 'error'],
      ['refund_order', { ...ORDER, amount: 42.5 }, 'ok'],
    ],
  },
  { input: 'Thanks. When will I see the money?', output: 'Usually within 5 business days.', calls: [] },
];

function essence(session: Session | undefined) {
  return session?.turns.map((turn) => ({
    input: turn.input,
    output: turn.output,
    calls: agentToolCalls(turn).map((call) => [call.name, call.arguments, call.outcome]),
  }));
}

it.each([
  'sessions.turnwise.json',
  'sessions.turnwise.jsonl',
  'fair-forge.json',
  'fair-forge.jsonl',
  'tau-bench.json',
  'tau2-bench.json',
  'inspect-ai.json',
  'atif.json',
  'openhands.json',
  'tapeagents.json',
  'agentest-comparison.json',
  'conv.session.json',
  'conv-camel.session.json',
  'claude-code.jsonl',
  'claude-code-stream.jsonl',
  'claude-code-web.json',
  'codex.jsonl',
  'codex.json',
  'codex-items.json',
  'openai-agents-trace.json',
  'openai-responses.json',
  'openai-responses.jsonl',
  'openai-responses-camel.json',
  'openai-responses-request.json',
  'openai-responses-chain.jsonl',
  'anthropic-messages.json',
  'anthropic-messages.jsonl',
  'anthropic-body.json',
  'langfuse-export.json',
  'langfuse-observations.json',
  'langfuse-page.json',
  'langfuse-rows.jsonl',
  'langfuse-session.json',
  'langfuse-traces.jsonl',
  'otlp-openllmetry.json',
  'otlp-events.jsonl',
  'otlp-gen-ai.json',
  'tempo.jsonl',
  'jaeger-adk.json',
  'phoenix-page.json',
  'phoenix-traces.json',
  'mlflow-v2.jsonl',
  'mlflow-v3.json',
  'trail.json',
  'span-list-console.jsonl',
  'span-list-strands.json',
  'span-list-openinference-events.json',
  'span-list-agentcore.jsonl',
  'otel-messages.json',
  'langsmith-trees.json',
  'langsmith-runs.jsonl',
  'langsmith-batch.json',
  'langchain-constructor.json',
  'langchain-stored.json',
  'langchain-threads.jsonl',
  'langgraph-history.json',
  'ai-sdk-ui.json',
  'ai-sdk-ui-v4.json',
  'ai-sdk-model.json',
  'ai-sdk-model-v4.jsonl',
  'bedrock-converse.json',
  'bedrock-converse-log.jsonl',
  'gemini-contents.json',
  'gemini-batch.jsonl',
  'autogen.json',
  'autogen-events.jsonl',
  'ag2.json',
  'sharegpt.json',
  'sharegpt-hermes.jsonl',
  'openai-chat.json',
  'openai-chat-body.json',
  'openai-chat-messages.jsonl',
  'openai-chat-finetune.jsonl',
])('%s', (file) => {
  const { sessions } = read(fixture(file));
  expect(essence(sessions[0])).toEqual(CONVERSATION);
});

it('pandaprobe-traces.json: the unknown tool has no span, so its call is missing a result', () => {
  const [session] = read(fixture('pandaprobe-traces.json')).sessions;
  const [first, second] = CONVERSATION;
  const calls = first?.calls.map(([name, input, outcome]) => [
    name,
    input,
    name === 'cancel_order' ? 'missing' : outcome,
  ]);
  expect(essence(session)).toEqual([{ ...first, calls }, second]);
});

it('any-agent.json, without session and history: the call of the unknown tool is missing a result', () => {
  const [first] = CONVERSATION;
  const calls = first?.calls.map(([name, input, outcome]) => [
    name,
    input,
    name === 'cancel_order' ? 'missing' : outcome,
  ]);
  expect(essence(read(fixture('any-agent.json')).sessions[0])).toEqual([{ ...first, calls }]);
});

it('agentest-results.json does not record calls whose mock fails', () => {
  const [session] = read(fixture('agentest-results.json')).sessions;
  const [first, second] = CONVERSATION;
  expect(essence(session)).toEqual([
    { ...first, calls: first?.calls.filter(([, , outcome]) => outcome === 'ok') },
    second,
  ]);
});

it('toolbench.json has one question, and its answer is a call too', () => {
  const [session] = read(fixture('toolbench.json')).sessions;
  const [first] = CONVERSATION;
  const finish = ['Finish', { return_type: 'give_answer', final_answer: first?.output }, 'ok'];
  expect(essence(session)).toEqual([{ ...first, calls: [...(first?.calls ?? []), finish] }]);
});

it('reads the calls that an AI SDK message lists beside its text', () => {
  expect(essence(read(fixture('ai-sdk-model-v4.jsonl')).sessions[1])).toEqual(CONVERSATION);
});

it('reads legacy function calls', () => {
  expect(essence(read(fixture('openai-chat-finetune.jsonl')).sessions[1])).toEqual(CONVERSATION);
});

it.each(['conv.evalset.json', 'conv-camel.evalset.json', 'old.test.json', 'older.test.json'])(
  '%s expects it',
  (file) => {
    const { sessions, expectations, problems } = read(fixture(file));
    expect([sessions, problems]).toEqual([[], []]);
    const [first, second] = CONVERSATION;
    expect(expectations?.map(({ turns }) => turns.map(({ input, reference }) => ({ input, ...reference })))).toEqual([
      [
        {
          input: first?.input,
          response: first?.output,
          toolCalls: [
            { name: 'get_order', arguments: ORDER },
            { name: 'refund_order', arguments: { ...ORDER, amount: 42.5 } },
          ],
        },
        { input: second?.input, response: second?.output, toolCalls: [] },
      ],
    ]);
  },
);

it.each([
  'sessions.turnwise.json',
  'fair-forge.json',
  'tau-bench.json',
  'agentest-comparison.json',
  'conv.session.json',
  'pandaprobe-traces.json',
  'claude-code-stream.jsonl',
  'claude-code-web.json',
  'codex-items.json',
  'openai-responses-request.json',
  'openai-responses-chain.jsonl',
  'anthropic-messages.jsonl',
  'anthropic-body.json',
  'ai-sdk-ui.json',
  'ai-sdk-ui-v4.json',
  'ai-sdk-model-v4.jsonl',
  'bedrock-converse-log.jsonl',
  'gemini-batch.jsonl',
  'autogen-events.jsonl',
  'sharegpt.json',
  'openai-chat-finetune.jsonl',
])('%s: inputs, outputs and requests point at the texts themselves', (file) => {
  const document = fixture(file);
  for (const session of read(document).sessions) {
    for (const turn of session.turns) {
      expect(resolve(document.value, turn.inputPointer ?? '')).toBe(turn.input);
      expect(resolve(document.value, turn.outputPointer ?? '')).toBe(turn.output);
      for (const call of agentToolCalls(turn)) {
        expect(JSON.stringify(resolve(document.value, call.pointer))).toContain(call.name);
        if (call.outcome === 'ok') expect(resolve(document.value, call.resultPointer ?? '')).toEqual(call.result);
      }
    }
  }
});
