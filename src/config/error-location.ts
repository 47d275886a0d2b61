import type { ConfigLocation } from './key-locations.ts';

/**
 * The first place in the file itself that the error speaks of: a parser's, whose columns begin at 0, or the stack's,
 * where the loader has put code of its own before the first line.
 */
export function errorLocation(
  file: string,
  { message, stack }: { message: string; stack: string },
): ConfigLocation | null {
  const parsed = locationAfter(file, message);
  if (parsed) return { ...parsed, column: parsed.column + 1 };
  const thrown = locationAfter(file, stack);
  return thrown?.line === 1 ? { line: 1, column: 1 } : thrown;
}

function locationAfter(file: string, text: string): ConfigLocation | null {
  const place = /^:(\d+):(\d+)/.exec(text.split(file)[1] ?? '');
  return place && { line: Number(place[1]), column: Number(place[2]) };
}
