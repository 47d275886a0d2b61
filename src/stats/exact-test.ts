/** Probabilities of data at least as extreme as those seen, if nothing differs. */
export interface ExactTest {
  /** Two-sided. */
  readonly p: number;
  /** One-sided, small where the first side succeeds less often. */
  readonly less: number;
  /** One-sided, small where the first side succeeds more often. */
  readonly greater: number;
}
