import { pathToFileURL } from 'node:url';
import { FileChangeType, type FileEvent } from 'vscode-languageserver/node';
import type { FileSystem } from '../../input/file-system.ts';
import { watched } from '../../protocol/messages.ts';
import { listen } from '../../protocol/request.ts';
import type { Context, Feature } from '../context.ts';
import type { Disk } from '../disk/disk.ts';
import { isInside, pathOf } from '../disk/folders.ts';
import { isTraceByName } from '../disk/trace-names.ts';
import type { Results } from '../held/results.ts';
import type { Freshness } from './freshness.ts';

const ANY_FILE = { filters: [{ scheme: 'file', pattern: { glob: '**/*' } }] };

/** Files that come, change, go and get other names. */
export const watching: Feature = (context) => {
  const { connection, watchers, followFolders } = context;
  const watching = new Watching(context);
  connection.onInitialized(() => {
    watchers.useNames();
    followFolders();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => watching.changed(changes));
  connection.workspace.onDidRenameFiles(({ files }) => watching.renamed(files));
  connection.workspace.onDidDeleteFiles(({ files }) => {
    return watching.changed(files.map(({ uri }) => ({ uri, type: FileChangeType.Deleted })));
  });
  listen(connection, watched, ({ uris }) => watching.found(uris));
  return {
    workspace: {
      fileOperations: { didRename: ANY_FILE, didDelete: ANY_FILE },
      workspaceFolders: { supported: true, changeNotifications: true },
    },
  };
};

/** A file that came so long before another went is not the other under a new name. */
const RENAMING_MS = 10_000;

/** Of files that came and are not known, no more are remembered. */
const MOST_ARRIVED = 500;

const TRACE = /\.(?:json|jsonl|ndjson|traj|eval)$/i;

interface Event {
  readonly path: string;
  readonly type: FileChangeType;
}

interface Parts extends Pick<Context, 'refreshSoon' | 'settings' | 'folders'> {
  readonly results: Results;
  readonly files: FileSystem;
  readonly disk: Disk;
  readonly freshness: Freshness;
  readonly moved: (from: string, to: string) => Promise<void>;
}

class Watching {
  readonly #parts: Parts;
  readonly #now: () => number;
  /** Files of which nothing is held, and when they came. */
  readonly #arrived = new Map<string, number>();

  constructor(parts: Parts, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Resolves when what they mean is known. */
  async changed(changes: readonly FileEvent[]): Promise<void> {
    const { freshness, refreshSoon } = this.#parts;
    const events = changes.flatMap(({ uri, type }) => {
      const path = pathOf(uri);
      return path === null ? [] : [{ path, type }];
    });
    refreshSoon(events.flatMap((event) => this.#candidate(event)));
    const paths = new Set(events.flatMap((event) => this.#concerned(event)));
    await Promise.all(Array.from(paths, (path) => freshness.check(path)));
    await this.#adopt();
  }

  /** What is held of the file, or in the folder. A type is no more than a hint: files are written in many ways. */
  #concerned({ path, type }: Event): readonly string[] {
    const { results } = this.#parts;
    if (type !== FileChangeType.Deleted || results.file(path)) return [path];
    return [path, ...results.paths.filter((held) => isInside(held, path))];
  }

  /** Takes note of files that may be traces. @returns what is to be shown anew. */
  #candidate({ path, type }: Event): readonly string[] {
    const { results } = this.#parts;
    if (type === FileChangeType.Deleted) return results.vanished(path) ? [path] : [];
    if (!results.file(path) && TRACE.test(path) && type === FileChangeType.Created)
      this.#arrived.set(path, this.#now());
    return this.#isTrace(path) && results.appeared(path) ? [path] : [];
  }

  #isTrace(path: string): boolean {
    const { settings, folders } = this.#parts;
    return isTraceByName(pathToFileURL(path).href, settings().traces, folders);
  }

  /** What the editor has found: all that is there. */
  found(uris: readonly string[]): void {
    const { results, refreshSoon } = this.#parts;
    const paths = new Set(uris.flatMap((uri) => pathOf(uri) ?? []).filter((path) => this.#isTrace(path)));
    const gone = results.candidates.filter((path) => !paths.has(path));
    refreshSoon([
      ...gone.filter((path) => results.vanished(path)),
      ...[...paths].filter((path) => results.appeared(path)),
    ]);
  }

  async renamed(files: readonly { readonly oldUri: string; readonly newUri: string }[]): Promise<void> {
    const { results, moved } = this.#parts;
    for (const { oldUri, newUri } of files) {
      const [from, to] = [pathOf(oldUri), pathOf(newUri)];
      if (from === null || to === null) continue;
      const held = results.paths.filter((path) => path === from || isInside(path, from));
      for (const path of held) await moved(path, to + path.slice(from.length));
    }
  }

  /** A file that has the text of one that is gone is that one under a new name. */
  async #adopt(): Promise<void> {
    const { results, disk, moved } = this.#parts;
    this.#forgetOld();
    if (this.#arrived.size === 0) return;
    const gone = results.paths.filter((path) => results.file(path)?.state === 'gone');
    const arrived = gone.length === 0 ? new Map<number, string[]>() : await this.#arrivedBySize();
    for (const from of gone) {
      const stamp = results.file(from)?.stamp;
      for (const to of (stamp && arrived.get(stamp.size)) ?? []) {
        if (!this.#arrived.has(to) || (await disk.look(to))?.hash !== stamp?.hash) continue;
        this.#arrived.delete(to);
        await moved(from, to);
        break;
      }
    }
  }

  /** To look at a size is cheap; to read a file of which nothing is held needs a reason. */
  async #arrivedBySize(): Promise<ReadonlyMap<number, string[]>> {
    const sizes = Array.from(this.#arrived.keys(), async (path) => {
      const facts = await this.#parts.files.stat(path).catch(() => null);
      return { path, size: facts?.kind === 'file' ? facts.size : -1 };
    });
    const bySize = Map.groupBy(await Promise.all(sizes), ({ size }) => size);
    return new Map(Array.from(bySize, ([size, all]) => [size, all.map(({ path }) => path)]));
  }

  #forgetOld(): void {
    const oldest = this.#now() - RENAMING_MS;
    for (const [path, at] of this.#arrived) {
      if (at < oldest || this.#arrived.size > MOST_ARRIVED) this.#arrived.delete(path);
    }
  }
}
