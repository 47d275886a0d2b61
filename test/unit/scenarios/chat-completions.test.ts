import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { AgentReply } from '../../../src/scenarios/agents/agent.ts';
import { type ChatCompletionsSettings, chatCompletionsAgent } from '../../../src/scenarios/agents/chat-completions.ts';
import { sendEvents, sendJson, sendMessage, startAgentServer } from '../../support/agent-server.ts';

const NEVER = new AbortController().signal;

async function ask(
  answer: (response: ServerResponse) => void,
  settings: Partial<ChatCompletionsSettings> = {},
  timeoutMs = 2000,
) {
  await using server = await startAgentServer(answer);
  const agent = chatCompletionsAgent('support', { endpoint: server.endpoint, ...settings }, timeoutMs);
  const reply = await agent.ask({ messages: [{ role: 'user', content: 'Hi' }], turnIndex: 0, round: 0 }, NEVER);
  return { reply: withoutPort(reply), requests: server.requests };
}

function withoutPort(reply: AgentReply): AgentReply {
  return reply.type === 'failed' ? { ...reply, reason: reply.reason.replace(/127\.0\.0\.1:\d+/, 'HOST') } : reply;
}

async function askAt(endpoint: string, privateNetwork?: boolean) {
  const agent = chatCompletionsAgent('support', { endpoint, privateNetwork }, 300);
  const reply = await agent.ask({ messages: [], turnIndex: 0, round: 0 }, NEVER);
  return reply.type === 'failed' ? reply.reason : '';
}

const chunk = (delta: object, rest: object = {}) => JSON.stringify({ choices: [{ delta, ...rest }] });

describe('an agent that speaks chat completions', () => {
  it('gets the body of its configuration with the messages, and its headers', async () => {
    const { requests, reply } = await ask(
      (response) =>
        sendMessage(
          response,
          { role: 'assistant', content: 'Hello' },
          { model: 'm-1', usage: { prompt_tokens: 7, completion_tokens: 2 } },
        ),
      { body: { model: 'm', messages: 'overwritten' }, headers: { authorization: 'Bearer k' } },
    );
    expect(requests[0]?.body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    expect(requests[0]?.headers.authorization).toBe('Bearer k');
    expect(reply).toEqual({
      type: 'message',
      message: { role: 'assistant', content: 'Hello' },
      model: 'm-1',
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 2 },
      calls: [],
    });
  });

  it('may leave out ids of calls and send arguments as an object', async () => {
    const calls = [
      { function: { name: 'a', arguments: { x: 1 } } },
      { id: 'c', function: { name: 'b', arguments: '' } },
    ];
    const { reply } = await ask((response) => sendMessage(response, { role: 'assistant', tool_calls: calls }));
    expect(reply).toMatchObject({
      message: {
        content: null,
        tool_calls: [
          { id: 'call_1_1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
          { id: 'c', function: { name: 'b', arguments: '' } },
        ],
      },
    });
  });

  it('can stream its answer, whose chunks are merged', async () => {
    const part = (index: number, fn: object, id?: string) => ({ tool_calls: [{ index, id, function: fn }] });
    const { reply, requests } = await ask(
      (response) =>
        sendEvents(response, [
          chunk({ role: 'assistant', content: 'Let me ' }),
          chunk({ content: 'look.' }),
          chunk(part(0, { name: 'get', arguments: '{"id"' }, 'c1')),
          chunk(part(1, { name: 'other', arguments: '{}' }, 'c2')),
          chunk(part(0, { arguments: ':1}' })),
          chunk({}, { finish_reason: 'tool_calls' }),
          JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }),
          '[DONE]',
        ]),
      { streaming: true },
    );
    expect(requests[0]?.body).toMatchObject({ stream: true });
    expect(reply).toMatchObject({
      message: {
        content: 'Let me look.',
        tool_calls: [
          { id: 'c1', function: { name: 'get', arguments: '{"id":1}' } },
          { id: 'c2', function: { name: 'other', arguments: '{}' } },
        ],
      },
      finishReason: 'tool_calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });

  it.each<readonly [string, (response: ServerResponse) => void, string]>([
    [
      'a chunk that is broken',
      (response) => sendEvents(response, [chunk({ content: 'a' }), '{"choices": [{"del']),
      'HOST/v1/chat/completions sent a stream whose chunk 2 is not a JSON object.',
    ],
    [
      'a stream that ends early',
      (response) => sendEvents(response, [chunk({ content: 'a' })]),
      'HOST/v1/chat/completions ended its stream in the middle of an answer.',
    ],
    [
      'an error in a stream',
      (response) => sendEvents(response, [chunk({ content: 'a' }), '{"error":{"message":"overloaded"}}']),
      'HOST/v1/chat/completions ended its stream with an error: overloaded',
    ],
    [
      'a stream without an answer',
      (response) => sendEvents(response, ['[DONE]']),
      'HOST/v1/chat/completions sent a stream without an answer.',
    ],
    [
      'garbage',
      (response) => void response.end('!!'),
      'HOST/v1/chat/completions answered with something that is not JSON instead of JSON. Check the base URL, and that no login page or proxy stands in between.',
    ],
    [
      'another kind of JSON',
      (response) => sendJson(response, { reply: 'Hi' }),
      'HOST/v1/chat/completions answered without a "choices[0].message" with text or tool calls. Is the endpoint one for chat completions?',
    ],
    [
      'an error status',
      (response) => sendJson(response, { error: { message: 'no such order' } }, 500),
      'HOST/v1/chat/completions failed (500: no such order).',
    ],
    [
      'a redirect',
      (response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      'HOST/v1/chat/completions redirects to 169.254.169.254/latest. Redirects are not followed: if the target is right, make it the base URL.',
    ],
    [
      'more than 10 MB',
      (response) => sendMessage(response, { role: 'assistant', content: 'x'.repeat(11 * 1024 * 1024) }),
      'HOST sent more than 10 MB, which is not an answer.',
    ],
  ])('that answers with %s fails with a sentence', async (_, answer, reason) => {
    expect((await ask(answer)).reply).toEqual({ type: 'failed', reason, calls: [] });
  });

  it('that does not answer in time fails with a sentence', async () => {
    const { reply } = await ask(() => {}, {}, 40);
    expect(reply).toMatchObject({
      reason: 'HOST did not answer within 0.04 s. Raise `requestTimeoutMs` to wait longer.',
    });
  });

  it('that is not running fails with a sentence', async () => {
    const server = await startAgentServer(() => {});
    await server[Symbol.asyncDispose]();
    expect(await askAt(server.endpoint)).toMatch(
      /^127\.0\.0\.1:\d+ does not answer \(connection refused\)\. Start the agent "support", or correct its "endpoint"\.$/,
    );
  });

  it('is never asked at link-local and metadata addresses, however they are written', async () => {
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]', '0xa9fea9fe', '[fd00:ec2::254]']) {
      expect(await askAt(`http://${host}/v1`, true), host).toContain('is a link-local or metadata address');
    }
  });

  it('is asked in a private network only where the configuration says so', async () => {
    for (const host of ['10.255.255.1', '192.168.0.1', '172.16.0.1', '[fd12::1]', '[::ffff:10.0.0.1]', '0.0.0.0']) {
      expect(await askAt(`http://${host}:9/v1`), host).toMatch(
        /is in a private network\. Set "privateNetwork: true" for the agent "support" if it is meant to be there\.$/,
      );
    }
    expect(await askAt('http://0.0.0.0:9/v1', true)).not.toContain('private network');
  });
});
