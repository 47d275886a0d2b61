/**
 * The child process that runs a configuration written as code, and sends its default export back as JSON.
 * It is a process of its own so that the user's code can neither change nor stop this one.
 */
import { stripVTControlCharacters } from 'node:util';
import { createJiti } from 'jiti';
import type { ModuleAnswer } from './load-code.ts';

const file = process.argv[2] ?? '';

async function load(): Promise<ModuleAnswer> {
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, interopDefault: false });
  const loaded: unknown = await jiti.import(file);
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) return { kind: 'no-default' };
  const value: unknown = await loaded.default;
  const json = JSON.stringify(value, refuseCode);
  return json === undefined ? { kind: 'not-json', key: '', type: typeof value } : { kind: 'value', json };
}

class NotJson extends Error {
  readonly key: string;
  readonly type: string;
  constructor(key: string, type: string) {
    super();
    this.key = key;
    this.type = type;
  }
}

/** JSON.stringify leaves functions out without a word; a setting that is lost must be told. */
function refuseCode(key: string, value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    throw new NotJson(key, typeof value);
  }
  return value;
}

function failure(error: unknown): ModuleAnswer {
  if (error instanceof NotJson) return { kind: 'not-json', key: error.key, type: error.type };
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return { kind: 'threw', message: stripVTControlCharacters(message), stack: stripVTControlCharacters(stack) };
}

// Whoever asked is gone, however that came.
process.once('disconnect', () => process.exit());

const answer = await load().catch(failure);
process.send?.(answer, () => process.exit(0));
