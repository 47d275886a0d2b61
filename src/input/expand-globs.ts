import { isAbsolute, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { createProblem, type Problem } from '../core/problem.ts';
import { isConfigurationFile, isSidecar } from '../core/trace-file-names.ts';
import type { FileSystem } from './file-system.ts';

/**
 * Expands globs to paths: in input order, and sorted by name within a glob. `-` and existing files and folders are kept
 * as they are, even when their names look like globs.
 *
 * @param folder base of relative globs.
 */
export async function expandGlobs(
  inputs: readonly string[],
  files: FileSystem,
  folder: string,
  signal?: AbortSignal,
): Promise<{ readonly paths: readonly string[]; readonly problems: readonly Problem[] }> {
  const paths: string[] = [];
  const problems: Problem[] = [];
  for (const input of inputs) {
    if (input === '-' || !isDynamicPattern(input) || (await exists(input, files))) {
      paths.push(input);
      continue;
    }
    const matched = await glob(sep === '\\' ? input.replaceAll(sep, '/') : input, {
      cwd: folder,
      absolute: isAbsolute(input),
      expandDirectories: false,
      ignore: '**/node_modules/**',
      signal,
    });
    const matches = matched.filter((path) => !isSidecar(path) && !isConfigurationFile(path)).sort();
    if (matches.length === 0) {
      const message = `No file matches "${input}". Check the pattern and the working folder.`;
      problems.push(createProblem('error', 'not-found', input, message));
    }
    paths.push(...matches);
  }
  return { paths, problems };
}

async function exists(path: string, files: FileSystem): Promise<boolean> {
  try {
    return (await files.stat(path)) !== null;
  } catch {
    return true;
  }
}
