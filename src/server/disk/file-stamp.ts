/** What a file was when it was read. */
export interface FileStamp {
  /** Of its bytes. */
  readonly hash: string;
  readonly size: number;
  /** Milliseconds since 1970; null where the file system does not say. */
  readonly modified: number | null;
  /** When size and time were looked at, before it was read. */
  readonly at: number;
}
