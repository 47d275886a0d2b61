import { describe, expect, it } from 'vitest';
import { createCallFormatter } from '../../../src/cli/judge-call-text.ts';
import type { CallLog } from '../../../src/llm/chat-client.ts';

const call: CallLog = {
  name: 'session s, turn 1: helpfulness',
  prompt: {
    system: 'You judge.',
    parts: ['# Question\n\n## helpfulness\nDoes it help?\n', 'what the trace says', 'Answer the question at the top.'],
  },
  answer: '{"helpfulness":{"evidence":["t1.answer","t1.result1"],"reason":"It does.","score":4}}',
  failure: null,
  usage: { promptTokens: 100, completionTokens: 20 },
  cached: false,
  ms: 1234.5,
};

const packed: CallLog = {
  ...call,
  name: 'session s: 1, turn 2: task, verdicts, helpfulness',
  prompt: {
    system: '',
    parts: [
      '# Questions\n\n## task\nWhat was wanted?\n- task: in a sentence\n\n## verdicts\nWas each call right?\n\n## helpfulness\nDoes it help?\n## an own heading\n## task\nReally?',
      '# Questions\n## task\nwhat the trace says',
      'Facts\n# Questions\n## helpfulness\na fact that looks like a question\n\nAnswer the questions at the top about turn 2.',
    ],
  },
  answer: JSON.stringify({
    task: { task: 'find it', outcome: null },
    verdicts: {
      verdicts: [
        { call: 't2.call1', evidence: [], verdict: 'yes' },
        { call: 't2.call2', verdict: 'no' },
      ],
    },
    helpfulness: { reason: 'It does.', score: 4 },
  }),
};

const textOf = (call: CallLog, before: readonly CallLog[] = []) => {
  const text = createCallFormatter();
  for (const earlier of before) text(earlier);
  return text(call);
};

describe('a call that is written out', () => {
  it('shows question and answer, and not the trace', () => {
    expect(textOf(call)).toBe(`judge: session s, turn 1 (1235 ms, 100 tokens in, 20 out)
  helpfulness
    asked: Does it help?
    answered:
      evidence: t1.answer, t1.result1
      reason: It does.
      score: 4
`);
  });

  it('puts each question and its answer together where several travelled together', () => {
    expect(textOf(packed)).toBe(`judge: session s: 1, turn 2 (1235 ms, 100 tokens in, 20 out)
  task
    asked:
      What was wanted?
      - task: in a sentence
    answered:
      task: find it
      outcome: none
  verdicts
    asked: Was each call right?
    answered:
      verdicts:
        - call: t2.call1
          evidence: none
          verdict: yes
        - call: t2.call2
          verdict: no
  helpfulness
    asked:
      Does it help?
      ## an own heading
      ## task
      Really?
    answered:
      reason: It does.
      score: 4
`);
  });

  it('prints each question once, until its text changes', () => {
    expect(textOf(call, [call])).not.toContain('asked');
    expect(textOf(call, [call])).toContain('reason: It does.');
    expect(textOf(call, [packed])).toContain('asked: Does it help?');
  });

  it('prints why a question is repeated, before the answer', () => {
    const again = '# Your last answer did not fit\n\n- helpfulness.score: 7 is above 5\n\nAnswer the question again.';
    const text = textOf({ ...call, prompt: { system: '', parts: [...call.prompt.parts, again] } });
    expect(text.split('\n').slice(1, 4)).toEqual([
      '  retried because: - helpfulness.score: 7 is above 5',
      '  helpfulness',
      '    asked: Does it help?',
    ]);
  });

  it('shows an answer without the key around it, one that leaves a question out, and one that is none', () => {
    expect(textOf({ ...call, answer: 'Sure: {"reason":"It does.","score":4}' })).toContain('      reason: It does.\n');
    expect(textOf({ ...packed, answer: '{"task":{"task":"find it"}}' })).toMatch(
      / {2}helpfulness\n[\s\S]* {4}answered: nothing\n$/,
    );
    expect(textOf({ ...call, answer: 'I would rather not.' })).toMatch(/ {2}answered: I would rather not\.\n$/);
  });

  it('says what came from the cache, and why there is no answer', () => {
    expect(textOf({ ...call, cached: true }).split('\n')[0]).toMatch(/ \(from the cache, 100 tokens in, 20 out\)$/);
    const failed = { ...packed, answer: null, failure: 'h:1 does not answer.' };
    expect(textOf(failed)).toMatch(/asked: Was each call right\?\n[\s\S]* {2}failed: h:1 does not answer\.\n$/);
    expect(textOf(failed, [packed]).split('\n').slice(1)).toEqual([
      '  same questions as before: task, verdicts, helpfulness',
      '  failed: h:1 does not answer.',
      '',
    ]);
  });

  it('lets nothing of a model or a trace move the cursor', () => {
    const hostile = '\u001b[2J\u202eevil';
    const values = [hostile, JSON.stringify({ [hostile]: { [hostile]: [hostile, { a: hostile }] } })];
    for (const answer of values) {
      const text = textOf({
        ...call,
        name: `${hostile}: ${hostile}`,
        answer,
        prompt: { system: '', parts: [`# Question\n## ${hostile}\n${hostile}`] },
      });
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
  });

  it('accepts any answer of a model', () => {
    const deep = `{"helpfulness":${'['.repeat(2000)}${']'.repeat(2000)}}`;
    // Such nesting is not parsed, and shown as it came.
    expect(textOf({ ...call, answer: deep })).toContain('answered: {"helpfulness":[[[');
    const shallow = `{"helpfulness":${'['.repeat(200)}${']'.repeat(200)}}`;
    expect(textOf({ ...call, answer: shallow })).toContain('…');
  });
});
