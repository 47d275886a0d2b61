import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** If a directory has several, the first of these counts. */
const NAMES = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((extension) => `turnwise.config.${extension}`);

export interface DiscoveredConfiguration {
  readonly file: string;
  /** Other configurations in the same directory, which are ignored. */
  readonly ignored: readonly string[];
}

/** The nearest configuration from a directory upwards, up to the root of the repository or the home directory. */
export async function findConfiguration(directory: string, home = homedir()): Promise<DiscoveredConfiguration | null> {
  for (let here = directory; ; here = dirname(here)) {
    const there = await Promise.all(NAMES.map((name) => exists(join(here, name))));
    const [file, ...ignored] = NAMES.filter((_, index) => there[index]).map((name) => join(here, name));
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
