/** Answers that were given before, by a hash of all that they depend on. Failures are never kept. */
export interface AnswerCache {
  get(key: string): string | null;
  /** Kept at once: a process that is killed has lost nothing that was answered. Never throws. */
  set(key: string, answer: string): void;
}
