import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';

/** JSON with another value at a path, which may be new: everything else, comments too, stays as it is written. */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  const holder = holderOf(text, path);
  // What stands on one line stays there: formatting would spread all of it.
  const isOneLine =
    holder && holder.children?.length !== 0 && !/[\r\n]/.test(text.slice(holder.offset, holder.offset + holder.length));
  return applyEdits(text, modify(text, path, value, isOneLine ? {} : { formattingOptions: styleOf(text) }));
}

/** What exists already of the way to the value. */
function holderOf(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text);
  if (!root) return undefined;
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    if (node) return node;
  }
  return undefined;
}

function styleOf(text: string): FormattingOptions {
  const [, indentation = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indentation.startsWith('\t'),
    tabSize: indentation.length,
  };
}
