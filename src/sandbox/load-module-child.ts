/**
 * The child process that runs a module, such as a configuration written as code, and sends its default export back as
 * JSON. It is a separate process so that the user's code can neither change nor stop the one that evaluates.
 */
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod/mini';
import { errorMessage } from '../core/error-message.ts';
import { importDefault } from './import-default.ts';
import { isAsyncIterable, isIterable } from './iterator.ts';
import type { ModuleLoadReply } from './load-module.ts';

const codePaths = z.object({ functions: z.array(z.string()), iterables: z.array(z.string()) });

const [file = '', paths = ''] = process.argv.slice(2);
const allowed = codePaths.parse(JSON.parse(paths));
const functionPaths = [...allowed.functions, ...allowed.iterables].map((path) => path.split('.'));
const iterablePaths = allowed.iterables.map((path) => path.split('.'));

async function load(): Promise<ModuleLoadReply> {
  const loaded = await importDefault(file);
  if (loaded === null) return { kind: 'no-default' };
  const functions: (string | number)[][] = [];
  const value = withoutCode(loaded.value, [], functions);
  const json = JSON.stringify(value, rejectCode);
  return json === undefined
    ? { kind: 'not-json', key: '', type: typeof loaded.value }
    : { kind: 'value', json, functions, digest: loaded.digest };
}

/** A copy without the code at allowed paths. @param removed gets these paths. */
function withoutCode(value: unknown, path: readonly (string | number)[], removed: (string | number)[][]): unknown {
  const isCode =
    (typeof value === 'function' && functionPaths.some((allowed) => isPath(path, allowed))) ||
    (typeof value === 'object' &&
      value !== null &&
      (isIterable(value) || isAsyncIterable(value)) &&
      iterablePaths.some((allowed) => isPath(path, allowed)));
  if (isCode) {
    removed.push([...path]);
    return undefined;
  }
  if (!functionPaths.some((allowed) => leadsTo(path, allowed))) return value;
  if (Array.isArray(value)) return value.map((item: unknown, index) => withoutCode(item, [...path, index], removed));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutCode(item, [...path, key], removed)]),
  );
}

/** Whether a path is the beginning of an allowed one, or all of it. */
function leadsTo(path: readonly (string | number)[], allowed: readonly string[]): boolean {
  return path.length <= allowed.length && path.every((key, index) => matches(key, allowed[index]));
}

function isPath(path: readonly (string | number)[], allowed: readonly string[]): boolean {
  return path.length === allowed.length && leadsTo(path, allowed);
}

function matches(key: string | number, allowed: string | undefined): boolean {
  return allowed === '*' || allowed === key;
}

class NotJsonError extends Error {
  readonly key: string;
  readonly type: string;
  constructor(key: string, type: string) {
    super();
    this.key = key;
    this.type = type;
  }
}

/** `JSON.stringify` drops functions silently; a setting that would get lost is an error instead. */
function rejectCode(key: string, value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    throw new NotJsonError(key, typeof value);
  }
  return value;
}

function failure(error: unknown): ModuleLoadReply {
  if (error instanceof NotJsonError) return { kind: 'not-json', key: error.key, type: error.type };
  const message = errorMessage(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return { kind: 'threw', message: stripVTControlCharacters(message), stack: stripVTControlCharacters(stack) };
}

process.once('disconnect', () => process.exit());

const reply = await load().catch(failure);
process.send?.(reply, () => process.exit(0));
