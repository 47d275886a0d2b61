import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStaticEmbedder, type StaticModelFile, type StaticModelFiles } from '../../src/embed/static.ts';

export const STATIC_MODELS = join(import.meta.dirname, '..', 'fixtures', 'static-models');

/** The files of a model that `test/fixtures/static-models/reference.py` made. */
export function modelFiles(name: string): StaticModelFiles {
  const read = (file: StaticModelFile) => readFileSync(join(STATIC_MODELS, name, file));
  return {
    'model.safetensors': read('model.safetensors'),
    'tokenizer.json': read('tokenizer.json'),
    'config.json': read('config.json'),
  };
}

/** A model with a few words, whose synonyms have nearly the same vectors. */
export function tinyEmbedder() {
  return createStaticEmbedder('tiny', modelFiles('wordpiece'));
}

/** A file in the safetensors format. */
export function safetensors(
  tensors: Readonly<
    Record<string, { readonly dtype: string; readonly shape: readonly number[]; readonly data: Buffer }>
  >,
): Buffer {
  let length = 0;
  const header: Record<string, unknown> = {};
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [length, length + data.length] };
    length += data.length;
  }
  const data = Buffer.concat(Object.values(tensors).map((tensor) => tensor.data));
  return withHeader(JSON.stringify(header), data);
}

/** The same with a header as it stands. */
export function withHeader(header: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([size, Buffer.from(header), data]);
}

export function floats(...values: readonly number[]): Buffer {
  return Buffer.from(Float32Array.from(values).buffer);
}
