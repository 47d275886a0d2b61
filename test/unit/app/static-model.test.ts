import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkModelFolder, openStaticModel } from '../../../src/app/static-model.ts';
import { STATIC_MODELS } from '../../support/static-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();

describe('the folder of a static model', () => {
  it('is opened with the name and the version of the model', async () => {
    const folder = join(STATIC_MODELS, 'wordpiece');
    expect(await checkModelFolder(folder)).toBeNull();
    const { embedder, failure } = await openStaticModel(folder);
    expect(failure).toBeNull();
    expect(embedder).toMatchObject({ provider: 'static', model: 'wordpiece', version: expect.any(String) });
  });

  it('is wrong without one of the files, and the sentence names it', async () => {
    await using folder = await temporaryFolder({ 'model.safetensors': '', 'config.json': '{}' });
    const expected = `${join(folder.path, 'tokenizer.json')} is missing or is no file. The folder of a static embedding model has the files that model2vec saves: model.safetensors, tokenizer.json, config.json.`;
    expect(await checkModelFolder(folder.path)).toBe(expected);
    expect(await checkModelFolder(join(folder.path, 'config.json'))).toContain('model.safetensors is missing');
  });

  it.each([
    ['a file that is missing', { 'model.safetensors': '', 'config.json': '{}' }, 'tokenizer.json', 'cannot be read'],
    [
      'a file that is damaged',
      { 'model.safetensors': '', 'tokenizer.json': '{', 'config.json': '{}' },
      'tokenizer.json',
      'is not JSON.',
    ],
  ])('fails each text with the sentence about %s', async (_, files, file, clause) => {
    await using folder = await temporaryFolder(files);
    const { embedder, failure } = await openStaticModel(folder.path);
    expect(failure).toContain(`${join(folder.path, file)} ${clause}`);
    await expect(embedder.embed(['order'], signal)).rejects.toThrow(failure ?? '');
  });
});
