import { escapeRegExp } from '../core/text/escape-reg-exp.ts';
import type { KeyPath } from './schema-errors.ts';

/** One-based; columns in UTF-16 code units. */
export interface ConfigLocation {
  readonly line: number;
  readonly column: number;
}

/** Locates keys in a configuration; null if a location is unknown. */
export type LocateKeys = (paths: readonly KeyPath[]) => Promise<readonly (ConfigLocation | null)[]>;

export function locationAt(text: string, offset: number): ConfigLocation {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

/** Locations of keys and list items in JSON and YAML; of the nearest parent if a key is missing. */
export function locateDataKeys(text: string): LocateKeys {
  return async (paths) => {
    const { isMap, isNode, isScalar, isSeq, parseDocument } = await import('./yaml.ts');
    // JSON is YAML; of a duplicate key, the last value counts in both.
    const root: unknown = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' }).contents;
    return paths.map((path) => {
      let node = root;
      let offset = isNode(root) ? root.range?.[0] : undefined;
      for (const token of path) {
        let child: unknown;
        let at: unknown;
        if (isMap(node)) {
          const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(token));
          [child, at] = [pair?.value, pair?.key];
        } else if (isSeq(node) && typeof token === 'number') {
          [child, at] = [node.items[token], node.items[token]];
        }
        if (!isNode(at)) break;
        offset = at.range?.[0] ?? offset;
        node = child;
      }
      return offset === undefined ? null : locationAt(text, offset);
    });
  };
}

/**
 * Locations of keys in code: each key of the path is searched after the one before it, outside comments. For items of a
 * list it is the location of the list. Some code is not found; then there is no location, and the message still names
 * the key.
 */
export function locateCodeKeys(text: string): LocateKeys {
  const code = text.replace(/\/\*[\s\S]*?(?:\*\/|$)|(?<![:'"`\w])\/\/[^\n]*/g, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  );
  return async (paths) =>
    paths.map((path) => {
      const nth = path.findIndex((key) => typeof key === 'number' && key > 0);
      const names = (nth < 0 ? path : path.slice(0, nth)).filter((key) => typeof key === 'string');
      let from = Math.max(0, code.indexOf('export default'));
      let offset: number | null = null;
      for (const name of names) {
        const key = new RegExp(`(?<![\\w$.])(['"\`]?)${escapeRegExp(name)}\\1\\s*[:,}]`, 'g');
        key.lastIndex = from;
        const match = key.exec(code);
        if (!match) return null;
        offset = match.index;
        from = match.index + match[0].length;
      }
      return offset === null ? null : locationAt(text, offset);
    });
}
