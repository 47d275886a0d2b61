import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { BASELINE_FILE, JUDGE_FILE, RISK_FILE } from '../core/trace-file-names.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';

/** If a directory has several, the first of these counts. */
const EXTENSIONS = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'];

export interface DiscoveredConfiguration {
  readonly file: string;
  /** Other configurations in the same directory, which are ignored. */
  readonly ignored: readonly string[];
}

/** The nearest configuration from a directory upwards, up to the root of the repository or the home directory. */
export function findConfiguration(directory: string, home?: string): Promise<DiscoveredConfiguration | null> {
  return findNearest(namesOf('turnwise.config'), directory, home);
}

/** The nearest configuration of the Agentest tool, which ours overrides. */
export function findAgentestConfiguration(directory: string, home?: string): Promise<DiscoveredConfiguration | null> {
  return findNearest(namesOf('agentest.config'), directory, home);
}

/** The nearest weights of `session_risk` that were fitted to the user's sessions. */
export async function findRiskFile(directory: string, home?: string): Promise<string | null> {
  return (await findNearest([RISK_FILE], directory, home))?.file ?? null;
}

/** The nearest labels of judged results, with what they say about the judge. */
export async function findJudgeFile(directory: string, home?: string): Promise<string | null> {
  return (await findNearest([JUDGE_FILE], directory, home))?.file ?? null;
}

/** The nearest baseline of the project. */
export async function findBaselineFile(directory: string, home?: string): Promise<string | null> {
  return (await findNearest([BASELINE_FILE], directory, home))?.file ?? null;
}

/** Every file that a search for configurations finds, whether it counts or is ignored. */
export async function findConfigurationFiles(directory: string, home?: string): Promise<readonly string[]> {
  const [riskFile, ...found] = await Promise.all([
    findRiskFile(directory, home),
    findConfiguration(directory, home),
    findAgentestConfiguration(directory, home),
  ]);
  const files = found.flatMap((configuration) => (configuration ? [configuration.file, ...configuration.ignored] : []));
  return riskFile === null ? files : [...files, riskFile];
}

function namesOf(baseName: string): string[] {
  return EXTENSIONS.map((extension) => `${baseName}.${extension}`);
}

async function findNearest(
  names: readonly string[],
  directory: string,
  home = homedir(),
): Promise<DiscoveredConfiguration | null> {
  for (let here = directory; ; here = dirname(here)) {
    const there = await Promise.all(names.map((name) => exists(join(here, name))));
    const [file, ...ignored] = names.filter((_, index) => there[index]).map((name) => join(here, name));
    if (file !== undefined) return { file, ignored };
    if (here === home || here === dirname(here) || (await exists(join(here, '.git')))) return null;
  }
}

export async function exists(path: string): Promise<boolean> {
  return (await nodeFileSystem.stat(path).catch(() => null)) !== null;
}

/**
 * Whether a configuration that was found is a link that leads out of its repository, or out of its folder if it is in none:
 * such a link is followed only where the user names it.
 */
export async function leadsOutside(file: string, home: string): Promise<boolean> {
  const folder = dirname(file);
  if (!(await nodeFileSystem.leadsOutside(file, folder))) return false;
  for (let here = folder; here !== home && here !== dirname(here); here = dirname(here)) {
    if (await exists(join(here, '.git'))) return nodeFileSystem.leadsOutside(file, here);
  }
  return true;
}
