/** How much may be asked, in requests and tokens. Once a limit is reached, nothing more is. */
export interface Budget {
  /**
   * Counts a request that is about to be sent, with an estimate of its tokens. Gives null, or the sentence that says which
   * limit is reached.
   */
  consume(tokens: number): string | null;
  /** That sentence; null as long as there is something left. */
  readonly limitReached: string | null;
  /** Puts the true figure in the place of an estimate; 0 for a request that failed. */
  correct(estimated: number, actual: number): void;
  /** Whether tokens matter: an estimate costs time. */
  readonly countsTokens: boolean;
}

export interface BudgetLimits {
  readonly maxCalls?: number | undefined;
  readonly maxTokens?: number | undefined;
}

export function createBudget({ maxCalls, maxTokens }: BudgetLimits): Budget {
  let calls = 0;
  let tokens = 0;
  let reached: string | null = null;
  return {
    consume(estimated) {
      if (maxCalls !== undefined && calls + 1 > maxCalls) {
        reached ??= `The limit of ${maxCalls} ${maxCalls === 1 ? 'call' : 'calls'} (judge.maxCalls) is reached.`;
      }
      if (maxTokens !== undefined && tokens + estimated > maxTokens) {
        reached ??= `The limit of ${maxTokens} tokens (judge.maxTokens) is reached.`;
      }
      if (reached !== null) return reached;
      calls += 1;
      tokens += estimated;
      return null;
    },
    correct(estimated, actual) {
      tokens += actual - estimated;
    },
    get limitReached() {
      return reached;
    },
    countsTokens: maxTokens !== undefined,
  };
}
