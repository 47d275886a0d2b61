/** What a file was when it was read. */
export interface FileStamp {
  /** A hash of its bytes. */
  readonly hash: string;
  readonly size: number;
  /** Milliseconds since 1970; null where the file system does not say. */
  readonly modified: number | null;
  /** When size and time were checked, before the file was read. */
  readonly at: number;
}
