import type { StubModels } from '../support/stub-models.ts';

/** The configuration of a stub judge on loopback, which needs no consent. */
export function judgeOf({ openai }: StubModels): object {
  return { provider: 'openai', model: 'stub', baseUrl: openai };
}
