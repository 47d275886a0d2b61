import type { YAMLMap } from 'yaml';
import { isObject, jsonEqual } from '../../core/json.ts';

/** Loaded when a YAML file is edited. */
type YamlModule = typeof import('../../config/yaml.ts');

const PARSE_OPTIONS = { prettyErrors: false, logLevel: 'silent' } as const;

/**
 * Sets a value at a path of keys, which may be new. Everything else stays as written, unless the YAML is written in an
 * unusual way: then all of it is printed again, with its comments.
 *
 * @param text valid YAML; its root is a mapping or empty.
 * @param path keys that need no quotes. @param value a text that needs no quotes.
 * @returns null where the value cannot be set without changing another.
 */
export async function setYamlValue(text: string, path: readonly string[], value: string): Promise<string | null> {
  const yaml = await import('../../config/yaml.ts');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const expected = setAt(yaml.parseDocument(text, PARSE_OPTIONS).toJS() ?? {}, path, value);
  const isMeant = (after: string | null): after is string => {
    if (after === null) return false;
    const document = yaml.parseDocument(after, PARSE_OPTIONS);
    return document.errors.length === 0 && jsonEqual(document.toJS(), expected);
  };
  const spliced = splice(yaml, text, path, value, eol);
  if (isMeant(spliced)) return spliced;
  const printed = reprint(yaml, text, path, value).replaceAll('\n', eol);
  return isMeant(printed) ? printed : null;
}

function setAt(holder: unknown, [key, ...rest]: readonly string[], value: string): unknown {
  if (key === undefined) return value;
  const own = isObject(holder) ? holder : {};
  return { ...own, [key]: setAt(own[key], rest, value) };
}

function splice(yaml: YamlModule, text: string, path: readonly string[], value: string, eol: string): string | null {
  let node: unknown = yaml.parseDocument(text, PARSE_OPTIONS).contents;
  if (node === null) return insertLines(text, text.length, path, value, '', eol);
  for (const [depth, key] of path.entries()) {
    if (!yaml.isMap(node)) return null;
    const pair = node.items.find((item) => yaml.isScalar(item.key) && item.key.value === key);
    const rest = path.slice(depth);
    if (!pair && node.flow) return insertInFlowMap(text, node, rest, value);
    if (!pair)
      return insertLines(text, pairEnd(yaml, node.items.at(-1)), rest, value, indentation(yaml, text, node), eol);
    node = pair.value;
  }
  if (!yaml.isNode(node) || !node.range || yaml.isMap(node) || yaml.isSeq(node)) return null;
  return text.slice(0, node.range[0]) + value + text.slice(node.range[1]);
}

/** What precedes the first key on its line. */
function indentation(yaml: YamlModule, text: string, { items: [first] }: YAMLMap): string {
  const start = yaml.isNode(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
}

function pairEnd(yaml: YamlModule, pair: YAMLMap['items'][number] | undefined): number {
  const ends = [pair?.key, pair?.value].map((node) => (yaml.isNode(node) ? (node.range?.[1] ?? 0) : 0));
  return Math.max(...ends);
}

/** Inserts lines after the line on which something ends. */
function insertLines(
  text: string,
  end: number,
  path: readonly string[],
  value: string,
  indent: string,
  eol: string,
): string {
  const behind = text.indexOf('\n', end - 1) + 1;
  const at = end === 0 || behind === 0 ? text.length : behind;
  const lines = path.map((key, depth) => {
    return `${indent}${'  '.repeat(depth)}${key}:${depth === path.length - 1 ? ` ${value}` : ''}${eol}`;
  });
  const before = text.slice(0, at);
  return `${before}${before === '' || before.endsWith('\n') ? '' : eol}${lines.join('')}${text.slice(at)}`;
}

/** Inserts an entry at the beginning of `{ … }`. */
function insertInFlowMap(
  text: string,
  { range, items }: YAMLMap,
  path: readonly string[],
  value: string,
): string | null {
  if (!range) return null;
  const at = range[0] + 1;
  const entry = flowEntry(path, value);
  if (items.length === 0) return `${text.slice(0, range[0])}{ ${entry} }${text.slice(range[1])}`;
  return `${text.slice(0, at)} ${entry},${/\s/.test(text.charAt(at)) ? '' : ' '}${text.slice(at)}`;
}

/** `rules: { no-answer: off }` */
function flowEntry(path: readonly string[], value: string): string {
  return path.reduceRight(
    (inner, key, depth) => `${key}: ${depth === path.length - 1 ? inner : `{ ${inner} }`}`,
    value,
  );
}

function reprint(yaml: YamlModule, text: string, path: readonly string[], value: string): string {
  const document = yaml.parseDocument(text, PARSE_OPTIONS);
  document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}
