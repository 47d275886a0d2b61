import type { Evidence } from './result.ts';
import type { Pointer } from './session.ts';
import type { FailureLabel, FindingLevel } from './severity.ts';

/** What a rule proved about a turn. */
export interface Finding {
  readonly rule: string;
  /** `info`: an observation, and no failure. */
  readonly severity: FindingLevel;
  /** The failure label that it gives the turn, where it proves one. */
  readonly label: FailureLabel | null;
  /** Zero-based index of the turn. */
  readonly turn: number;
  /** A sentence that a colleague would say. */
  readonly message: string;
  /** The first entry is the place to look at. */
  readonly evidence: readonly Evidence[];
  /** Of the calls at fault, each once, where calls are: what scores count. */
  readonly calls?: readonly Pointer[];
}
