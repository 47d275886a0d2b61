import { describe, expect, it } from 'vitest';
import { callText } from '../../../src/cli/call-text.ts';

const call = {
  name: 'session s, turn 1: helpfulness',
  prompt: { system: 'You judge.', parts: ['what the trace says', '# Question about turn 1\n\nDoes it help?\n'] },
  answer: '{"reason":"It does.","score":4}',
  failure: null,
  usage: { promptTokens: 100, completionTokens: 20 },
  cached: false,
  ms: 1234.5,
};

describe('callText', () => {
  it('shows question and answer, and not the trace', () => {
    expect(callText(call)).toBe(`judge: session s, turn 1: helpfulness (1235 ms, 100 tokens in, 20 out)
  asked: # Question about turn 1
  
  Does it help?
  answered: {"reason":"It does.","score":4}
`);
  });

  it('says what came from the cache, and why there is no answer', () => {
    expect(callText({ ...call, usage: null, cached: true }).split('\n')[0]).toMatch(/ \(from the cache\)$/);
    expect(callText({ ...call, answer: null, failure: 'h:1 does not answer.' })).toMatch(
      / {2}failed: h:1 does not answer\.\n$/,
    );
  });

  it('lets nothing of a model or a trace move the cursor', () => {
    const hostile = '\u001b[2J\u202eevil';
    const text = callText({ ...call, name: hostile, answer: hostile, prompt: { system: '', parts: [hostile] } });
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });
});
