import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where several stand in one directory, the first of these counts. */
const NAMES = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((extension) => `turnwise.config.${extension}`);

export interface DiscoveredConfiguration {
  readonly file: string;
  /** Others in the same directory, which are not read. */
  readonly ignored: readonly string[];
}

/** The nearest configuration from a directory upward; not beyond the root of its repository, nor the home directory. */
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
