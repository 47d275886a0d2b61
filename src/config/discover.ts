import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** If a directory has several, the first of these counts. */
const EXTENSIONS = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'];

export interface DiscoveredConfiguration {
  readonly file: string;
  /** Other configurations in the same directory, which are ignored. */
  readonly ignored: readonly string[];
}

/** The nearest configuration from a directory upwards, up to the root of the repository or the home directory. */
export function findConfiguration(directory: string, home?: string): Promise<DiscoveredConfiguration | null> {
  return findNearest('turnwise.config', directory, home);
}

/** The nearest configuration of the Agentest tool, which ours overrides. */
export function findAgentestConfiguration(directory: string, home?: string): Promise<DiscoveredConfiguration | null> {
  return findNearest('agentest.config', directory, home);
}

/** Every file that a search for configurations finds, whether it counts or is ignored. */
export async function findConfigurationFiles(directory: string, home?: string): Promise<readonly string[]> {
  const found = await Promise.all([findConfiguration(directory, home), findAgentestConfiguration(directory, home)]);
  return found.flatMap((configuration) => (configuration ? [configuration.file, ...configuration.ignored] : []));
}

async function findNearest(
  baseName: string,
  directory: string,
  home = homedir(),
): Promise<DiscoveredConfiguration | null> {
  const names = EXTENSIONS.map((extension) => `${baseName}.${extension}`);
  for (let here = directory; ; here = dirname(here)) {
    const there = await Promise.all(names.map((name) => exists(join(here, name))));
    const [file, ...ignored] = names.filter((_, index) => there[index]).map((name) => join(here, name));
    if (file !== undefined) return { file, ignored };
    if (here === home || here === dirname(here) || (await exists(join(here, '.git')))) return null;
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
