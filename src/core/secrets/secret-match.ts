import type { PatternMatch } from '../text-pattern.ts';

/** A secret in a text. */
export interface SecretMatch extends PatternMatch {
  /**
   * Whether an answer that shows it is reported. Not so for what is often shown on purpose, such as a signed link to a
   * download, and for values that are recognized by weak signs only: they are redacted without being reported.
   */
  readonly isReported: boolean;
}

/** Finds one family of secrets; linear in the length of the text. */
export type SecretFinder = (text: string) => Iterable<SecretMatch>;
