import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipWhitespace,
} from './json-text.ts';
import { pointerTokens } from './pointer.ts';
import type { Pointer } from './session.ts';

/** A position in a text, one-based, as editors count: a column is a UTF-16 code unit. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The range of a value in its file. */
export interface TextRange {
  /** Zero-based UTF-16 offsets into the text without its byte order mark. */
  readonly offset: number;
  readonly length: number;
  /** One-based; columns in UTF-16 code units. The end is just after the last character, as in an editor's range. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** After the last character of the line on which it begins. */
  readonly lineEnd: number;
}

/**
 * Where the values of pointers stand in a JSON text, all in one pass and without a parse tree.
 *
 * Pointers that lead nowhere are absent. Of duplicate keys the last one counts, as in `JSON.parse`. Time is linear in
 * the text and the pointers, whatever their depth. Text that is no JSON gives no error, only fewer positions.
 *
 * @param text without byte order mark.
 * @param options.lines the text is JSON Lines: the first token of a pointer is the zero-based number of the line.
 */
export function resolvePointers(
  text: string,
  pointers: Iterable<Pointer>,
  options: { readonly lines: boolean },
): ReadonlyMap<Pointer, TextRange> {
  const root = createNode();
  const nodes = new Map<Pointer, PointerNode>();
  for (const pointer of pointers) nodes.set(pointer, addPointer(root, pointer));
  if (options.lines) visitLines(text, root);
  else visit(text, root, skipWhitespace(text, 0, text.length), text.length);

  const reached = reachedNodes(root);
  const fromPlace = positionTracker(text);
  for (const node of reached.sort((a, b) => a.start - b.start)) node.from = fromPlace(node.start);
  const toPlace = positionTracker(text);
  for (const node of reached.sort((a, b) => a.end - b.end)) node.to = toPlace(node.end);

  const positions = new Map<Pointer, TextRange>();
  for (const [pointer, { start, end, from, to }] of nodes) {
    if (!from || !to) continue;
    const { line, column } = from;
    positions.set(pointer, {
      offset: start,
      length: end - start,
      line,
      column,
      endLine: to.line,
      endColumn: to.column,
      lineEnd: from.lineEnd,
    });
  }
  return positions;
}

/** The line and column of one offset. */
export function positionAt(text: string, offset: number): TextPosition {
  const { line, column } = positionTracker(text)(offset);
  return { line, column };
}

/** The requested pointers, as a tree of their tokens. */
interface PointerNode {
  children: Map<string, PointerNode> | null;
  start: number;
  end: number;
  /** Number of the last visit, and of the parent's visit: children of an earlier duplicate are void. */
  visited: number;
  within: number;
  /** Requested items, ascending; set when the value turns out to be an array. */
  items: readonly (readonly [index: number, node: PointerNode])[] | null;
  /** Set when the node was reached. */
  from: LinePosition | null;
  to: TextPosition | null;
}

function createNode(): PointerNode {
  return { children: null, start: 0, end: 0, visited: 0, within: 0, items: null, from: null, to: null };
}

function addPointer(root: PointerNode, pointer: Pointer): PointerNode {
  let node = root;
  for (const token of pointerTokens(pointer)) {
    node.children ??= new Map();
    let next = node.children.get(token);
    if (!next) {
      next = createNode();
      node.children.set(token, next);
    }
    node = next;
  }
  return node;
}

function indexedChildren(node: PointerNode): NonNullable<PointerNode['items']> {
  node.items ??= [...(node.children ?? [])]
    .filter(([token]) => /^(?:0|[1-9]\d{0,15})$/.test(token))
    .map(([token, child]) => [Number(token), child] as const)
    .sort(([a], [b]) => a - b);
  return node.items;
}

function reachedNodes(root: PointerNode): PointerNode[] {
  const reached = root.visited > 0 ? [root] : [];
  for (const node of reached) {
    for (const child of node.children?.values() ?? []) if (child.within === node.visited) reached.push(child);
  }
  return reached;
}

/** An object or array that contains a requested value. */
interface ContainerFrame {
  readonly node: PointerNode;
  readonly array: boolean;
  /** Of an array: the index of the current item, and the number of requested items already passed. */
  index: number;
  passed: number;
}

/** Walks the value at `start`, into requested values and over everything else. */
function visit(text: string, root: PointerNode, start: number, limit: number): void {
  const frames: ContainerFrame[] = [];
  let at = start;
  let visits = 0;

  const enter = (node: PointerNode, parent: PointerNode | null): void => {
    visits += 1;
    node.visited = visits;
    node.within = parent ? parent.visited : 0;
    node.start = at;
    const symbol = text.charCodeAt(at);
    const array = symbol === OPEN_BRACKET;
    if (node.children && (array || symbol === OPEN_BRACE)) {
      frames.push({ node, array, index: 0, passed: 0 });
      at += 1;
    } else {
      at = endOfValue(text, at, limit);
    }
    node.end = at;
  };

  if (at < limit) enter(root, null);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    at = skipWhitespace(text, at, limit);
    if (at >= limit) break;
    const symbol = text.charCodeAt(at);
    if (symbol === CLOSE_BRACE || symbol === CLOSE_BRACKET) {
      at += 1;
      frame.node.end = at;
      frames.pop();
    } else if (symbol === COMMA) {
      at += 1;
      frame.index += 1;
    } else if (frame.array) {
      const next = indexedChildren(frame.node)[frame.passed];
      const before = at;
      if (next?.[0] === frame.index) {
        frame.passed += 1;
        enter(next[1], frame.node);
      } else {
        at = endOfValue(text, at, limit);
      }
      if (at === before) break;
    } else {
      if (symbol !== QUOTE) break;
      const end = endOfString(text, at, limit);
      const child = frame.node.children?.get(keyOf(text, at, end));
      at = skipWhitespace(text, end, limit);
      if (text.charCodeAt(at) !== COLON) break;
      at = skipWhitespace(text, at + 1, limit);
      if (at >= limit) break;
      if (child) enter(child, frame.node);
      else at = endOfValue(text, at, limit);
    }
  }
  for (const { node } of frames) node.end = Math.min(at, limit);
}

/** The first token is a line number: only requested lines are scanned. */
function visitLines(text: string, root: PointerNode): void {
  root.visited = 1;
  root.end = text.length;
  let line = 0;
  let start = 0;
  for (const [wanted, node] of indexedChildren(root)) {
    while (line < wanted && start >= 0) {
      start = text.indexOf('\n', start) + 1 || -1;
      line += 1;
    }
    if (start < 0) return;
    const newline = text.indexOf('\n', start);
    const limit = newline < 0 ? text.length : newline;
    const first = skipWhitespace(text, start, limit);
    if (first >= limit) continue;
    visit(text, node, first, limit);
    node.within = root.visited;
  }
}

function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(text.slice(start, end)));
  } catch {
    return raw;
  }
}

interface LinePosition extends TextPosition {
  /** One-based column after the last character of the line. */
  readonly lineEnd: number;
}

/** Positions of ascending offsets, in one pass. Lines end as in VS Code: at \n, \r\n and \r. */
export function positionTracker(text: string): (offset: number) => LinePosition {
  let line = 1;
  let lineStart = 0;
  let lf = next(text, '\n', 0);
  let cr = next(text, '\r', 0);
  return (offset) => {
    for (let newline = Math.min(lf, cr); newline < offset; newline = Math.min(lf, cr)) {
      lineStart = newline + 1 === lf ? lf + 1 : newline + 1;
      if (cr < lineStart) cr = next(text, '\r', lineStart);
      if (lf < lineStart) lf = next(text, '\n', lineStart);
      line += 1;
    }
    return { line, column: offset - lineStart + 1, lineEnd: Math.min(lf, cr, text.length) - lineStart + 1 };
  };
}

function next(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}
