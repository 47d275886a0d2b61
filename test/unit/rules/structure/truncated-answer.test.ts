import { describe, expect, it } from 'vitest';
import type { ModelStep } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { ok, onlyRule, session } from '../session-builder.ts';

const TEXT = 'Your order has three items. The first is a lamp, the second a desk, and the third';

type Last = Partial<Pick<ModelStep, 'text' | 'finishReason'>>;

function ending(last: Last, agent: string | null = TEXT, after: Parameters<typeof ok>[0][] = []) {
  const steps = [ok('get_order'), { type: 'model' as const, text: TEXT, ...last }, ...after.map((name) => ok(name))];
  return session([{ user: 'What did I order?', steps, agent }]);
}

function truncated(of: ReturnType<typeof session>) {
  return collectFindings(of, { settings: onlyRule('truncated-answer') });
}

describe('truncated-answer', () => {
  it('states where the answer ends and why, and cites it', () => {
    const [finding] = truncated(ending({ finishReason: 'max_tokens' }));
    expect(finding).toMatchObject({
      severity: 'medium',
      turn: 0,
      message:
        'The answer breaks off at "…tems. The first is a lamp, the second a desk, and the third": the model had reached its limit (`max_tokens`).',
    });
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/output', '/turns/0/steps/1']);
  });

  it('quotes a short answer completely', () => {
    const [finding] = truncated(ending({ text: 'It is', finishReason: 'length' }, 'It is'));
    expect(finding?.message).toBe('The answer breaks off at "It is": the model had reached its limit (`length`).');
  });

  it.each(['length', 'MAX_TOKENS', 'FinishReason.MAX_TOKENS', 'max_output_tokens', 'incomplete', 'model_length'])(
    'recognizes %s',
    (finishReason) => {
      expect(truncated(ending({ finishReason }))).toHaveLength(1);
    },
  );

  it.each([
    ['an answer that was done', ending({ finishReason: 'stop' })],
    ['an answer of which nothing says why it ends', ending({})],
    ['a filter', ending({ finishReason: 'content_filter' })],
    ['a message after which the agent went on', ending({ finishReason: 'length' }, TEXT, ['get_route'])],
    ['a message that is not the answer', ending({ finishReason: 'length' }, 'You ordered a lamp.')],
    ['a message without a word', ending({ text: ' ', finishReason: 'length' }, ' ')],
  ])('does not report %s', (_, of) => {
    expect(truncated(of)).toEqual([]);
  });
});
