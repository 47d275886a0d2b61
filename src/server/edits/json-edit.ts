import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  format,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';

/** Sets a value at a path, which may be new. Everything else, comments too, stays as written. */
export function setJsonValue(text: string, path: JSONPath, value: unknown): string {
  const holder = existingAncestor(text, path);
  // A value on one line stays on one line: formatting would spread all of it.
  const isOneLine =
    holder && holder.children?.length !== 0 && !/[\r\n]/.test(text.slice(holder.offset, holder.offset + holder.length));
  if (isOneLine) return applyEdits(text, modify(text, path, value, {}));
  const [edit] = modify(text, path, value, {});
  const isNew = edit?.length === 0 && edit.content !== '';
  if (!isNew) return applyEdits(text, modify(text, path, value, { formattingOptions: formattingOptions(text) }));
  const after = applyEdits(text, [edit]);
  // The library would format the whole line on which it inserts; the existing text must stay as written.
  const own = holder?.children?.length === 0 ? holder : { offset: edit.offset, length: 0 };
  const range = { offset: own.offset, length: own.length + edit.content.length };
  return applyEdits(after, format(after, range, formattingOptions(text)));
}

/** The deepest existing node on the path. */
function existingAncestor(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text);
  if (!root) return undefined;
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    if (node) return node;
  }
  return undefined;
}

function formattingOptions(text: string): FormattingOptions {
  const [, indentation = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indentation.startsWith('\t'),
    tabSize: indentation.length,
  };
}
