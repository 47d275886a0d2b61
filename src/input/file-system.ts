/** The file system operations that reading needs. Passed in, so that tests and the editor can replace it. */
export interface FileSystem {
  /** Null when nothing exists at the path. */
  stat(path: string): Promise<FileStat | null>;
  /** Rejects with the system's error. */
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The first bytes of a file, without reading all of it; absent where only whole files can be read. */
  readStart?(path: string, bytes: number): Promise<Uint8Array>;
  /** The entries of a directory, sorted by name. */
  list(path: string): Promise<readonly { readonly name: string; readonly kind: 'file' | 'directory' | 'other' }[]>;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  /** In bytes. */
  readonly size: number;
  /** Last modification, in milliseconds since 1970; absent when unknown. */
  readonly modified?: number;
}
