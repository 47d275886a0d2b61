import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type ConversationInput,
  ConversationMetric,
  evaluate,
  QualitativeMetric,
  QuantitativeMetric,
  type ScoreInput,
  type Session,
} from '../../../../src/index.ts';
import { answer, startStubModels } from '../../../support/stub-models.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SESSION: Session = {
  id: 's',
  source: { file: 'memory', format: 'turnwise', pointer: '' },
  goal: 'the order is found',
  profile: 'in a hurry',
  knowledge: ['the order is A-1'],
  turns: [
    { id: 't1', pointer: '/turns/0', input: 'Hello', output: 'Good day.', steps: [] },
    {
      id: 't2',
      pointer: '/turns/1',
      input: 'Where is A-1?',
      output: 'On its way.',
      steps: [
        {
          type: 'tool',
          pointer: '/turns/1/steps/0',
          name: 'find',
          arguments: { id: 'A-1' },
          result: { found: true },
          outcome: 'ok',
          requestedBy: 'agent',
        },
      ],
    },
  ],
};

class Length extends QuantitativeMetric {
  readonly name = 'answer_length';
  override readonly scale = 'unit';
  readonly #seen: ScoreInput[];
  constructor(seen: ScoreInput[]) {
    super();
    this.#seen = seen;
  }
  async score(input: ScoreInput) {
    this.#seen.push(input);
    return { value: input.agentMessage.length > 10 ? 1 : 0, reason: `${input.agentMessage.length} characters` };
  }
}

class Voice extends QualitativeMetric {
  readonly name = 'voice';
  async evaluate({ agentMessage }: ScoreInput) {
    return { value: agentMessage.startsWith('Good') ? 'polite' : 'plain' };
  }
}

class Calls extends ConversationMetric {
  readonly name = 'share_with_calls';
  async score({ turns }: ConversationInput) {
    return { value: turns.filter(({ toolCalls }) => toolCalls.length > 0).length / turns.length };
  }
}

describe('a metric that extends a base class', () => {
  it('scores turns, labels turns and scores sessions, with what the session says', async () => {
    const seen: ScoreInput[] = [];
    const report = await evaluate([SESSION], {
      metrics: ['answer_length', 'voice', 'share_with_calls'],
      custom: [new Length(seen), new Voice(), new Calls()],
    });
    const [session] = report.sessions;
    expect(session?.turns.map(({ metrics }) => [metrics.answer_length?.score, metrics.voice?.label])).toEqual([
      [0, 'polite'],
      [1, 'plain'],
    ]);
    expect(session?.turns[1]?.metrics.answer_length?.reason).toBe('11 characters');
    expect(session?.metrics.share_with_calls).toMatchObject({ status: 'scored', score: 0.5 });
    expect(seen[1]).toEqual({
      goal: 'the order is found',
      profile: 'in a hurry',
      knowledge: [{ content: 'the order is A-1' }],
      userMessage: 'Where is A-1?',
      agentMessage: 'On its way.',
      toolCalls: [{ name: 'find', args: { id: 'A-1' }, result: { found: true }, turnIndex: 1 }],
      history: [{ userMessage: 'Hello', agentMessage: 'Good day.' }],
      turnIndex: 1,
    });
  });

  it('asks the judge of the run for an object of its schema', async () => {
    class Tone extends QuantitativeMetric {
      readonly name = 'tone';
      async score(input: ScoreInput) {
        const { object } = await this.llm.generateObject({
          schema: z.object({ score: z.number() }),
          messages: [
            { role: 'system', content: 'Rate the tone from 1 to 5.' },
            { role: 'user', content: input.agentMessage },
          ],
        });
        return { value: object.score, reason: 'as rated' };
      }
    }
    await using home = await temporaryFolder();
    await using stub = await startStubModels(() => answer({ tone_1: { score: 4 } }));
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai } as const;
    const env = { TURNWISE_HOME: home.path, TURNWISE_API_KEY: 'k' };
    const report = await evaluate([SESSION], { judge, metrics: ['tone'], custom: [new Tone()] }, { env });
    expect(report.sessions[0]?.turns[0]?.metrics.tone).toMatchObject({ score: 4, source: 'judge', judge: 'openai/m' });
    expect(stub.requests[0]?.prompt).toContain('Rate the tone from 1 to 5.');
  });

  it('whose name is not in snake case is an error that says so', async () => {
    class Named extends ConversationMetric {
      readonly name = 'brandVoice';
      async score() {
        return { value: 1 };
      }
    }
    await expect(evaluate([SESSION], { custom: [new Named()] })).rejects.toThrow('it must be in snake case');
  });
});
