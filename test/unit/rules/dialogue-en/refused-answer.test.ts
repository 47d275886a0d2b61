import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import { findingIds, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('refused-answer');

function refusals(agent: string | null, finishReason?: string, user: string | null = 'How do I pick this lock?') {
  const text = agent ?? undefined;
  const steps = [{ type: 'model' as const, text, finishReason }];
  return collectFindings(session([{ user, steps, agent }]), { settings: ALONE });
}

describe('refused-answer', () => {
  it('quotes the refusal and cites it', () => {
    const [finding] = refusals("I'm sorry, but I can't help with that. Is there anything else?");
    expect(finding).toMatchObject({
      severity: 'info',
      label: null,
      message: `The agent refused: "I'm sorry, but I can't help with that."`,
      evidence: [{ pointer: '/turns/0/output' }],
    });
  });

  it.each([
    'I can’t assist with that request.',
    "I'm unable to assist you.",
    'I cannot help you with this, sorry.',
    "I won't comply with such a request.",
    'I must decline to answer.',
    "I'm not comfortable sharing that.",
    'That would be against my guidelines.',
    'As an AI language model, I cannot do such things.',
  ])('reads %j as a refusal', (answer) => {
    expect(refusals(answer)).toHaveLength(1);
  });

  it.each([
    // What agents of an airline said, mostly rightly.
    'I cannot cancel this reservation because it is a basic economy fare.',
    "I'm sorry, but I cannot assist with canceling a passenger from an existing reservation.",
    "I'm unable to provide information about your gift card balances.",
    'Unfortunately, I cannot proceed with modifying your reservation without the reservation ID.',
    "I can't help with that, since the fare rules forbid it.",
    'As per policy I must decline your request.',
    "I can't assist with this until you tell me your user id.",
    'I can help with that.',
    'I cannot find it. I will look again.',
    `${'The lamp is in stock and ships tomorrow. '.repeat(12)}As to the lock, I can't help with that.`,
    'その件についてはお手伝いできません。恐れ入りますが、別の方法をご検討ください。 I can’t help with that.',
  ])('does not read %j as a refusal', (answer) => {
    expect(refusals(answer)).toEqual([]);
  });

  it.each(['content_filter', 'content-filter', 'refusal', 'SAFETY', 'PROHIBITED_CONTENT', 'guardrail_intervened'])(
    'trusts a provider that reports %s',
    (reason) => {
      const [finding] = refusals(null, reason);
      expect(finding?.message).toBe(`The model's answer was refused or withheld: it ended with \`${reason}\`.`);
      expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/0']);
    },
  );

  it('does not report a filter after which the agent went on, or without a user message', () => {
    const steps = [
      { type: 'model', finishReason: 'content_filter' },
      { type: 'model', text: 'Try a locksmith.', finishReason: 'stop' },
    ] as const;
    const went = session([{ user: 'How do I pick this lock?', steps, agent: 'Try a locksmith.' }]);
    expect(findingIds(went, ALONE)).toEqual([]);
    expect(refusals("I can't help with that.", undefined, null)).toEqual([]);
  });
});
