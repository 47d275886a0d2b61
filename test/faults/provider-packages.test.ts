import { describe, expect, it, vi } from 'vitest';
import { createJudge } from '../../src/judge/judge.ts';
import { PROVIDERS } from '../../src/llm/providers/index.ts';
import { createRateLimiter } from '../../src/llm/rate-limiter.ts';
import { STUB_BASE_URLS, startStubModels } from '../support/stub-models.ts';
import { NEVER, question, SESSION, SETTINGS, testClock } from '../unit/judge/support.ts';

vi.mock('openai', () => ({
  OpenAI: class {
    constructor() {
      throw new Error('The openai package is broken.');
    }
  },
}));
vi.mock('ollama/browser', () => ({
  Ollama: class {
    constructor() {
      throw new Error('The ollama package is broken.');
    }
  },
}));

describe.each(PROVIDERS)('$name with a broken package', ({ name, createChatModel, createEmbeddingModel }) => {
  it('answers no question', async () => {
    await using stub = await startStubModels();
    const model = createChatModel({ ...SETTINGS, model: 'm', baseUrl: STUB_BASE_URLS[name](stub) });
    const clock = testClock();
    const judge = createJudge(model, SETTINGS, {
      cache: null,
      boundaryKey: new Uint8Array(32),
      limiter: createRateLimiter(SETTINGS, clock),
      signal: NEVER,
      clock,
    });
    expect(await judge.forSession(SESSION).askTurn(0, question('helpful'))).toEqual({
      status: 'error',
      reason: expect.stringContaining(`The ${name} package is broken.`),
    });
    expect(stub.requests).toEqual([]);
  });

  it('embeds no text', async () => {
    await using stub = await startStubModels();
    const model = createEmbeddingModel({ model: 'm', baseUrl: STUB_BASE_URLS[name](stub), timeoutMs: 1000 });
    await expect(model.embed(['text'], NEVER)).rejects.toThrow(`The ${name} package is broken.`);
    expect(stub.requests).toEqual([]);
  });
});
