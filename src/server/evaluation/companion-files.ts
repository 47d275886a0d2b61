import type { FileSystem } from '../../input/file-system.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';

/**
 * Other files of the sessions in these files: a session gets the same results whichever of its files is evaluated
 * again.
 */
export function companionFiles(paths: readonly string[], results: EvaluationResults): string[] {
  const others = new Set(paths.flatMap((path) => results.sessionsIn(path).flatMap(({ files }) => files)));
  return [...others].filter((path) => !paths.includes(path));
}

/** Those that still exist. */
export async function existingFiles(paths: readonly string[], files: FileSystem): Promise<string[]> {
  const facts = await Promise.all(paths.map((path) => files.stat(path).catch(() => null)));
  return paths.filter((_, at) => facts[at] !== null);
}
