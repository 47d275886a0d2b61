import { join } from 'node:path';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { appendLines, removeFile, writeFile } from '../output/write-file.ts';
import { isLiveFile } from './live-file.ts';
import type { LineFolder } from './live-traces.ts';

export interface FolderLimits {
  /** All files together. */
  readonly maxBytes: number;
  /** Files that have not changed for longer are deleted. */
  readonly keepMs: number;
}

interface KnownFile {
  size: number;
  modified: number;
}

/** Spans that come later than this after the others do not find the file of their trace after a restart. */
const LATE_MS = 60 * 60_000;

/** The files of sessions on disk. Files of other names are left alone. */
export class LiveFolder implements LineFolder {
  readonly #path: string;
  readonly #limits: FolderLimits;
  readonly #files: Map<string, KnownFile>;
  #bytes: number;
  #deleted: string[] = [];

  private constructor(path: string, limits: FolderLimits, files: Map<string, KnownFile>) {
    this.#path = path;
    this.#limits = limits;
    this.#files = files;
    this.#bytes = sizeOf(files);
  }

  /** Reads what is there. @throws the system's error */
  static async open(path: string, limits: FolderLimits): Promise<LiveFolder> {
    const entries = await nodeFileSystem.list(path);
    const names = entries.flatMap(({ name, kind, isLink }) =>
      kind === 'file' && !isLink && isLiveFile(name) ? [name] : [],
    );
    const files = new Map<string, KnownFile>();
    for (const name of names) {
      const stat = await nodeFileSystem.stat(join(path, name));
      if (stat) files.set(name, { size: stat.size, modified: stat.modified ?? 0 });
    }
    return new LiveFolder(path, limits, files);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Files that were deleted for their age or for new ones since the last call. */
  takeDeleted(): readonly string[] {
    const deleted = this.#deleted;
    this.#deleted = [];
    return deleted;
  }

  async deleteOld(): Promise<void> {
    const oldest = Date.now() - this.#limits.keepMs;
    for (const [name, { modified }] of this.#files) if (modified < oldest) await this.#delete(name);
  }

  /** The files of traces that were written lately, by trace. */
  async traces(): Promise<ReadonlyMap<string, string>> {
    const traces = new Map<string, string>();
    for (const [name, { modified }] of this.#files) {
      if (modified < Date.now() - LATE_MS) continue;
      for (const line of await this.#lines(name)) {
        const traceId = TRACE_OF_LINE.exec(line)?.[1];
        if (traceId !== undefined) traces.set(traceId, name);
      }
    }
    return traces;
  }

  async makeRoom(bytes: number, inUse: ReadonlySet<string>): Promise<boolean> {
    const fits = () => this.#bytes + bytes <= this.#limits.maxBytes;
    const idle = [...this.#files].filter(([name]) => !inUse.has(name));
    if (this.#bytes - sizeOf(idle) + bytes > this.#limits.maxBytes) return false;
    for (const [name] of idle.toSorted(([, a], [, b]) => a.modified - b.modified)) {
      if (fits()) break;
      await this.#delete(name);
    }
    return true;
  }

  async append(name: string, lines: string): Promise<void> {
    await appendLines(join(this.#path, name), lines);
    const file = this.#files.get(name) ?? { size: 0, modified: 0 };
    const size = Buffer.byteLength(lines);
    this.#files.set(name, { size: file.size + size, modified: Date.now() });
    this.#bytes += size;
  }

  async read(traceId: string, file: string): Promise<readonly string[]> {
    return (await this.#lines(file)).filter((line) => TRACE_OF_LINE.exec(line)?.[1] === traceId);
  }

  /** If the process is killed in between, the trace is in both files, and lost in none. */
  async move(traceId: string, from: string, to: string): Promise<boolean> {
    const lines = await this.#lines(from);
    const isOfTrace = (line: string) => TRACE_OF_LINE.exec(line)?.[1] === traceId;
    const rest = lines.filter((line) => !isOfTrace(line)).join('');
    const moved = lines.filter(isOfTrace);
    if (moved.length > 0) await this.append(to, moved.join(''));
    if (rest === '') {
      await this.#remove(from);
      return true;
    }
    await writeFile(join(this.#path, from), rest);
    this.#bytes -= this.#files.get(from)?.size ?? 0;
    this.#files.set(from, { size: Buffer.byteLength(rest), modified: Date.now() });
    this.#bytes += Buffer.byteLength(rest);
    return false;
  }

  /** None where somebody has deleted the file. */
  async #lines(name: string): Promise<readonly string[]> {
    const path = join(this.#path, name);
    if (!(await nodeFileSystem.stat(path))) return [];
    return new TextDecoder().decode(await nodeFileSystem.read(path)).split(/(?<=\n)/);
  }

  async #delete(name: string): Promise<void> {
    await this.#remove(name);
    this.#deleted.push(name);
  }

  async #remove(name: string): Promise<void> {
    await removeFile(join(this.#path, name));
    this.#bytes -= this.#files.get(name)?.size ?? 0;
    this.#files.delete(name);
  }
}

function sizeOf(files: Iterable<readonly [name: string, file: KnownFile]>): number {
  return Array.from(files, ([, { size }]) => size).reduce((sum, size) => sum + size, 0);
}

/** Our own lines have one trace each, whose id is the first field of its spans. */
const TRACE_OF_LINE = /"traceId":"([0-9a-f]{32})"/;
