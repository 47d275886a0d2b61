/** The file system operations that reading needs. Passed in, so that tests and the editor can replace it. */
export interface FileSystem {
  /** Null when nothing exists at the path. */
  stat(path: string): Promise<FileStat | null>;
  /** Reads a regular file, up to `MAX_BYTES`. Rejects with the system's error, or with `RefusedFile`. */
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The first bytes of a file, without reading all of it; absent where only whole files can be read. */
  readStart?(path: string, bytes: number): Promise<Uint8Array>;
  /** Opens a regular file to read parts of it, now and later; absent where only whole files can be read. */
  openParts?(path: string): Promise<PartialFile>;
  /** The entries of a directory, sorted by name. */
  list(path: string): Promise<readonly FolderEntry[]>;
  /**
   * Whether a path is a link to something outside of a folder. Such a link is followed only where the user named it: what
   * is found in a folder that somebody else wrote must not open the rest of the disk.
   */
  leadsOutside(path: string, folder: string): Promise<boolean>;
}

/** A file that is read in parts. It holds nothing open. */
export interface PartialFile {
  /** In bytes, when it was opened. What is appended later is not read. */
  readonly size: number;
  /** The bytes of a part that was there when it was opened. @throws RefusedFile where it is another file now; the system's error */
  read(start: number, end: number): Uint8Array;
}

export interface FolderEntry {
  readonly name: string;
  /** Of a link to a file: what it leads to. */
  readonly kind: 'file' | 'directory' | 'other';
  readonly isLink?: boolean;
}

export interface FileStat {
  /** `other` is a pipe, a socket or a device. */
  readonly kind: 'file' | 'directory' | 'other';
  /** In bytes. */
  readonly size: number;
  /** Last modification, in milliseconds since 1970; absent when unknown. */
  readonly modified?: number;
}

/** A file that is not read. The message is a clause. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}

/** A file with more than `MAX_BYTES`. */
export class FileTooLarge extends RefusedFile {
  readonly size: number;
  constructor(size: number) {
    super(`it is ${Math.ceil(size / 2 ** 20)} MB, more than Turnwise reads`);
    this.size = size;
  }
}
