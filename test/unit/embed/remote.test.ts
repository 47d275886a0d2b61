import { describe, expect, it } from 'vitest';
import { remoteEmbedder } from '../../../src/embed/remote.ts';
import { ollama } from '../../../src/llm/providers/ollama.ts';
import { openai } from '../../../src/llm/providers/openai.ts';
import {
  error,
  hang,
  response,
  type Script,
  type StubModels,
  startStubModels,
  vectors,
} from '../../support/stub-models.ts';

const signal = new AbortController().signal;
const EMBEDDERS = {
  openai: (stub: StubModels) =>
    remoteEmbedder(openai.createEmbeddingModel({ model: 'e', baseUrl: stub.openai, key: 'k', timeoutMs: 10_000 })),
  ollama: (stub: StubModels) =>
    remoteEmbedder(ollama.createEmbeddingModel({ model: 'e', baseUrl: stub.origin, key: 'k', timeoutMs: 10_000 })),
};

describe.each(['openai', 'ollama'] as const)('the %s embedder', (provider) => {
  const embed = async (texts: readonly string[], script?: Script) => {
    await using stub = await startStubModels(script);
    const embedded = await EMBEDDERS[provider](stub).embed(texts, signal);
    return { embedded: embedded.map((vector) => [...vector]), requests: stub.requests };
  };

  it('returns a vector per text', async () => {
    const { embedded, requests } = await embed(['a', 'b'], () =>
      vectors([
        [1, 0.5],
        [0, -1],
      ]),
    );
    expect(embedded).toEqual([
      [1, 0.5],
      [0, -1],
    ]);
    expect(requests[0]).toMatchObject({ input: ['a', 'b'], model: 'e', headers: { authorization: 'Bearer k' } });
  });

  it('embeds in batches, and keeps the order', async () => {
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`);
    const { embedded, requests } = await embed(texts, ({ input }) =>
      vectors(input.map((text) => [Number(text.slice(5)) + 1, 1])),
    );
    expect(requests.map(({ input }) => input.length)).toEqual([64, 64, 22]);
    expect(embedded).toEqual(texts.map((_, index) => [index + 1, 1]));
  });

  it('puts fewer long texts into a batch', async () => {
    const { requests } = await embed(['a', 'b', 'c'].map((text) => text.repeat(90_000)));
    expect(requests.map(({ input }) => input.length)).toEqual([2, 1]);
  });

  it('sends no blank texts', async () => {
    const { embedded, requests } = await embed(['', 'a', ' \n'], () => vectors([[3, 4]]));
    expect(embedded).toEqual([
      [0, 0],
      [3, 4],
      [0, 0],
    ]);
    expect(requests.map(({ input }) => input)).toEqual([['a']]);
    expect((await embed([' '])).requests).toEqual([]);
  });

  it.each([
    ['fewer vectors than texts', vectors([[1]]), /returned 1 vectors for 2 texts\.$/],
    ['vectors of two lengths', vectors([[1], [1, 2]]), /returned vectors of 1 and of 2 numbers\.$/],
    ['empty vectors', vectors([[], []]), /not a vector\. Is it an embedding model\?$/],
    [
      'no numbers',
      response(200, '{"data":[{"embedding":["x"]},{"embedding":["y"]}],"embeddings":[["x"],["y"]]}'),
      /not a vector/,
    ],
    [
      'a vector of zeros',
      vectors([
        [1, 2],
        [0, 0],
      ]),
      /returned a vector of zeros\. Is it an embedding model\?$/,
    ],
    [
      'zeros as 32-bit floats',
      vectors([
        [1, 2],
        [1e-60, 0],
      ]),
      /a vector of zeros/,
    ],
    [
      'numbers beyond 32-bit floats',
      vectors([
        [1, 2],
        [1e39, 0],
      ]),
      /not a vector/,
    ],
    [
      'numbers beyond 64-bit floats',
      response(200, '{"data":[{"embedding":[1]},{"embedding":[1e400]}],"embeddings":[[1],[1e400]]}'),
      /not a vector/,
    ],
    [
      'text that looks like a number',
      response(200, '{"data":[{"embedding":["1"]},{"embedding":["2"]}],"embeddings":[["1"],["2"]]}'),
      /not a vector/,
    ],
    [
      'one vector for different texts',
      vectors([
        [1, 2],
        [1, 2],
      ]),
      /the same vector for different texts/,
    ],
    [
      'vectors of one direction',
      vectors([
        [3, 3],
        [5, 5],
      ]),
      /the same vector for different texts/,
    ],
    ['vectors of one number', vectors([[3], [5]]), /the same vector for different texts/],
    ['no vectors at all', response(200, '{}'), /returned 0 vectors for 2 texts\.$/],
    ['an error', error(500, 'out of memory'), /failed \(500: out of memory\)\.$/],
  ])('fails with a sentence on %s', async (_, reply, says) => {
    await expect(embed(['a', 'b'], () => reply)).rejects.toThrow(says);
  });

  it('stops immediately when cancelled', async () => {
    await using stub = await startStubModels(() => hang);
    const stop = new AbortController();
    const embedding = EMBEDDERS[provider](stub).embed(['a'], stop.signal);
    await stub.arrived(1);
    stop.abort(new Error('stopped'));
    await expect(embedding).rejects.toThrow('stopped');
  });
});

describe('an embedder whose requests have one text each', () => {
  const embedEach = async (byText: Readonly<Record<string, readonly number[]>>) => {
    await using stub = await startStubModels(({ input: [text = ''] }) => vectors([byText[text] ?? []]));
    const embedder = EMBEDDERS.openai(stub);
    const all = [];
    for (const text of Object.keys(byText))
      all.push((await embedder.embed([text], signal)).map((vector) => [...vector]));
    return all;
  };

  it('fails if different texts have one vector', async () => {
    await expect(embedEach({ yes: [1, 2], no: [1, 2] })).rejects.toThrow('the same vector for different texts');
  });

  it('fails if the length of its vectors changes', async () => {
    await expect(embedEach({ yes: [1, 2], no: [1, 2, 3] })).rejects.toThrow('returned vectors of 2 and of 3 numbers.');
  });

  it('may ignore case, accents and spaces, and all but the beginning of a text', async () => {
    const long = 'It is on its way. '.repeat(100);
    expect(
      await embedEach({ 'Café au lait': [1, 2], 'cafe  au lait': [1, 2], [`${long}1`]: [3, 1], [`${long}2`]: [3, 1] }),
    ).toHaveLength(4);
  });

  it('may return a vector with equal components', async () => {
    expect(await embedEach({ yes: [2, 2], no: [1, 2] })).toEqual([[[2, 2]], [[1, 2]]]);
  });
});

it('orders vectors by the index that OpenAI gives them', async () => {
  const body = '{"data":[{"index":1,"embedding":[2,1]},{"index":0,"embedding":[1,1]}]}';
  await using stub = await startStubModels(() => response(200, body));
  const embedded = await EMBEDDERS.openai(stub).embed(['a', 'b'], signal);
  expect(embedded.map((vector) => [...vector])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});
