import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../src/llm/budget.ts';
import { type CallLog, createChatClient } from '../../../src/llm/chat-client.ts';
import type { ChatMessage } from '../../../src/llm/chat-model.ts';
import { createPatience } from '../../../src/llm/patience.ts';
import { PROVIDERS } from '../../../src/llm/providers/index.ts';
import { createRateLimiter } from '../../../src/llm/rate-limiter.ts';
import { answer, error, type Script, STUB_BASE_URLS, startStubModels } from '../../support/stub-models.ts';
import { NEVER, SETTINGS, testClock } from '../judge/support.ts';

const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'You are a customer.' },
  { role: 'user', content: 'How can I help?' },
  { role: 'assistant', content: 'My lamp is broken.' },
  { role: 'user', content: 'Which order is it?' },
];

describe.each(PROVIDERS)('a plain chat with $name', ({ name, createChatModel }) => {
  const chat = async (script: Script, maxCalls?: number) => {
    await using stub = await startStubModels(script);
    const log: CallLog[] = [];
    const clock = testClock();
    const client = createChatClient(
      createChatModel({ ...SETTINGS, model: 'm', baseUrl: STUB_BASE_URLS[name](stub) }),
      SETTINGS,
      {
        cache: null,
        limiter: createRateLimiter(SETTINGS, clock),
        budget: createBudget({ maxCalls }),
        patience: createPatience(SETTINGS.patienceMs, clock),
        signal: NEVER,
        log: (call) => log.push(call),
        clock,
        random: () => 0.5,
      },
    );
    const replies = [await client.chat('customer', MESSAGES), await client.chat('customer', MESSAGES)];
    return { replies, requests: stub.requests, log, usage: client.usage };
  };

  it('sends all messages without a schema, and returns the text', async () => {
    const { replies, requests, log, usage } = await chat(() => answer('It is A-1001.'));
    expect(replies[0]).toEqual({ status: 'replied', text: 'It is A-1001.', finish: 'stop' });
    expect(requests[0]?.messages).toEqual(MESSAGES);
    expect(requests[0]?.body).not.toHaveProperty('response_format');
    expect(requests[0]?.body).not.toHaveProperty('format');
    expect(requests).toHaveLength(2);
    expect(log[0]).toMatchObject({ name: 'customer', answer: 'It is A-1001.', failure: null, cached: false });
    expect(usage).toMatchObject({ calls: 2, callsCached: 0 });
  });

  it('retries, and stays within the budget', async () => {
    const { replies, requests } = await chat(({ number }) => (number === 0 ? error(503, 'busy') : answer('Yes.')), 2);
    expect(replies).toEqual([
      { status: 'replied', text: 'Yes.', finish: 'stop' },
      { status: 'cancelled', reason: 'The limit of 2 calls (judge.maxCalls) is reached.' },
    ]);
    expect(requests).toHaveLength(2);
  });
});
