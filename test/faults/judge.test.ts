import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/core/session.ts';
import type { JudgeSettings } from '../../src/judge/judge.ts';
import { createJudge } from '../../src/judge/judge.ts';
import { ollama } from '../../src/llm/providers/ollama.ts';
import { openai } from '../../src/llm/providers/openai.ts';
import { createRateLimiter } from '../../src/llm/rate-limiter.ts';
import {
  answer,
  delayedReply,
  error,
  hang,
  html,
  nothing,
  rateLimited,
  redirect,
  refusal,
  reset,
  response,
  type Script,
  type StubModels,
  type StubReply,
  startStubModels,
  unsupported,
  wrongKey,
} from '../support/stub-models.ts';
import {
  fact,
  memoryCache,
  NEVER,
  question,
  SETTINGS,
  score,
  summarizeAnswer,
  testClock,
} from '../unit/judge/support.ts';
import { sessionOf } from '../unit/metrics/views.ts';

const helpful = question('helpful');
const clear = question('clear');
const done = question('done', { facts: [fact('task')], context: 'facts' });
const GOOD = answer({ helpful: score(4) });

interface Own {
  readonly settings?: Partial<JudgeSettings>;
  readonly signal?: AbortSignal;
  readonly judgements?: ReturnType<typeof memoryCache>;
  readonly timeoutMs?: number;
}

/** A judge at the stub. Waits before further attempts take no time; their sum is in `clock.now()`. */
function judgeAt(stub: StubModels, api: 'openai' | 'ollama', { settings, timeoutMs = 10_000, ...own }: Own = {}) {
  const all = { ...SETTINGS, ...settings, timeoutMs };
  const clock = testClock();
  const model =
    api === 'openai'
      ? openai.createChatModel({ ...all, model: 'm', baseUrl: stub.openai, key: 'sk-of-the-test' })
      : ollama.createChatModel({ ...all, model: 'm', baseUrl: stub.origin });
  const judge = createJudge(model, all, {
    cache: own.judgements ?? null,
    boundaryKey: new Uint8Array(32).fill(7),
    limiter: createRateLimiter(all, clock),
    signal: own.signal ?? NEVER,
    clock,
    random: () => 0.5,
  });
  return { judge, clock };
}

const SESSION: Session = sessionOf([{}, {}]);
const OK = [score(4)];

/** The reply to the first requests, one each; afterwards a good answer. */
const first =
  (...replies: readonly StubReply[]): Script =>
  ({ number }) =>
    replies[number] ?? GOOD;
const always =
  (reply: StubReply): Script =>
  () =>
    reply;

interface Row {
  readonly fault: string;
  readonly script: Script;
  readonly api?: 'openai' | 'ollama';
  readonly own?: Own;
  readonly requests: number;
  /** What comes of it: values, or how the sentence goes. */
  readonly comes: unknown;
  /** Milliseconds between attempts, together. */
  readonly waited?: number;
}

const says = (...texts: readonly string[]) => expect.stringMatching(new RegExp(`^error: .*${texts.join('.*')}`));

describe('a server fault', () => {
  it.each<Row>([
    { fault: '500 once', script: first(error(500, 'Oops')), requests: 2, comes: OK, waited: 500 },
    {
      fault: '503 every time',
      script: always(error(503, 'Busy')),
      requests: 4,
      comes: says('failed \\(503: Busy\\)'),
      waited: 3500,
    },
    { fault: '429 with seconds', script: first(rateLimited('7')), requests: 2, comes: OK, waited: 7500 },
    {
      fault: '429 with too many seconds',
      script: always(rateLimited('3600')),
      requests: 1,
      comes: says('limits the rate', 'to wait 3600 s'),
    },
    {
      fault: '429 without Retry-After',
      script: first(rateLimited(), rateLimited()),
      requests: 3,
      comes: OK,
      waited: 1500,
    },
    { fault: 'a connection that breaks', script: first(reset), requests: 2, comes: OK },
    {
      fault: 'a connection that always breaks',
      script: always(reset),
      requests: 4,
      comes: says('closed the connection'),
    },
    { fault: 'a timeout once', script: first(hang), requests: 2, comes: OK, own: { timeoutMs: 100 } },
    {
      fault: 'a timeout every time',
      script: always(hang),
      requests: 4,
      comes: says('within 0\\.25 s', 'timeoutMs'),
      own: { timeoutMs: 250 },
    },
    { fault: '400', script: always(error(400, 'Bad')), requests: 1, comes: says('refused the request \\(400: Bad\\)') },
    { fault: 'an unsupported parameter', script: first(unsupported('temperature')), requests: 2, comes: OK },
    {
      fault: 'a wrong key',
      script: always(wrongKey('sk-of-the-test')),
      requests: 1,
      comes: says('rejected the API key'),
    },
    { fault: '404', script: always(error(404, 'No such model')), requests: 1, comes: says('was not found') },
    { fault: 'a web page with status 200', script: always(html()), requests: 2, comes: says('a web page') },
    { fault: 'a web page once', script: first(html()), requests: 2, comes: OK },
    { fault: 'no choices', script: always(nothing), requests: 2, comes: says('without a choice') },
    { fault: 'empty text', script: always(answer('')), requests: 2, comes: says('with no text') },
    {
      fault: 'broken JSON of the API',
      script: always(response(200, '{"choices": [')),
      requests: 2,
      comes: says('not JSON'),
    },
    {
      fault: 'a redirect',
      script: always(redirect('http://other.test/v1')),
      requests: 1,
      comes: says('redirects to other\\.test'),
    },
    {
      fault: 'a refusal',
      script: always(refusal('I would rather not.')),
      requests: 1,
      comes: says('refused to answer: "I would rather not\\."'),
    },
    {
      fault: 'a filter',
      script: always(answer('', { finish: 'content_filter' })),
      requests: 1,
      comes: says('refused to answer'),
    },
    {
      fault: 'a truncated answer',
      script: always(answer('{"helpful": {"rea', { finish: 'length' })),
      requests: 1,
      comes: says("the model's limit"),
    },
    {
      fault: 'words around the JSON',
      script: always(answer(`Well: ${JSON.stringify({ helpful: score(4) })} So.`)),
      requests: 1,
      comes: OK,
    },
    {
      fault: 'a fence',
      script: always(answer(`\`\`\`json\n${JSON.stringify({ helpful: score(4) })}\n\`\`\``)),
      requests: 1,
      comes: OK,
    },
    { fault: 'a wrong shape once', script: first(answer({ helpful: score(9) })), requests: 2, comes: OK },
    {
      fault: 'a wrong shape',
      script: always(answer({ helpful: score(9) })),
      requests: 2,
      comes: says('does not fit: helpful\\.score'),
    },
    { fault: 'no JSON', script: always(answer('Fine, I guess.')), requests: 2, comes: says('no JSON object') },
    {
      fault: 'no json_schema',
      script: first(error(400, { message: "'response_format.type' must be 'json_object'", param: 'response_format' })),
      requests: 2,
      comes: OK,
    },
    {
      fault: 'no response_format at all',
      script: ({ body }) =>
        JSON.stringify(body).includes('"response_format":{') ? error(400, 'response_format is unknown') : GOOD,
      requests: 3,
      comes: OK,
    },
    {
      fault: 'a prompt that Ollama truncated',
      api: 'ollama',
      script: always(answer({ helpful: score(4) }, { usage: { prompt: 1024, completion: 5 } })),
      own: {},
      requests: 1,
      comes: says('read 1024 tokens'),
    },
    {
      fault: 'an Ollama that fails once',
      api: 'ollama',
      script: first(error(500, 'llama runner')),
      requests: 2,
      comes: OK,
    },
    {
      fault: 'an Ollama without the model',
      api: 'ollama',
      script: always(error(404, 'model "m" not found')),
      requests: 1,
      comes: says('ollama pull m'),
    },
  ])('$fault', async ({ script, api = 'openai', own, requests, comes, waited }) => {
    await using stub = await startStubModels(script);
    const { judge, clock } = judgeAt(stub, api, own);
    // Long enough for a cut to be told from a rough estimate.
    const session = sessionOf([{ input: 'Where is my order? '.repeat(150), output: 'It is on its way. '.repeat(300) }]);
    expect(summarizeAnswer(await judge.forSession(session).askTurn(0, helpful))).toEqual(comes);
    expect(stub.requests).toHaveLength(requests);
    if (waited !== undefined) expect(clock.now()).toBe(waited);
  });

  it('never shows a key', async () => {
    await using stub = await startStubModels(always(wrongKey('sk-of-the-test')));
    const { judge } = judgeAt(stub, 'openai');
    expect(JSON.stringify(await judge.forSession(SESSION).askTurn(0, helpful))).not.toContain('sk-of-the-test');
  });

  it('stops all calls after one rejected key', async () => {
    await using stub = await startStubModels(always(wrongKey()));
    const { judge } = judgeAt(stub, 'openai', { settings: { concurrency: 1 } });
    const answers = [];
    for (const turn of [0, 1]) answers.push(await judge.forSession(SESSION).askTurn(turn, helpful));
    expect(stub.requests).toHaveLength(1);
    expect(summarizeAnswer(answers[1] ?? { status: 'error', reason: '' })).toMatch(
      /rejected the API key .* openai\/m was not asked again\.$/,
    );
  });
});

describe('a packed answer', () => {
  it('keeps valid parts, and asks for the invalid one with what was wrong', async () => {
    await using stub = await startStubModels(({ number }) =>
      answer(number === 0 ? { task: { text: 'x' }, helpful: score(9), done: score(2) } : { helpful: score(4) }),
    );
    const about = judgeAt(stub, 'openai').judge.forSession(SESSION);
    const answers = await Promise.all([helpful, done].map((question) => about.askTurn(0, question)));
    expect(answers.map(summarizeAnswer)).toEqual([[score(4)], [score(2)]]);
    expect(stub.requests.map(({ schema }) => schema?.required)).toEqual([['task', 'helpful', 'done'], ['helpful']]);
    expect(stub.requests[1]?.prompt).toContain('helpful.score: Too big: expected number to be <=5');
  });

  it('is requested in two calls if it is truncated', async () => {
    await using stub = await startStubModels(({ number }) =>
      number === 0 ? answer('{"helpful": {"rea', { finish: 'length' }) : undefined,
    );
    const about = judgeAt(stub, 'ollama').judge.forSession(SESSION);
    const answers = await Promise.all([helpful, clear].map((question) => about.askTurn(0, question)));
    expect(answers.map(({ status }) => status)).toEqual(['answered', 'answered']);
    expect(stub.requests.map(({ schema }) => schema?.required)).toEqual([['helpful', 'clear'], ['helpful'], ['clear']]);
  });
});

const LONG = sessionOf(Array.from({ length: 100 }, () => ({})));

describe('a judge that goes down during a run', () => {
  it('keeps finished answers, and the next run requests only the missing ones', async () => {
    const judgements = memoryCache();
    await using stub = await startStubModels();
    const { judge } = judgeAt(stub, 'openai', { judgements, settings: { concurrency: 4 } });
    const about = judge.forSession(LONG);
    const all = Promise.all(LONG.turns.map((_, index) => about.askTurn(index, helpful)));
    await stub.arrived(40);
    await stub.stop();
    const answers = await all;
    const finished = answers.filter(({ status }) => status === 'answered').length;
    expect(finished).toBeGreaterThanOrEqual(36);
    expect(finished).toBeLessThan(100);
    const reasons = new Set(answers.slice(finished + 10).map(summarizeAnswer));
    expect(reasons.size).toBe(1);
    expect([...reasons][0]).toMatch(
      /^error: openai\/m did not answer 5 times in a row, so it was not asked again: .*connection refused/,
    );

    await using next = await startStubModels();
    // Another port, the same server to the cache.
    const model = openai.createChatModel({ ...SETTINGS, model: 'm', baseUrl: next.openai });
    const again = createJudge({ ...model, fingerprint: fingerprintAt(stub) }, SETTINGS, {
      cache: judgements,
      boundaryKey: new Uint8Array(32).fill(7),
      limiter: createRateLimiter(SETTINGS),
      signal: NEVER,
    });
    const rest = again.forSession(LONG);
    const second = await Promise.all(LONG.turns.map((_, index) => rest.askTurn(index, helpful)));
    expect(second.every(({ status }) => status === 'answered')).toBe(true);
    expect(next.requests).toHaveLength(100 - finished);
  });
});

function fingerprintAt(stub: StubModels): string {
  return openai.createChatModel({ ...SETTINGS, model: 'm', baseUrl: stub.openai }).fingerprint;
}

describe('stopping a run', () => {
  it('ends requests in progress immediately, and keeps finished answers', async () => {
    const stop = new AbortController();
    await using stub = await startStubModels(({ number }) => (number < 10 ? undefined : hang));
    const { judge } = judgeAt(stub, 'openai', { signal: stop.signal, settings: { concurrency: 4 } });
    const about = judge.forSession(LONG);
    const all = Promise.all(LONG.turns.map((_, index) => about.askTurn(index, helpful)));
    await stub.arrived(14);
    stop.abort();
    const answers = await all;
    expect(answers.filter(({ status }) => status === 'answered')).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 'cancelled')).toHaveLength(90);
    expect(await Promise.all(stub.requests.slice(10).map(({ over }) => over))).toEqual(Array(4).fill('hung up'));
  });
});

describe('requests about many turns', () => {
  it('never exceed the allowed concurrency', async () => {
    await using stub = await startStubModels();
    // Nobody is answered before five are there, and nobody waits for a sixth.
    stub.play(({ number }) => delayedReply(stub.arrived(number - (number % 5) + 5)));
    const { judge } = judgeAt(stub, 'ollama', { settings: { concurrency: 5 } });
    const about = judge.forSession(LONG);
    await Promise.all(LONG.turns.map((_, index) => about.askTurn(index, helpful)));
    expect(stub.requests).toHaveLength(100);
    expect(stub.mostAtOnce).toBe(5);
  });
});
