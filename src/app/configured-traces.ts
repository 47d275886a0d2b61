import { dirname, join } from 'node:path';
import type { LoadedConfiguration } from '../config/load.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import type { FileSystem } from '../input/file-system.ts';
import { linkOutsideProblem } from '../input/walk-inputs.ts';

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
  const base = join(cwd, folder);
  const { paths: matched } = await expandGlobs(globs, relativeFiles, base, signal);
  // The configuration may have been written by somebody else: its links do not lead out of its folder.
  const outside = await Promise.all(
    matched.map((path) =>
      files.leadsOutside(join(base, path), path.startsWith('..') ? dirname(join(base, path)) : base),
    ),
  );
  const paths = matched.filter((_, index) => !outside[index]);
  const links = matched.filter((_, index) => outside[index]);
  const message = `"traces" of this configuration matches no file: ${globs.join(', ')}. Globs are relative to its folder.`;
  const isEmpty = paths.length === 0;
  return {
    paths: paths.map((path) => join(folder, path)),
    problems: [
      ...links.map((path) => linkOutsideProblem(join(folder, path))),
      ...(isEmpty ? [createProblem('error', 'not-found', file, message)] : []),
    ],
  };
}
