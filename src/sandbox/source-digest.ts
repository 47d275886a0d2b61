import { createHash } from 'node:crypto';
import { basename, dirname, join, relative, sep } from 'node:path';
import { realPath } from './module-files.ts';

const PACKAGES = `${sep}node_modules${sep}`;

/** The sources of modules, each by its path from the first one, so that a copy elsewhere has the same digest. */
export class SourceDigest {
  readonly #file: string;
  readonly #folder: string;
  readonly #hashes = new Map<string, string>();

  constructor(file: string) {
    this.#file = file;
    // What the first module imports is found by its real path.
    this.#folder = realPath(dirname(file));
  }

  /** Packages are ignored. */
  add(file: string, source: string | NodeJS.ArrayBufferView | ArrayBuffer): void {
    if (file.includes(PACKAGES)) return;
    const path = file === this.#file ? join(this.#folder, basename(file)) : file;
    const content = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
    const name = relative(this.#folder, path).replaceAll(sep, '/');
    this.#hashes.set(name, createHash('sha256').update(content).digest('hex'));
  }

  get digest(): string {
    const files = [...this.#hashes].sort(([a], [b]) => (a < b ? -1 : 1));
    return createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 32);
  }
}
