import { dirname, join, resolve } from 'node:path';
import { findConfigurationFiles } from '../../config/discover.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { isWithin } from '../disk/paths.ts';
import { isConfigurationFile } from '../results/evaluated-file.ts';

/** Files and folders that share their nearest configuration and are evaluated together. */
export interface FileGroup {
  readonly paths: readonly string[];
  /** The files that are found for them, also those that others override. */
  readonly configurations: readonly string[];
}

/**
 * Groups paths by their nearest configuration, so that a file gets the same results alone and in its folder. What a
 * folder contains is known only when it is walked: where another configuration begins, the group ends and a new one
 * starts.
 */
export class ConfigGroups {
  readonly #files: FileSystem;
  readonly #find: typeof findConfigurationFiles;
  /** Groups that have not been taken, by the paths of their configurations. */
  readonly #open = new Map<string, { paths: string[]; configurations: readonly string[] }>();
  readonly #known = new Map<string, Promise<readonly string[]>>();

  constructor(files: FileSystem, find: typeof findConfigurationFiles = findConfigurationFiles) {
    this.#files = files;
    this.#find = find;
  }

  async add(paths: readonly string[]): Promise<void> {
    const nearest = await Promise.all(paths.map((path) => this.#nearest(path)));
    for (const [at, path] of paths.entries()) {
      const configurations = nearest[at] ?? [];
      const key = JSON.stringify(configurations);
      const group = this.#open.get(key) ?? { paths: [], configurations };
      group.paths.push(path);
      this.#open.set(key, group);
    }
  }

  /** Takes the next group: a folder comes before what is in it. */
  next(): FileGroup | undefined {
    const next = [...this.#open].reduce<[string, FileGroup] | undefined>(
      (first, candidate) =>
        first && shortestPathLength(first[1]) <= shortestPathLength(candidate[1]) ? first : candidate,
      undefined,
    );
    if (!next) return undefined;
    this.#open.delete(next[0]);
    return next[1];
  }

  async #nearest(path: string): Promise<readonly string[]> {
    const facts = await this.#files.stat(path).catch(() => null);
    const folder = facts?.kind === 'directory' ? path : dirname(path);
    const known = this.#known.get(folder) ?? this.#find(folder);
    this.#known.set(folder, known);
    return known;
  }
}

/** Whether the folder of a configuration is among the paths, so that all sessions that it is for are evaluated. */
export function coversConfiguration(paths: readonly string[], configuration: string): boolean {
  return isWithin(dirname(configuration), new Set(paths.map((path) => resolve(path))));
}

function shortestPathLength({ paths }: FileGroup): number {
  return Math.min(...paths.map(({ length }) => length));
}

/** The file system as a group sees it: without the folders of other groups. */
export class GroupFiles {
  /** Folders that were skipped because they belong to another group. */
  readonly otherFolders = new Set<string>();
  readonly files: FileSystem;
  readonly #named: ReadonlySet<string>;
  readonly #hasConfiguration: boolean;

  constructor(files: FileSystem, { paths, configurations }: FileGroup) {
    // The folder of a file belongs to the file's group: it is listed for what is beside the file.
    this.#named = new Set(paths.flatMap((path) => [resolve(path), dirname(resolve(path))]));
    this.#hasConfiguration = configurations.length > 0;
    this.files = {
      stat: (path) => files.stat(path),
      read: (path, signal) => files.read(path, signal),
      leadsOutside: (path, folder) => files.leadsOutside(path, folder),
      list: async (path) => {
        const entries = await files.list(path);
        if (this.#named.has(resolve(path)) || !entries.some(({ name }) => this.#isBoundary(path, name))) return entries;
        this.otherFolders.add(resolve(path));
        return [];
      },
    };
  }

  /** The search for a configuration ends at the root of a repository. */
  #isBoundary(folder: string, name: string): boolean {
    return isConfigurationFile(join(folder, name)) || (this.#hasConfiguration && name === '.git');
  }
}
