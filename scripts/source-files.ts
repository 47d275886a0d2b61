import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import ts from 'typescript';

/** A file of source code, parsed. The path is relative to the root of the repository, with `/`. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
  readonly source: ts.SourceFile;
}

/** Parses the TypeScript and JavaScript files that match. */
export async function parseFiles(root: string, patterns: readonly string[]): Promise<SourceText[]> {
  const paths = (await glob([...patterns], { cwd: root })).sort();
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(root, path), 'utf8');
      return parseText(path, text);
    }),
  );
}

export function parseText(path: string, text: string): SourceText {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return { path, text, source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind) };
}

/** One-based. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
