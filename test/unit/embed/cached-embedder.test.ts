import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cachedEmbedder } from '../../../src/embed/cached-embedder.ts';
import type { Embedder } from '../../../src/embed/embedder.ts';

const { signal } = new AbortController();

/** Vectors that tell texts apart, and the batches that were embedded. */
function embedder(length = 3, name: Partial<Pick<Embedder, 'provider' | 'model'>> = {}) {
  const batches: (readonly string[])[] = [];
  const vectorOf = (text: string) =>
    Float32Array.from({ length }, (_, i) => (text.charCodeAt(i) || 0) / 7 + text.length * (i + 1) + 1);
  const embed = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    batches.push(texts);
    return texts.map(vectorOf);
  };
  return { provider: 'openai', model: 'small', ...name, embed, batches, vectorOf } as const;
}

const texts = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ unit: 'binary' })), { maxLength: 8 });

describe('a cached embedder', () => {
  it('returns what the embedder returns, and embeds each text once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 6 }), async (rounds) => {
        const cache = new Map<string, string>();
        const all = new Set<string>();
        const plain = embedder();
        for (const round of rounds) {
          // Each round as in a process of its own: only the cache is the same.
          const cached = cachedEmbedder(plain, 'host', mapped(cache));
          expect(await cached.embed(round, signal)).toEqual(round.map(plain.vectorOf));
          for (const text of round) all.add(text);
        }
        expect(plain.batches.flat().toSorted()).toEqual([...all].toSorted());
        expect(plain.batches.filter((input) => input.length === 0)).toEqual([]);
      }),
    );
  });

  it('separates servers, providers and models', async () => {
    const cache = mapped();
    const others = [embedder(), embedder(3, { provider: 'ollama' }), embedder(3, { model: 'large' })];
    await cachedEmbedder(embedder(), 'one', cache).embed(['a'], signal);
    for (const other of others) await cachedEmbedder(other, 'other', cache).embed(['a'], signal);
    expect(others.map(({ batches }) => batches)).toEqual([[['a']], [['a']], [['a']]]);
  });

  it('ignores cached vectors of another length', async () => {
    const cache = mapped();
    await cachedEmbedder(embedder(3), 'host', cache).embed(['a', 'b'], signal);
    const renamed = embedder(5);
    const cached = cachedEmbedder(renamed, 'host', cache);
    expect(await cached.embed(['a', 'c', 'b'], signal)).toEqual(['a', 'c', 'b'].map(renamed.vectorOf));
    expect(renamed.batches).toEqual([['c'], ['a', 'c', 'b']]);
    await cached.embed(['a', 'b', 'c'], signal);
    expect(renamed.batches).toHaveLength(2);
  });

  it("gives blank texts zero vectors of the others' length", async () => {
    const plain = embedder();
    const blank: Embedder = {
      ...plain,
      embed: async (all) => (await plain.embed(all)).map((vector, i) => (all[i] === '' ? new Float32Array(0) : vector)),
    };
    const cache = new Map<string, string>();
    const cached = cachedEmbedder(blank, 'host', mapped(cache));
    expect(await cached.embed([''], signal)).toEqual([new Float32Array(0)]);
    expect(cache.size).toBe(0);
    expect(await cached.embed(['a'], signal)).toEqual([plain.vectorOf('a')]);
    expect(await cached.embed(['', 'a', ''], signal)).toEqual([
      new Float32Array(3),
      plain.vectorOf('a'),
      new Float32Array(3),
    ]);
  });

  it.each(['', 'AAA=', 'AADAfw==', 'AAAAAAAAAAA=', 'not base64'])(
    'embeds again if %j is stored as a vector',
    async (broken) => {
      const plain = embedder();
      const cached = cachedEmbedder(plain, 'host', { get: async () => broken, put: async () => {} });
      expect(await cached.embed(['a'], signal)).toEqual([plain.vectorOf('a')]);
    },
  );

  it('caches no failure', async () => {
    const cache = mapped();
    const failing: Embedder = { ...embedder(), embed: () => Promise.reject(new Error('The server is down.')) };
    await expect(cachedEmbedder(failing, 'host', cache).embed(['a'], signal)).rejects.toThrow('The server is down.');
    const short: Embedder = { ...embedder(), embed: async () => [] };
    await expect(cachedEmbedder(short, 'host', cache).embed(['a'], signal)).rejects.toThrow(
      'The embedder returned 0 vectors for 1 texts.',
    );
    const plain = embedder();
    await cachedEmbedder(plain, 'host', cache).embed(['a'], signal);
    expect(plain.batches).toEqual([['a']]);
  });

  it('does not believe a cache in which all texts have one vector', async () => {
    const constant: Embedder = { ...embedder(), embed: async (all) => all.map(() => new Float32Array([1, 2, 3])) };
    const stored = new Map<string, string>();
    // One text each, as by several runs of a version that did not check.
    for (const text of ['a', 'b', 'c']) await cachedEmbedder(constant, 'host', mapped(stored)).embed([text], signal);
    const plain = embedder();
    const cached = cachedEmbedder(plain, 'host', mapped(stored));
    expect(await cached.embed(['a', 'b'], signal)).toEqual(['a', 'b'].map(plain.vectorOf));
    expect(await cached.embed(['c'], signal)).toEqual([plain.vectorOf('c')]);
    expect(await cachedEmbedder(embedder(), 'host', mapped(stored)).embed(['a', 'c'], signal)).toEqual(
      ['a', 'c'].map(plain.vectorOf),
    );
  });

  it('withdraws its first vector if the embedder fails at the second text', async () => {
    const stored = new Map<string, string>();
    const failing: Embedder = {
      ...embedder(),
      embed: async ([text]) => {
        if (text !== 'a') throw new Error('The same vector for different texts.');
        return [new Float32Array([1, 2, 3])];
      },
    };
    const cached = cachedEmbedder(failing, 'host', mapped(stored));
    await cached.embed(['a'], signal);
    await expect(cached.embed(['b'], signal)).rejects.toThrow('The same vector');
    const plain = embedder();
    expect(await cachedEmbedder(plain, 'host', mapped(stored)).embed(['a'], signal)).toEqual([plain.vectorOf('a')]);
  });

  it('passes the signal on, and checks it if everything is cached', async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const plain = embedder();
    const watching: Embedder = {
      ...plain,
      embed: (all, passed) => {
        signals.push(passed);
        return plain.embed(all);
      },
    };
    const cached = cachedEmbedder(watching, 'host', mapped());
    await cached.embed(['a'], controller.signal);
    expect(signals).toEqual([controller.signal]);
    controller.abort(new Error('stopped'));
    await expect(cached.embed(['a'], controller.signal)).rejects.toThrow('stopped');
  });
});

function mapped(map = new Map<string, string>()) {
  return {
    get: async (key: string) => map.get(key) ?? null,
    async put(key: string, value: string) {
      map.set(key, value);
    },
  };
}
