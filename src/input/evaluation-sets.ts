import type { Problem } from '../core/problem.ts';
import type { FileSystem } from './file-system.ts';
import { folderOf, joinPath } from './paths.ts';
import { type InputFile, linkOutsideProblem } from './walk-inputs.ts';

/** Names of evaluation sets: `x.evalset.json`, `eval_set_x.json`, `x.test.json`. */
const EVALUATION_SET = /(?:\.test|eval[-_]?set(?:(?!eval[-_]?set)[^\\/])*)\.json$/i;

/** Whether a file is an evaluation set by its name. */
export function isEvaluationSet(file: string): boolean {
  return EVALUATION_SET.test(file);
}

/** Bounds the work in folders with very many test files. */
const MAX_PER_FOLDER = 100;

/**
 * The evaluation sets beside files that the user named, by their names: what they expect of a trace counts also where
 * the trace is opened alone. A folder that the user named is searched for all of its files anyway.
 */
export async function evaluationSetsBeside(
  found: readonly InputFile[],
  files: FileSystem,
  signal: AbortSignal,
): Promise<{ readonly files: readonly InputFile[]; readonly problems: readonly Problem[] }> {
  const known = new Set(found.map(({ file }) => joinPath('', file)));
  const named = found.filter(({ file, isExplicit }) => isExplicit && file !== '-');
  const sets: InputFile[] = [];
  const problems: Problem[] = [];
  for (const folder of new Set(named.map(({ file }) => folderOf(file)))) {
    signal.throwIfAborted();
    // A folder that cannot be listed adds nothing to the files that can be read.
    const entries = await files.list(folder === '' ? '.' : folder).catch(() => []);
    const candidates = entries.filter(({ name, kind }) => kind === 'file' && isEvaluationSet(name));
    for (const { name, isLink } of candidates.slice(0, MAX_PER_FOLDER)) {
      const file = `${folder}${name}`;
      if (known.has(joinPath('', file))) continue;
      if (isLink && (await files.leadsOutside(file, folder))) problems.push(linkOutsideProblem(file));
      else sets.push({ file, isExplicit: false });
    }
  }
  return { files: sets, problems };
}
