/** What the calls of one model cost. Tokens are the server's count, or an estimate where it gives none. */
export interface JudgeUsage {
  readonly calls: number;
  readonly callsCached: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Calls whose tokens are estimated. */
  readonly callsEstimated: number;
}
