import type { ProviderName } from '../../../src/core/model-providers.ts';
import type { AnswerOptions, StubReply } from '../../support/stub-models.ts';

/** One way in which the server of a judge fails at each request about a turn. */
export interface JudgeFault {
  readonly name: string;
  readonly reply: StubReply | ((provider: ProviderName) => StubReply);
  /** Why the results of the turn are missing. */
  readonly reason: RegExp | Readonly<Record<ProviderName, RegExp>>;
  /** For one request; by default it is not reached. */
  readonly timeoutMs?: number;
}

/** A score that fits, and an answer with it. */
export const SCORE = { evidence: [], reason: 'It says where the order is.', score: 4 };
export const GOOD = JSON.stringify({ helpfulness: SCORE });

/** The body of a response with an answer, as each API has it. */
export function body(provider: ProviderName, text: unknown, { finish = 'stop' }: AnswerOptions = {}): object {
  return provider === 'openai'
    ? { choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }] }
    : { model: 'm', message: { role: 'assistant', content: text }, done: true, done_reason: finish };
}
