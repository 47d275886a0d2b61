import { basename, extname, resolve } from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { errorMessage } from '../core/error-message.ts';
import { getString, isObject } from '../core/json.ts';
import { stripJsonComments } from '../core/json-comments.ts';
import { MAX_DEPTH, scanJson } from '../core/scan-json.ts';
import { valueAt } from '../sandbox/arguments.ts';
import { errorLocation } from '../sandbox/error-location.ts';
import { type CodePaths, loadModule } from '../sandbox/load-module.ts';
import { ModuleFunction, type ValuePath } from '../sandbox/module-function.ts';
import { type ConfigLocation, type LocateKeys, locateCodeKeys, locateDataKeys, locationAt } from './key-locations.ts';

/** A configuration file that is parsed but not checked. */
export type RawConfiguration =
  | { readonly kind: 'parsed'; readonly value: unknown; readonly locateKeys: LocateKeys }
  | { readonly kind: 'failed'; readonly message: string; readonly location: ConfigLocation | null };

/** Parses JSON and YAML, and runs TypeScript and JavaScript in a child process. Never rejects. */
export async function parseConfiguration(file: string, text: string): Promise<RawConfiguration> {
  switch (extname(file)) {
    case '.json':
      return readJson(text);
    case '.yaml':
    case '.yml':
      return readYaml(text);
    case '.ts':
    case '.mts':
    case '.js':
    case '.mjs':
      return readModule(resolve(file), text);
    default:
      return parseFailure('A configuration file ends in .ts, .js, .mjs, .json, .yaml or .yml; rename it.');
  }
}

/** Locations of the keys in the text of a configuration. */
export function locateKeysIn(file: string, text: string): LocateKeys {
  const extension = extname(file);
  if (extension === '.json') return locateDataKeys(stripJsonComments(text));
  return extension === '.yaml' || extension === '.yml' ? locateDataKeys(text) : locateCodeKeys(text);
}

export function parseFailure(message: string, location: ConfigLocation | null = null): RawConfiguration {
  return { kind: 'failed', message, location };
}

/** JSON with comments and trailing commas. */
async function readJson(written: string): Promise<RawConfiguration> {
  const text = stripJsonComments(written);
  const tooDeep = nestingFailure(text);
  if (tooDeep) return tooDeep;
  try {
    return { kind: 'parsed', value: JSON.parse(text), locateKeys: locateDataKeys(text) };
  } catch (error) {
    const message = errorMessage(error);
    const [reason = message] = message.split(/ in JSON| at position|, "/);
    return parseFailure(`This is not JSON: ${reason}.`, locationAt(text, await errorOffset(text, message)));
  }
}

/** Parsers that call themselves for what is inside end at the limit of the stack. In YAML, only brackets nest that deep. */
function nestingFailure(text: string): RawConfiguration | null {
  const { tooDeepAt } = scanJson(text);
  if (tooDeepAt === null) return null;
  return parseFailure(`Values are nested more than ${MAX_DEPTH} levels deep.`, locationAt(text, tooDeepAt));
}

/** The offset of a syntax error; the engine reports it only for some errors. */
async function errorOffset(text: string, message: string): Promise<number> {
  const offset = /at position (\d+)/.exec(message)?.[1];
  if (offset !== undefined) return Number(offset);
  const { parse } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  return Math.min(errors[0]?.offset ?? text.length, text.trimEnd().length);
}

async function readYaml(text: string): Promise<RawConfiguration> {
  const tooDeep = nestingFailure(text);
  if (tooDeep) return tooDeep;
  const yaml = await import('./yaml.ts');
  // The library compares each key with all others, which takes minutes for thousands of them.
  const document = yaml.parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error)
    return parseFailure(`This is not YAML: ${error.message.replace(/\.$/, '')}.`, locationAt(text, error.pos[0]));
  const repeated = findRepeatedKey(document.contents, yaml);
  if (repeated)
    return parseFailure(
      `This is not YAML: the key "${repeated.key}" is there twice.`,
      locationAt(text, repeated.offset),
    );
  try {
    // An empty file, or one with only comments, is an empty configuration.
    return { kind: 'parsed', value: document.toJS() ?? {}, locateKeys: locateDataKeys(text) };
  } catch (thrown) {
    return parseFailure(`This YAML cannot be used: ${errorMessage(thrown)}.`);
  }
}

/** The first key that is twice in one map. */
function findRepeatedKey(
  contents: unknown,
  { isMap, isScalar, isSeq }: typeof import('./yaml.ts'),
): { readonly key: string; readonly offset: number } | null {
  const open = [contents];
  while (open.length > 0) {
    const node = open.pop();
    if (isSeq(node)) open.push(...node.items);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      open.push(value);
      if (!isScalar(key) || key.value === '<<') continue;
      if (keys.has(key.value)) return { key: String(key.value), offset: key.range?.[0] ?? 0 };
      keys.add(key.value);
    }
  }
  return null;
}

/** Where a configuration may have code. */
const CODE_PATHS: CodePaths = {
  functions: [
    'custom.*.evaluate',
    'customMetrics.*.evaluate',
    'judge',
    'judge.ask',
    'embedder',
    'embedder.embed',
    'providers.*',
    'simulation.agent.handler',
    'simulation.agents.*.handler',
    'agent.handler',
    'agents.*.handler',
    'compare.*.handler',
  ],
  iterables: ['source'],
};

async function readModule(file: string, text: string): Promise<RawConfiguration> {
  const outcome = await loadModule(file, CODE_PATHS);
  const locateKeys = locateCodeKeys(text);
  switch (outcome.kind) {
    case 'value':
      return { kind: 'parsed', value: attachFunctions(JSON.parse(outcome.json), file, outcome), locateKeys };
    case 'no-default':
      return parseFailure('The configuration has no default export: write `export default { … }`.');
    case 'not-json': {
      const what = outcome.key === '' ? 'The default export' : `"${outcome.key}"`;
      const [location = null] = await locateKeys([[outcome.key]]);
      return parseFailure(
        `${what} is ${article(outcome.type)}; a configuration can only contain values that JSON supports.`,
        location,
      );
    }
    case 'threw':
      return parseFailure(
        `The configuration threw an error: ${firstLine(outcome.message)}`,
        errorLocation(file, outcome),
      );
    case 'ended':
      return parseFailure(`The configuration could not be loaded: ${outcome.how}.`);
  }
}

/** Puts references to functions into the value, at their paths. */
function attachFunctions(
  value: unknown,
  file: string,
  { functions, digest }: { readonly functions: readonly ValuePath[]; readonly digest: string },
): unknown {
  for (const path of functions) {
    const owner = valueAt(value, path.slice(0, -1));
    const key = path.at(-1);
    if (key === undefined || !isObject(owner)) continue;
    const ownerName = getString(owner, 'name') ?? null;
    Reflect.set(owner, key, new ModuleFunction({ file, path, ownerName, displayName: basename(file), digest }));
  }
  return value;
}

function article(type: string): string {
  return type === 'undefined' ? 'undefined' : `a ${type}`;
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0]?.trim() ?? '';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
