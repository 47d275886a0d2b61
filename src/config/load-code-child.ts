/**
 * The child process that runs a configuration written as code, and sends its default export back as JSON.
 * It is a process of its own so that the user's code can neither change nor stop this one.
 */
import { stripVTControlCharacters } from 'node:util';
import { errorMessage } from '../core/error-message.ts';
import { isObject } from '../core/json.ts';
import { importDefault } from './import-default.ts';
import type { ModuleLoadReply } from './load-code.ts';

const file = process.argv[2] ?? '';

async function load(): Promise<ModuleLoadReply> {
  const loaded = await importDefault(file);
  if (loaded === null) return { kind: 'no-default' };
  const { value } = loaded;
  const functions: number[] = [];
  const json = JSON.stringify(withoutEvaluate(value, functions), refuseCode);
  return json === undefined ? { kind: 'not-json', key: '', type: typeof value } : { kind: 'value', json, functions };
}

/** Without the functions of the configuration's own metrics, which stay where they are. @param found where they were. */
function withoutEvaluate(value: unknown, found: number[]): unknown {
  if (!isObject(value) || !Array.isArray(value.custom)) return value;
  const custom = value.custom.map((entry: unknown, index) => {
    if (!isObject(entry) || typeof entry.evaluate !== 'function') return entry;
    const { evaluate, ...rest } = entry;
    found.push(index);
    return rest;
  });
  return { ...value, custom };
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

function failure(error: unknown): ModuleLoadReply {
  if (error instanceof NotJson) return { kind: 'not-json', key: error.key, type: error.type };
  const message = errorMessage(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return { kind: 'threw', message: stripVTControlCharacters(message), stack: stripVTControlCharacters(stack) };
}

// Whoever asked is gone, however that came.
process.once('disconnect', () => process.exit());

const answer = await load().catch(failure);
process.send?.(answer, () => process.exit(0));
