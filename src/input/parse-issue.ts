/** What is wrong with the content of a file, before it is known whose problem that is. */
export interface ParseIssue {
  readonly code: string;
  /** Full sentences: what happened, and what to do. */
  readonly message: string;
  /** One-based; null where there is none. */
  readonly line: number | null;
}
