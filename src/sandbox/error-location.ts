import { pathToFileURL } from 'node:url';

/** One-based; columns in UTF-16 code units. */
export interface CodeLocation {
  readonly line: number;
  readonly column: number;
}

/**
 * The first location in the file that an error names: in its message if a compiler threw it (columns from 0), else in its
 * stack (where the loader adds code of its own before the first line).
 */
export function errorLocation(
  file: string,
  { message, stack }: { readonly message: string; readonly stack: string },
): CodeLocation | null {
  const parsed = locationAfter(file, message);
  if (parsed) return { ...parsed, column: parsed.column + 1 };
  const thrown = locationAfter(file, stack);
  return thrown?.line === 1 ? { line: 1, column: 1 } : thrown;
}

/** Node names modules by their URLs, and writes only the line where it cannot link one. */
function locationAfter(file: string, text: string): CodeLocation | null {
  const match = /^:(\d+)(?::(\d+))?/.exec(text.replaceAll(pathToFileURL(file).href, file).split(file)[1] ?? '');
  return match && { line: Number(match[1]), column: Number(match[2] ?? 1) };
}
