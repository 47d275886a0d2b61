import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStaticEmbedder, type StaticModelFiles } from '../../../src/embed/static.ts';
import { floats, modelFiles, STATIC_MODELS, safetensors, tinyEmbedder } from '../../support/static-models.ts';

type Text = string | readonly (readonly [part: string, times: number])[];

/** Vectors of model2vec's own code; `test/fixtures/static-models/reference.py` made them. */
const reference: { readonly texts: readonly Text[]; readonly vectors: Readonly<Record<string, readonly number[][]>> } =
  JSON.parse(readFileSync(join(STATIC_MODELS, 'reference.json'), 'utf8'));

const texts = reference.texts.map((text) =>
  typeof text === 'string' ? text : text.map(([part, times]) => part.repeat(times)).join(''),
);

/** model2vec adds in the precision of the model's numbers: in this model, half precision. */
const PRECISION: Readonly<Record<string, number>> = { unigram: 2 ** -10 };

const { signal } = new AbortController();

const embed = async (files: StaticModelFiles, ...asked: readonly string[]) =>
  (await createStaticEmbedder('model', files)).embed(asked, signal);

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('a static embedder', () => {
  it.each([
    ['wordpiece', 'lower-cased words and parts of words, normalized'],
    ['quantized', 'whole numbers, with a weight for each token and vectors that tokens share'],
    ['unigram', 'numbers of half precision, with a vector for unknown tokens'],
    ['bpe', 'a limit on tokens, and no unknown token'],
    ['words', 'whole words'],
  ])('has the vectors of model2vec for the model %s: %s', async (name) => {
    const expected = reference.vectors[name] ?? [];
    const vectors = await embed(modelFiles(name), ...texts);
    const tolerance = PRECISION[name] ?? 1e-5;
    const wrong = texts.flatMap((text, index) => {
      const [vector, wanted = []] = [Array.from(vectors[index] ?? []), expected[index]];
      const scale = Math.max(1, ...wanted.map(Math.abs));
      const isEqual =
        vector.length === wanted.length &&
        vector.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) <= tolerance * scale);
      return isEqual ? [] : [{ text: text.slice(0, 40), vector, wanted }];
    });
    expect(expected).toHaveLength(texts.length);
    expect(wrong).toEqual([]);
  });

  it.each(['', '  \n ', 'zzz qqq'])('has the zero vector for %j, in which it knows no token', async (text) => {
    const [vector] = await embed(modelFiles('wordpiece'), text);
    expect(vector).toEqual(new Float32Array(8));
  });

  it('is named by its folder, with a version that changes with each of its files', async () => {
    const files = modelFiles('wordpiece');
    const versionOf = async (changed: Partial<StaticModelFiles>) =>
      (await createStaticEmbedder('tiny', { ...files, ...changed })).version;
    const model = Buffer.from(files['model.safetensors']);
    model[model.length - 2] = (model.at(-2) ?? 0) ^ 1;
    const versions = [
      await versionOf({}),
      await versionOf({ 'config.json': json({ normalize: false }) }),
      await versionOf({ 'tokenizer.json': Buffer.concat([files['tokenizer.json'], Buffer.from(' ')]) }),
      await versionOf({ 'model.safetensors': model }),
    ];
    expect(new Set(versions).size).toBe(4);
    expect(await versionOf({})).toBe(versions[0]);
    expect(await tinyEmbedder()).toMatchObject({
      provider: 'static',
      model: 'tiny',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
  });

  it('rejects once it is cancelled', async () => {
    await expect((await tinyEmbedder()).embed(['order'], AbortSignal.abort())).rejects.toThrow();
  });

  /** A model with three tokens. */
  const tokenizer = (changes: object = {}) =>
    json({
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: null,
      decoder: null,
      model: { type: 'WordPiece', unk_token: 'no', continuing_subword_prefix: '##', vocab: { no: 0, one: 1, two: 2 } },
      ...changes,
    });
  const table = { dtype: 'F32', shape: [3, 2], data: floats(0, 0, 3, 4, 1, 0) };
  const small = (changes: Partial<StaticModelFiles> = {}): StaticModelFiles => ({
    'model.safetensors': safetensors({ embeddings: table }),
    'tokenizer.json': tokenizer(),
    'config.json': json({}),
    ...changes,
  });
  const tensors = (more: Parameters<typeof safetensors>[0]) => ({
    'model.safetensors': safetensors({ embeddings: table, ...more }),
  });

  it('is the mean of the vectors of the tokens, which is only normalized if the model says so', async () => {
    expect(await embed(small(), 'one', 'one two', 'one no')).toEqual(
      [
        [3, 4],
        [2, 2],
        [3, 4],
      ].map((vector) => Float32Array.from(vector)),
    );
    const [normalized] = await embed(small({ 'config.json': json({ normalize: true }) }), 'one');
    expect(normalized).toEqual(Float32Array.of(0.6, 0.8));
  });

  it('multiplies the vector of each token by its weight', async () => {
    const weights = { dtype: 'F64', shape: [3], data: Buffer.from(Float64Array.of(1, 2, 10).buffer) };
    expect(await embed(small(tensors({ weights })), 'one two')).toEqual([Float32Array.of(8, 4)]);
  });

  const mapping = (...rows: readonly bigint[]) => ({
    mapping: { dtype: 'I64', shape: [rows.length], data: Buffer.from(BigInt64Array.from(rows).buffer) },
  });
  const unknownToken = { type: 'WordPiece', unk_token: 'other', vocab: { no: 0, one: 1, two: 2 } };
  const withId = (id: unknown) => ({ type: 'WordPiece', unk_token: 'no', vocab: { no: 0, one: 1, two: id } });

  it.each<[what: string, Partial<StaticModelFiles>, file: string, message: string]>([
    ['settings that are no JSON', { 'config.json': Buffer.from('{') }, 'config.json', 'is not JSON'],
    ['settings that are no object', { 'config.json': json([]) }, 'config.json', 'is no JSON object'],
    ['a tokenizer that is no JSON', { 'tokenizer.json': Buffer.from([0xff, 0]) }, 'tokenizer.json', 'is not JSON'],
    ['a tokenizer without tokens', { 'tokenizer.json': json({}) }, 'tokenizer.json', 'has no vocabulary'],
    [
      'a tokenizer of another kind',
      { 'tokenizer.json': tokenizer({ pre_tokenizer: { type: 'Other' } }) },
      'tokenizer.json',
      'is no tokenizer that Turnwise can use',
    ],
    [
      'an unknown token without an id',
      { 'tokenizer.json': tokenizer({ model: unknownToken }) },
      'tokenizer.json',
      'names the unknown token "other", which has no id',
    ],
    [
      'an id that is a text',
      { 'tokenizer.json': tokenizer({ model: withId('2') }) },
      'tokenizer.json',
      'has a token without a valid id',
    ],
    [
      'a negative id',
      { 'tokenizer.json': tokenizer({ model: withId(-1) }) },
      'tokenizer.json',
      'has a token without a valid id',
    ],
    [
      'an id without a vector',
      { 'tokenizer.json': tokenizer({ model: withId(3) }) },
      'model.safetensors',
      'has vectors of 3 tokens, but tokenizer.json has 3 and ids up to 3',
    ],
    [
      'padding to a fixed length',
      { 'tokenizer.json': tokenizer({ padding: { strategy: { Fixed: 8 } } }) },
      'tokenizer.json',
      'pads texts to a fixed length',
    ],
    ['no safetensors file', { 'model.safetensors': json({}) }, 'model.safetensors', 'is no safetensors file'],
    [
      'no vectors',
      { 'model.safetensors': safetensors({ other: table }) },
      'model.safetensors',
      'has no table of vectors with the name "embeddings"',
    ],
    [
      'a list of numbers',
      { 'model.safetensors': safetensors({ embeddings: { ...table, shape: [6] } }) },
      'model.safetensors',
      'has no table of vectors',
    ],
    [
      'too few vectors',
      { 'model.safetensors': safetensors({ embeddings: { ...table, shape: [2, 3] } }) },
      'model.safetensors',
      'has vectors of 2 tokens, but tokenizer.json has 3',
    ],
    [
      'the same vectors',
      { 'model.safetensors': safetensors({ embeddings: { ...table, data: floats(1, 2, 1, 2, 1, 2) } }) },
      'model.safetensors',
      'has the same vector for every token',
    ],
    [
      'too few weights',
      tensors({ weights: { dtype: 'F32', shape: [2], data: floats(1, 1) } }),
      'model.safetensors',
      'has "weights" for 2 tokens, but tokenizer.json has 3',
    ],
    ['a row that is not there', tensors(mapping(0n, 1n, 3n)), 'model.safetensors', 'maps the token 2 to row 3 of 3'],
    ['a negative row', tensors(mapping(0n, -1n, 2n)), 'model.safetensors', 'maps the token 1 to row -1 of 3'],
  ])('refuses %s', async (_, changes, file, message) => {
    await expect(createStaticEmbedder('model', small(changes))).rejects.toMatchObject({
      file,
      message: expect.stringContaining(message),
    });
  });

  it('returns no vector with numbers that are not finite', async () => {
    const data = floats(0, 0, Number.NaN, 0, 1, 0);
    const files = small({ 'model.safetensors': safetensors({ embeddings: { ...table, data } }) });
    await expect(embed(files, 'two')).resolves.toEqual([Float32Array.of(1, 0)]);
    await expect(embed(files, 'one')).rejects.toThrow('model has vectors with numbers that are not finite');
  });
});
