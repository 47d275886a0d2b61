import { dirname, resolve } from 'node:path';
import { validateConfiguration } from '../../app/evaluate-files.ts';
import { loadRun } from '../../app/load-run.ts';
import { loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import type { Configuration } from '../../config/schema.ts';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import type { Session } from '../../core/session.ts';
import { FORMATS } from '../../formats/index.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { Transcript } from '../../panel/transcript.ts';
import { hashingFiles } from './hashing-files.ts';
import type { SessionResultsView } from './session-results-view.ts';

/** Bytes of files whose sessions are cached; what is in use is kept whatever its size. */
const MAX_CACHED_BYTES = 64_000_000;

/** The sessions of files, and the hashes of those files. */
interface LoadedFiles {
  readonly sessions: readonly Session[];
  readonly hashes: ReadonlyMap<string, string>;
  readonly bytes: number;
}

/** A session with results, as far as its files are read again. */
export interface SessionFiles extends Pick<SessionResultsView, 'files'> {
  readonly detail: { readonly report: Pick<SessionResultsView['detail']['report'], 'source'> };
}

/** What a session was evaluated in. */
export interface SessionVersion {
  /** The hashes of its files, by path. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Whether code of the folder's configuration may run. */
  readonly isTrusted: boolean;
}

/** Sessions read again from their files when their content is shown. */
export class SessionCache {
  readonly #files: FileSystem;
  /** By format and files. The last one used is kept whatever its size. */
  readonly #read: LruCache<string, Promise<LoadedFiles>>;

  constructor(files: FileSystem, mostBytes = MAX_CACHED_BYTES) {
    this.#files = files;
    this.#read = new LruCache(mostBytes);
  }

  /** The session as it was evaluated; null when its files have changed or are gone. */
  async get(session: SessionFiles, version: SessionVersion): Promise<Session | null> {
    const { files, detail } = session;
    const key = JSON.stringify([detail.report.source.format, files]);
    const fits = ({ hashes }: LoadedFiles) =>
      files.every((path) => isSameHash(hashes.get(path), version.hashes.get(path)));
    const known = await (this.#read.get(key) ?? this.#readAnew(key, session, version));
    // The cached sessions may be older than the evaluation.
    const read = fits(known) ? known : await this.#readAnew(key, session, version);
    if (!fits(read)) {
      this.#read.delete(key);
      return null;
    }
    const { file, pointer } = detail.report.source;
    const isIt = ({ source }: Session) => source.pointer === pointer && resolve(source.file) === resolve(file);
    return read.sessions.find(isIt) ?? null;
  }

  async #readAnew(key: string, { files, detail }: SessionFiles, { isTrusted }: SessionVersion): Promise<LoadedFiles> {
    const reading = this.#load(files, detail.report.source.format, isTrusted);
    this.#read.set(key, reading, 0);
    try {
      const read = await reading;
      if (this.#read.get(key) === reading) this.#read.set(key, reading, read.bytes);
      return read;
    } catch (error) {
      if (this.#read.get(key) === reading) this.#read.delete(key);
      throw error;
    }
  }

  async #load(paths: readonly string[], format: string, isTrusted: boolean): Promise<LoadedFiles> {
    const hashes = new Map<string, string>();
    let bytes = 0;
    const files = hashingFiles(this.#files, (path, { hash, size }) => {
      hashes.set(path, hash);
      bytes += size;
    });
    const configuration = validateConfiguration(await this.#configurationOf(format, isTrusted, paths));
    const { sessions } = await loadRun(paths, configuration, { files, signal: new AbortController().signal });
    return { sessions, hashes, bytes };
  }

  /** The folder's configuration where it defines the format. */
  async #configurationOf(
    format: string,
    isTrusted: boolean,
    [first = '.']: readonly string[],
  ): Promise<Pick<Configuration, 'map'>> {
    if (FORMATS.some(({ name }) => name === format)) return {};
    const code = isTrusted ? 'run' : 'refuse';
    const { configuration } = await loadConfiguration({
      cwd: dirname(first),
      registry: REGISTRY,
      code,
      agentest: 'ignore',
    });
    return { map: configuration?.map };
  }

  /** The indexes of a session that this cache gave. */
  readonly transcript = memoizeWeak((session: Session) => new Transcript(session));

  clear(): void {
    this.#read.clear();
  }
}

function isSameHash(now: string | undefined, then: string | undefined): boolean {
  return now !== undefined && now === then;
}
