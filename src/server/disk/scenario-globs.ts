import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { minimatch } from 'minimatch';
import type { LoadedConfiguration } from '../../config/load.ts';
import { DEFAULT_SCENARIOS } from '../../core/scenario-file-names.ts';

/** Whether `scenarios` of a configuration names a file. @param cwd the folder that the path of the configuration is relative to */
export function isScenarioByName(
  path: string,
  { file, configuration }: Pick<LoadedConfiguration, 'file' | 'configuration'>,
  cwd: string,
): boolean {
  const folder = file === null ? cwd : resolve(cwd, dirname(file));
  const name = slashed(relative(folder, path));
  if (name.split('/').includes('node_modules')) return false;
  const isMatched = (glob: string) =>
    minimatch(isAbsolute(glob) ? slashed(path) : name, glob.replace(/^\.\//, ''), { nocomment: true, nonegate: true });
  const globs = configuration?.scenarios ?? DEFAULT_SCENARIOS;
  const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  return globs.some((glob) => !glob.startsWith('!') && isMatched(glob)) && !excluded.some(isMatched);
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}
