import { dirname, join } from 'node:path';
import type { LoadedConfiguration } from '../config/load.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import type { FileSystem } from '../input/file-system.ts';

/** The globs of trace files in a configuration, and the folder that they are relative to. */
export interface ConfiguredTraces {
  readonly file: string;
  /** Relative to the working directory; empty for the directory itself. */
  readonly folder: string;
  readonly globs: readonly string[];
}

/** Null where the configuration names none. */
export function configuredTraces({
  file,
  configuration,
}: Pick<LoadedConfiguration, 'file' | 'configuration'>): ConfiguredTraces | null {
  const globs = configuration?.traces ?? [];
  if (file === null || globs.length === 0) return null;
  const folder = dirname(file);
  return { file, folder: folder === '.' ? '' : folder, globs };
}

/** The files and folders that the globs match now; a problem where there are none. */
export async function findConfiguredTraces(
  { file, folder, globs }: ConfiguredTraces,
  { cwd, files, signal }: { readonly cwd: string; readonly files: FileSystem; readonly signal?: AbortSignal },
): Promise<{ readonly paths: readonly string[]; readonly problems: readonly Problem[] }> {
  const relativeFiles: FileSystem = { ...files, stat: (path) => files.stat(join(cwd, folder, path)) };
  const { paths } = await expandGlobs(globs, relativeFiles, join(cwd, folder), signal);
  const message = `"traces" of this configuration matches no file: ${globs.join(', ')}. Globs are relative to its folder.`;
  const isEmpty = paths.length === 0;
  return {
    paths: paths.map((path) => join(folder, path)),
    problems: isEmpty ? [createProblem('error', 'not-found', file, message)] : [],
  };
}
