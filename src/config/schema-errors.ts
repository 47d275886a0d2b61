import * as z from 'zod';
import { get, getArray, getNumber, getObject, getString, isObject, type JsonObject } from '../core/json.ts';
import { didYouMean } from './suggest.ts';

/** A problem of a configuration, as a sentence, with the path of its key. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning';
  readonly path: KeyPath;
  readonly message: string;
  /** `configuration` if it is missing. */
  readonly code?: string;
}

export type KeyPath = readonly (string | number)[];

export function configIssue(path: KeyPath, message: string, severity: ConfigIssue['severity'] = 'error'): ConfigIssue {
  return { severity, path, message };
}

/** `metrics.agentic.k`, `traces[0]`; the whole is "the configuration". */
export function formatKeyPath(path: KeyPath): string {
  let text = '';
  for (const key of path) text += typeof key === 'number' ? `[${key}]` : text === '' ? key : `.${key}`;
  return text === '' ? 'The configuration' : text;
}

/** A short description of a value. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/**
 * Explains schema errors: for each one its path, the value and what is allowed.
 *
 * @param at the path of the value in the configuration.
 */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  value: unknown,
  at: KeyPath,
): ConfigIssue[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return issues.flatMap((issue) => explainIssue(issue, root, value, at));
}

/** Each is compared with all known ones. */
const MAX_UNKNOWN_KEYS = 100;

function explainIssue(issue: z.core.$ZodIssue, root: unknown, value: unknown, at: KeyPath): ConfigIssue[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const nested = issue.code === 'invalid_union' ? nearestBranch(issue.errors) : [];
  if (nested.length > 0) {
    return nested.flatMap((inner) => explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, root, value, at));
  }
  const full = [...at, ...path];
  const node = nodeAt(root, path);
  if (issue.code === 'unrecognized_keys') {
    const known = branches(node)
      .flatMap((branch) => Object.entries(getObject(branch, 'properties') ?? {}))
      .flatMap(([key, property]) => (key === '$schema' || get(property, 'deprecated') === true ? [] : [key]));
    return issue.keys.slice(0, MAX_UNKNOWN_KEYS).map((key) => {
      const where = full.length === 0 ? '' : ` in ${formatKeyPath(full)}`;
      return configIssue(
        [...full, key],
        `Unknown key "${key}"${where}.${didYouMean(key, known)} ${listAllowedKeys(known)}`,
      );
    });
  }
  const here = valueAt(value, path);
  const wanted =
    issue.code === 'custom' ? issue.message.replace(/^must/, 'it must') : `it must be ${describeExpected(node)}`;
  const close = typeof here === 'string' ? didYouMean(here, enumOf(node)) : '';
  return [configIssue(full, `${formatKeyPath(full)} is ${describeValue(here)}; ${wanted.replace(/\.$/, '')}.${close}`)];
}

function listAllowedKeys(keys: readonly string[]): string {
  return keys.length === 0 ? 'No keys are allowed here.' : `Allowed keys: ${keys.join(', ')}.`;
}

/** The branch of a union that the value was meant for: its issues are deeper than the whole value. */
function nearestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  return (
    branches.find((issues) =>
      issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys' || issue.code === 'custom'),
    ) ?? []
  );
}

function valueAt(value: unknown, path: KeyPath): unknown {
  let here = value;
  for (const key of path)
    here = typeof key === 'number' ? (Array.isArray(here) ? here[key] : undefined) : get(here, key);
  return here;
}

/** The part of a JSON schema for the value at a path; undefined if there is none. */
function nodeAt(root: unknown, path: KeyPath): JsonObject | undefined {
  let nodes: unknown[] = [root];
  for (const key of path) nodes = nodes.flatMap(branches).flatMap((node) => childOf(node, key));
  return nodes.find(isObject);
}

function branches(node: unknown): readonly unknown[] {
  return getArray(node, 'anyOf')?.flatMap(branches) ?? [node];
}

function childOf(node: unknown, key: string | number): readonly unknown[] {
  const candidates =
    typeof key === 'number'
      ? [getArray(node, 'prefixItems')?.[key], get(node, 'items')]
      : [get(get(node, 'properties'), key), get(node, 'additionalProperties')];
  return candidates.filter((candidate) => isObject(candidate)).slice(0, 1);
}

function enumOf(node: JsonObject | undefined): string[] {
  return branches(node).flatMap((branch) =>
    (getArray(branch, 'enum') ?? []).filter((value): value is string => typeof value === 'string'),
  );
}

/** What a JSON schema allows, as a phrase after "it must be". */
function describeExpected(node: unknown): string {
  const alternatives = getArray(node, 'anyOf');
  if (alternatives) return alternatives.map(describeExpected).join(', or ');
  const values = getArray(node, 'enum');
  if (values) return values.length === 1 ? describeValue(values[0]) : `one of ${values.map(describeValue).join(', ')}`;
  const constant = get(node, 'const');
  if (constant !== undefined) return describeValue(constant);
  switch (getString(node, 'type')) {
    case 'number':
      return `a number${describeBounds(node)}`;
    case 'integer':
      return `a whole number${describeBounds(node)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return expectedText(node);
    case 'array':
      return getArray(node, 'prefixItems') ? `a list of ${getArray(node, 'prefixItems')?.length} items` : 'a list';
    case 'object':
      return 'an object';
    default:
      return 'another value';
  }
}

function expectedText(node: unknown): string {
  if (getString(node, 'format') === 'uri') return 'a URL such as "http://localhost:8000/v1"';
  const example = getArray(node, 'examples')?.[0];
  if (example !== undefined) return `a text such as ${describeValue(example)}`;
  return getNumber(node, 'minLength') ? 'a text that is not empty' : 'a text';
}

function describeBounds(node: unknown): string {
  const above = getNumber(node, 'exclusiveMinimum');
  const integer = getString(node, 'type') === 'integer';
  const min = getNumber(node, 'minimum') ?? (integer && above !== undefined ? above + 1 : undefined);
  const largest = getNumber(node, 'maximum');
  const max = largest === Number.MAX_SAFE_INTEGER ? undefined : largest;
  if (min !== undefined && min !== Number.MIN_SAFE_INTEGER) {
    return max === undefined ? `, ${min} or more` : ` from ${min} to ${max}`;
  }
  if (above !== undefined) return max === undefined ? ` above ${above}` : ` above ${above}, at most ${max}`;
  return max === undefined ? '' : `, at most ${max}`;
}
