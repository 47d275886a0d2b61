import { fileURLToPath } from 'node:url';
import { minimatch } from 'minimatch';

/** Whether a file is a trace by its name alone. */
export function isTraceByName(uri: string, globs: readonly string[]): boolean {
  const path = fileURLToPath(uri).replaceAll('\\', '/');
  return globs.some((glob) => minimatch(path, anywhere(glob), { dot: true, nocomment: true, nonegate: true }));
}

/** Globs are relative to a folder that may be anywhere. */
export function anywhere(glob: string): string {
  return glob.startsWith('/') || glob.startsWith('**/') ? glob : `**/${glob}`;
}
