import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minimatch } from 'minimatch';
import { isTraceCandidate } from '../../core/trace-file-names.ts';
import { isInside } from './paths.ts';

/**
 * Whether a file is a trace, judged by its name alone.
 *
 * @param folders the open folders: names above them do not count.
 */
export function isTraceByName(uri: string, globs: readonly string[], folders: Iterable<string>): boolean {
  const path = fileURLToPath(uri);
  const folder = [...folders].find((open) => isInside(path, open));
  if (folder !== undefined && !isTraceCandidate(relative(folder, path), globs)) return false;
  const slashed = path.replaceAll('\\', '/');
  return globs.some((glob) => minimatch(slashed, anyDepthGlob(glob), { dot: true, nocomment: true, nonegate: true }));
}

/** Globs match at any depth. */
export function anyDepthGlob(glob: string): string {
  return /^(?:\*\*\/|\/|[A-Za-z]:\/)/.test(glob) ? glob : `**/${glob}`;
}
