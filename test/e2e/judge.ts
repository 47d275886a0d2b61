import type { StubModels } from '../support/stub-models.ts';

/** A configured judge, which is a stub on loopback: nobody has to allow it. */
export function judgeOf({ openai }: StubModels): object {
  return { provider: 'openai', model: 'stub', baseUrl: openai };
}
