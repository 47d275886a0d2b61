/** An error in the content of a file, without the file's name. */
export interface ParseIssue {
  readonly code: string;
  /** Full sentences: what happened, and what to do. */
  readonly message: string;
  /** One-based; null when the issue has no line. */
  readonly line: number | null;
}
