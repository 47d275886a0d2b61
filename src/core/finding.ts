import type { Evidence } from './result.ts';
import type { Pointer } from './session.ts';
import type { FailureLabel, FindingLevel } from './severity.ts';

/** What a rule proved about a turn. */
export interface Finding {
  readonly rule: string;
  /** `info` for observations, which do not count against the agent. */
  readonly severity: FindingLevel;
  /** The failure label of the turn, if the rule proves one. */
  readonly label: FailureLabel | null;
  /** Zero-based index of the turn. */
  readonly turn: number;
  /** One sentence in plain words. */
  readonly message: string;
  /** The first entry is the location to show. */
  readonly evidence: readonly Evidence[];
  /** The calls at fault, each once; scores count them. */
  readonly calls?: readonly Pointer[];
}
