import { join } from 'node:path';
import { findProject } from '../../app/git-state.ts';
import { memoize } from '../../core/cache/memoize.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { isInside } from '../disk/paths.ts';
import type { RecordedRuns } from '../runs/recorded-runs.ts';
import type { StoredScenarioResult } from './attempt-results.ts';
import type { RecordedScenario } from './recorded-attempts.ts';

interface RestoreOptions {
  readonly files: Pick<FileSystem, 'list'>;
  /** Paths of the open folders. */
  readonly folders: ReadonlySet<string>;
  readonly runs: Pick<RecordedRuns, 'store' | 'answer'> | null;
}

/** Runs that are read at most: a scenario that is in none of them counts as never tried. */
const MAX_RUNS = 20;
const MAX_LISTED = 500;
const READ_LIMIT_MS = 30_000;

/** Finds the results that scenarios had in the last runs, those of the command line too. */
export class RecordedScenarios {
  readonly #options: RestoreOptions;
  /** By name; read once for each project. */
  readonly #inProject = memoize((project: string) => this.#read(project));

  constructor(options: RestoreOptions) {
    this.#options = options;
  }

  /** @param file absolute path. @param names of the scenarios in it. */
  async find(file: string, names: readonly string[]): Promise<StoredScenarioResult[]> {
    if (names.length === 0 || !this.#options.runs) return [];
    const [open] = [...this.#options.folders]
      .filter((folder) => isInside(file, folder))
      .sort((a, b) => a.length - b.length);
    if (open === undefined) return [];
    const recorded = await this.#inProject(await findProject(open));
    return names.flatMap((name) => {
      const found = recorded.get(name);
      return found ? [{ ...found, file }] : [];
    });
  }

  /** The folders of the session files say which runs have tried scenarios. */
  async #read(project: string): Promise<ReadonlyMap<string, RecordedScenario>> {
    const { files, runs } = this.#options;
    const found = new Map<string, RecordedScenario>();
    if (!runs) return found;
    const folders = await files.list(join(project, '.turnwise', 'runs')).catch(() => []);
    const recorded = new Set(runs.store.list({ project, limit: MAX_LISTED }).map(({ manifest }) => manifest.id));
    const ids = folders.map(({ name }) => name).filter((name) => recorded.has(name));
    for (const id of ids.sort().reverse().slice(0, MAX_RUNS)) {
      const signal = AbortSignal.timeout(READ_LIMIT_MS);
      const scenarios = await runs.answer('scenarios', { run: { id, project } }, signal).catch(() => []);
      for (const scenario of scenarios) {
        const newer = found.get(scenario.name);
        found.set(scenario.name, newer ? { ...newer, previousRun: newer.previousRun ?? id } : scenario);
      }
    }
    return found;
  }
}
