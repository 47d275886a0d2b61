import { dirname, resolve } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import type { Session } from '../../core/session.ts';
import type { Format } from '../../formats/format.ts';
import { FORMATS } from '../../formats/index.ts';
import { formatsWithMappings } from '../../formats/mapped/mapped-format.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { load } from '../../input/load.ts';
import { Transcript } from '../report/transcript.ts';
import type { EvaluationResults } from './evaluation-results.ts';
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

/** Sessions read again from their files when their content is shown. */
export class SessionCache {
  readonly #files: FileSystem;
  readonly #results: Pick<EvaluationResults, 'versionsOf'>;
  readonly #isTrusted: () => boolean;
  readonly #mostBytes: number;
  /** The most recently used is the last. */
  readonly #read = new Map<string, { readonly reading: Promise<LoadedFiles>; bytes: number }>();

  /** @param isTrusted whether code of the folder's configuration may run. */
  constructor(
    files: FileSystem,
    results: Pick<EvaluationResults, 'versionsOf'>,
    isTrusted: () => boolean = () => false,
    mostBytes = MAX_CACHED_BYTES,
  ) {
    this.#files = files;
    this.#results = results;
    this.#isTrusted = isTrusted;
    this.#mostBytes = mostBytes;
  }

  /** The session as it was evaluated; null when its files have changed or are gone. */
  async get(session: SessionResultsView): Promise<Session | null> {
    const { files, detail } = session;
    const key = JSON.stringify([detail.report.source.format, files]);
    const texts = this.#results.versionsOf(session);
    const fits = ({ hashes }: LoadedFiles) =>
      files.every((path) => isSameHash(hashes.get(path), texts.get(path)?.stamp?.hash));
    const known = await this.#use(key, session);
    // The cached sessions may be older than the evaluation.
    const read = fits(known) ? known : await this.#readAnew(key, session);
    if (!fits(read)) {
      this.#read.delete(key);
      return null;
    }
    const { file, pointer } = detail.report.source;
    const isIt = ({ source }: Session) => source.pointer === pointer && resolve(source.file) === resolve(file);
    return read.sessions.find(isIt) ?? null;
  }

  #use(key: string, session: SessionResultsView): Promise<LoadedFiles> {
    const known = this.#read.get(key);
    if (!known) return this.#readAnew(key, session);
    this.#read.delete(key);
    this.#read.set(key, known);
    return known.reading;
  }

  async #readAnew(key: string, { files, detail }: SessionResultsView): Promise<LoadedFiles> {
    const entry = { reading: this.#load(files, detail.report.source.format), bytes: 0 };
    this.#read.delete(key);
    this.#read.set(key, entry);
    try {
      const read = await entry.reading;
      entry.bytes = read.bytes;
      this.#shrink();
      return read;
    } catch (error) {
      if (this.#read.get(key) === entry) this.#read.delete(key);
      throw error;
    }
  }

  async #load(paths: readonly string[], format: string): Promise<LoadedFiles> {
    const hashes = new Map<string, string>();
    let bytes = 0;
    const files = hashingFiles(this.#files, (path, { hash, size }) => {
      hashes.set(path, hash);
      bytes += size;
    });
    const formats = await this.#formatsOf(format, paths);
    const { sessions } = await load(paths, files, { signal: new AbortController().signal }, formats);
    return { sessions, hashes, bytes };
  }

  /** The format may be defined in the folder's configuration. */
  async #formatsOf(format: string, [first = '.']: readonly string[]): Promise<readonly Format[]> {
    if (FORMATS.some(({ name }) => name === format)) return FORMATS;
    const code = this.#isTrusted() ? 'run' : 'refuse';
    const { configuration } = await loadConfiguration({
      cwd: dirname(first),
      registry: REGISTRY,
      code,
      agentest: 'ignore',
    });
    return formatsWithMappings(configuration?.map);
  }

  #shrink(): void {
    let bytes = 0;
    for (const [key, entry] of [...this.#read].reverse()) {
      bytes += entry.bytes;
      if (bytes > this.#mostBytes && bytes > entry.bytes) this.#read.delete(key);
    }
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
