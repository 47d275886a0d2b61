import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES, type ProviderName } from '../../src/core/model-providers.ts';
import { judgedRun } from '../support/judged-run.ts';
import {
  error,
  hang,
  html,
  rateLimited,
  redirect,
  reset,
  response,
  type Script,
  STUB_BASE_URLS,
  type StubReply,
  startStubModels,
  vectors,
  wrongKey,
} from '../support/stub-models.ts';
import { memoryCache } from '../unit/judge/support.ts';
import { sessionOf } from '../unit/metrics/views.ts';

/** By the position of the text. */
type Vectors = (texts: readonly string[]) => readonly (readonly number[])[];

const each =
  (embed: Vectors): Script =>
  ({ input }) =>
    vectors(embed(input));
const always =
  (reply: StubReply): Script =>
  () =>
    reply;

interface EmbedderFault {
  readonly name: string;
  readonly script: Script;
  readonly reason: RegExp;
}

const NOT_A_VECTOR = /returned something that is not a vector/;
const SAME = /returned the same vector for different texts/;
/** The same vector for each text, as JSON that a value may not have. */
const written =
  (vector: string): Script =>
  ({ input }) =>
    response(
      200,
      `{"data":[${input.map(() => `{"embedding":${vector}}`).join()}],"embeddings":[${input.map(() => vector).join()}]}`,
    );

const FAULTS: readonly EmbedderFault[] = [
  { name: 'zeros', script: each((texts) => texts.map(() => [0, 0, 0])), reason: /returned a vector of zeros/ },
  {
    name: 'zeros for one text',
    script: each((texts) => texts.map((_, i) => [0, 0, i])),
    reason: /returned a vector of zeros/,
  },
  { name: 'negative zeros', script: written('[-0.0,-0.0]'), reason: /returned a vector of zeros/ },
  {
    name: 'numbers too small for a float',
    script: each((texts) => texts.map(() => [1e-60, 0])),
    reason: /a vector of zeros/,
  },
  { name: 'the same vector', script: each((texts) => texts.map(() => [1, 2, 3])), reason: SAME },
  { name: 'equal components', script: each((texts) => texts.map((_, i) => [i + 1, i + 1])), reason: SAME },
  { name: 'one number each', script: each((texts) => texts.map((_, i) => [i + 1])), reason: SAME },
  {
    name: 'numbers too large for a float',
    script: each((texts) => texts.map((_, i) => [1e39, i])),
    reason: NOT_A_VECTOR,
  },
  { name: 'numbers too large for JSON', script: written('[1e400,1]'), reason: NOT_A_VECTOR },
  { name: 'null in vectors', script: written('[null,1]'), reason: NOT_A_VECTOR },
  { name: 'texts in vectors', script: written('["1","2"]'), reason: NOT_A_VECTOR },
  { name: 'true in vectors', script: written('[true,false]'), reason: NOT_A_VECTOR },
  { name: 'lists in vectors', script: written('[[1],[2]]'), reason: NOT_A_VECTOR },
  { name: 'empty vectors', script: written('[]'), reason: NOT_A_VECTOR },
  { name: 'objects', script: written('{"0":1,"1":2}'), reason: NOT_A_VECTOR },
  { name: 'text', script: written('"AACAPwAAAEA="'), reason: NOT_A_VECTOR },
  {
    name: 'two lengths',
    script: each((texts) => texts.map((_, i) => Array(i + 1).fill(i + 1))),
    reason: /vectors of 1 and of 2 numbers/,
  },
  {
    name: 'too few vectors',
    script: each((texts) => texts.slice(1).map(() => [1, 2])),
    reason: /returned \d+ vectors for \d+ texts/,
  },
  {
    name: 'too many vectors',
    script: each((texts) => [...texts, ''].map((_, i) => [i, 1])),
    reason: /returned \d+ vectors for \d+ texts/,
  },
  { name: 'no vectors', script: always(response(200, '{}')), reason: /returned 0 vectors for \d+ texts/ },
  { name: 'a web page', script: always(html()), reason: /a web page instead of JSON/ },
  { name: 'status 500', script: always(error(500, 'out of memory')), reason: /failed \(500: out of memory\)/ },
  { name: 'status 400', script: always(error(400, 'too long')), reason: /refused the request \(400: too long\)/ },
  { name: 'a wrong key', script: always(wrongKey()), reason: /requires an API key/ },
  { name: 'a rate limit', script: always(rateLimited()), reason: /limits the rate of requests/ },
  { name: 'a rate limit of a day', script: always(rateLimited('86400')), reason: /It asks to wait 86400 s/ },
  { name: 'a redirect', script: always(redirect('https://elsewhere.test/v1')), reason: /redirects to elsewhere\.test/ },
  { name: 'a connection that is reset', script: always(reset), reason: /closed the connection/ },
  { name: 'no response', script: always(hang), reason: /did not answer within 0\.06 s/ },
];

const SESSION = sessionOf([
  { input: 'Where is my order?', output: 'Please send me the number of your order.' },
  { input: 'It is A-17.', output: 'Thank you. Please send me the number of your order.' },
]);

describe.each(PROVIDER_NAMES)('an embedder over %s', (provider: ProviderName) => {
  it.concurrent.each(FAULTS)(
    'never meets a gate if it answers with $name, and nothing of it is kept',
    async ({ name, script, reason }) => {
      await using stub = await startStubModels(script);
      const cache = memoryCache();
      const evaluate = (timeoutMs: number) =>
        judgedRun({
          provider,
          baseUrl: STUB_BASE_URLS[provider](stub),
          sessions: [SESSION],
          cache,
          configuration: {
            metrics: ['loop_detection', 'coherence'],
            gates: { thresholds: { loop_detection: 0.1, coherence: 0.1 } },
            judge: { timeoutMs, patienceMs: 120_000 },
            embedder: { provider, model: 'e', baseUrl: STUB_BASE_URLS[provider](stub) },
          },
        });
      const failed = await evaluate(name === 'no response' ? 60 : 20_000);
      expect(failed).toMatchObject({ code: 3, report: { verdict: 'undecided' } });
      const { coherence, loop_detection } = failed.report.sessions[0]?.turns[1]?.metrics ?? {};
      for (const result of [coherence, loop_detection]) {
        expect(result).toMatchObject({ status: 'error', score: null, reason: expect.stringMatching(reason) });
      }
      const kept = [...cache.kept.values()].filter((value) => value !== '');
      expect(kept).toEqual([]);

      stub.play(() => undefined);
      expect(await evaluate(20_000)).toMatchObject({ code: 0 });
      const asked = stub.requests.length;
      expect(await evaluate(20_000)).toMatchObject({ code: 0 });
      expect(stub.requests).toHaveLength(asked);
    },
  );
});
