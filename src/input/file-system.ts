/** The file system as this project needs it; passed in, so that everything else can be tested without one. */
export interface FileSystem {
  /** Null when there is nothing. */
  stat(path: string): Promise<FileStat | null>;
  /** Rejects with the system's error. */
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Names in a directory, sorted. */
  list(path: string): Promise<readonly { readonly name: string; readonly kind: 'file' | 'directory' | 'other' }[]>;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  /** In bytes. */
  readonly size: number;
  /** When it was last written, in milliseconds since 1970; absent where nobody can say. */
  readonly modified?: number;
}
