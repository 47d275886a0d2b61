import { basename, join, resolve } from 'node:path';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Embedder } from '../embed/embedder.ts';
import {
  createStaticEmbedder,
  STATIC_MODEL_FILES,
  StaticModelError,
  type StaticModelFile,
  type StaticModelFiles,
} from '../embed/static.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';

/** The folder of the static embedding model that a configuration names; null if it names none. */
export function staticModelFolder({ embedder }: Pick<Configuration, 'embedder'>): string | null {
  return embedder.provider === 'static' ? (embedder.model ?? null) : null;
}

/** What is wrong with a folder at a glance, as a sentence; null if it has the files of a model. Never rejects. */
export async function checkModelFolder(folder: string): Promise<string | null> {
  for (const file of STATIC_MODEL_FILES) {
    const path = join(folder, file);
    const stat = await nodeFileSystem.stat(path).catch(() => null);
    if (stat?.kind !== 'file') return modelSentence(path, 'is missing or is no file');
  }
  return null;
}

/**
 * Opens the model in a folder. Where that fails, each text fails with a sentence that names the file, as it does with a server
 * that does not answer.
 *
 * @returns null beside the embedder, or that sentence.
 */
export async function openStaticModel(folder: string): Promise<{ embedder: Embedder; failure: string | null }> {
  const name = basename(resolve(folder));
  try {
    return { embedder: await createStaticEmbedder(name, await readFiles(folder)), failure: null };
  } catch (error) {
    if (!(error instanceof StaticModelError)) throw error;
    const failure = modelSentence(join(folder, error.file), error.message);
    const embed = () => Promise.reject(new Error(failure));
    return { embedder: { provider: 'static', model: name, embed }, failure };
  }
}

async function readFiles(folder: string): Promise<StaticModelFiles> {
  const read = async (file: StaticModelFile) => {
    try {
      return await nodeFileSystem.read(join(folder, file));
    } catch (error) {
      throw new StaticModelError(file, `cannot be read (${errorMessage(error)})`);
    }
  };
  return {
    'model.safetensors': await read('model.safetensors'),
    'tokenizer.json': await read('tokenizer.json'),
    'config.json': await read('config.json'),
  };
}

function modelSentence(path: string, clause: string): string {
  return `${path} ${clause}. The folder of a static embedding model has the files that model2vec saves: ${STATIC_MODEL_FILES.join(', ')}.`;
}
