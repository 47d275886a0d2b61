import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');

export interface SourceRegex {
  /** `src/core/json.ts:12`. */
  readonly location: string;
  readonly regex: RegExp;
}

/** All literal regular expressions in the folders, and the files that compose further ones. */
export function sourceRegexes(...folders: readonly string[]): {
  readonly literals: readonly SourceRegex[];
  readonly composing: readonly string[];
} {
  const literals: SourceRegex[] = [];
  const composing = new Set<string>();
  for (const path of folders.flatMap(codeFiles)) {
    const file = relative(ROOT, path).replaceAll('\\', '/');
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ESNext, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
        literals.push({ location: `${file}:${line}`, regex: fromLiteral(node) });
      }
      if (ts.isNewExpression(node) && node.expression.getText(source) === 'RegExp') composing.add(file);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, composing: [...composing] };
}

/** With `g` where `split` uses it, which searches the whole text. */
function fromLiteral({ text, parent }: ts.RegularExpressionLiteral): RegExp {
  const end = text.lastIndexOf('/');
  const flags = text.slice(end + 1);
  const splits =
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    parent.expression.name.text === 'split';
  return new RegExp(text.slice(1, end), splits ? `${flags}g` : flags);
}

function codeFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Runs code, and returns the regular expressions that files of `src` compose meanwhile. */
export async function composedRegexes(run: () => unknown): Promise<SourceRegex[]> {
  const composed: SourceRegex[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags]: [string | RegExp, string | undefined]) {
      const regex = new target(source, flags);
      const location = /[\\/](src[\\/][^:?\n]*\.tsx?)/.exec(new Error('stack').stack ?? '')?.[1];
      if (location !== undefined) composed.push({ location: location.replaceAll('\\', '/'), regex });
      return regex;
    },
  });
  try {
    await run();
  } finally {
    globalThis.RegExp = Original;
  }
  return composed;
}
