import type { FileSystem } from '../../../../src/input/file-system.ts';
import { bytesOf, systemError } from '../../input/memory-file-system.ts';

/** Files in memory that change, and that say how often each was read. */
export class ChangingFiles implements FileSystem {
  readonly #files = new Map<string, { readonly bytes: Uint8Array; readonly modified: number }>();
  readonly reads: string[] = [];
  #clock = 1000;

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: string, text: string): void {
    this.#clock += 1000;
    this.#files.set(path, { bytes: bytesOf(text), modified: this.#clock });
  }

  delete(path: string): void {
    this.#files.delete(path);
  }

  rename(from: string, to: string): void {
    const file = this.#files.get(from);
    if (!file) throw systemError('ENOENT');
    this.#files.delete(from);
    this.#files.set(to, file);
  }

  text(path: string): string | null {
    const file = this.#files.get(path);
    return file ? new TextDecoder().decode(file.bytes) : null;
  }

  async leadsOutside(): Promise<boolean> {
    return false;
  }

  async stat(path: string) {
    const file = this.#files.get(path);
    if (file) return { kind: 'file', size: file.bytes.length, modified: file.modified } as const;
    const isFolder = [...this.#files.keys()].some((item) => item.startsWith(`${path}/`));
    return isFolder ? ({ kind: 'directory', size: 0 } as const) : null;
  }

  async read(path: string): Promise<Uint8Array> {
    this.reads.push(path);
    const file = this.#files.get(path);
    if (!file) throw systemError('ENOENT');
    return file.bytes;
  }

  async list(path: string) {
    const rests = [...this.#files.keys()].flatMap((item) =>
      item.startsWith(`${path}/`) ? item.slice(path.length + 1) : [],
    );
    const kinds = new Map(
      rests.map((rest) => [rest.split('/', 1)[0] ?? '', rest.includes('/') ? 'directory' : 'file'] as const),
    );
    return Array.from(kinds, ([name, kind]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
