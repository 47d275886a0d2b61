/** How many requests and tokens a run may take. Once a limit is reached, no request is sent. */
export interface Budget {
  /**
   * Counts a request that is about to be sent, with an estimate of its tokens. @returns null, or a sentence that names the limit
   * that is reached.
   */
  consume(tokens: number): string | null;
  /** That sentence; null while requests are allowed. */
  readonly limitReached: string | null;
  /** Replaces an estimate by the actual tokens; 0 for a request that failed. */
  correct(estimated: number, actual: number): void;
  /** Whether tokens matter: estimating them costs time. */
  readonly countsTokens: boolean;
}

export interface BudgetLimits {
  readonly maxCalls?: number | undefined;
  readonly maxTokens?: number | undefined;
}

export function createBudget({ maxCalls, maxTokens }: BudgetLimits): Budget {
  let calls = 0;
  let tokens = 0;
  let limitReached: string | null = null;
  return {
    consume(estimated) {
      if (maxCalls !== undefined && calls + 1 > maxCalls) {
        limitReached ??= `The limit of ${maxCalls} ${maxCalls === 1 ? 'call' : 'calls'} (judge.maxCalls) is reached.`;
      }
      if (maxTokens !== undefined && tokens + estimated > maxTokens) {
        limitReached ??= `The limit of ${maxTokens} tokens (judge.maxTokens) is reached.`;
      }
      if (limitReached !== null) return limitReached;
      calls += 1;
      tokens += estimated;
      return null;
    },
    correct(estimated, actual) {
      tokens += actual - estimated;
    },
    get limitReached() {
      return limitReached;
    },
    countsTokens: maxTokens !== undefined,
  };
}
