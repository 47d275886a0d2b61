import { describe, expect, it } from 'vitest';
import { looksLikeTrace, SNIFF_BYTES } from '../../../src/input/trace-sniff.ts';
import { bytesOf } from './memory-file-system.ts';

const CONVERSATION = [
  { role: 'user', content: 'Where is my order?' },
  { role: 'assistant', content: 'It left on Monday – 2 days ago.' },
];
const many = Array.from({ length: 2000 }, () => CONVERSATION).flat();
const JAEGER_TRACE = {
  traceID: 'a1',
  spans: Array.from({ length: 2000 }, (_, index) => ({
    traceID: 'a1',
    spanID: `b${index}`,
    operationName: 'openai.chat',
    tags: [{ key: 'gen_ai.system', type: 'string', value: 'openai' }],
    processID: 'p1',
  })),
  processes: { p1: { serviceName: 'agent' } },
};
const head = (text: string) => bytesOf(text).subarray(0, SNIFF_BYTES);

describe('a file that looks like a trace', () => {
  it.each([
    ['small.json', JSON.stringify({ messages: CONVERSATION }), true],
    ['large.json', JSON.stringify({ messages: many }), true],
    ['indented.json', JSON.stringify({ messages: many }, null, 2), true],
    ['lines.jsonl', many.map((message) => JSON.stringify({ messages: [message] })).join('\n'), true],
    [
      'cut-in-a-character.json',
      JSON.stringify({ messages: [{ role: 'user', content: 'ä–'.repeat(SNIFF_BYTES) }] }),
      true,
    ],
    ['processes-after-the-cut.json', JSON.stringify({ data: [JAEGER_TRACE] }, null, 4), true],
    ['log.eval', 'PK\u0003\u0004', true],
    ['no-archive.eval', 'text', false],
    ['settings.json', JSON.stringify({ name: 'x', version: '1' }), false],
    ['data.json', JSON.stringify(Array.from({ length: 9000 }, (_, id) => ({ id, name: 'x' }))), false],
    ['broken.json', '{"messages": [', false],
    ['empty.json', '', false],
  ])('%s', (file, text, expected) => {
    expect(looksLikeTrace(file, head(text))).toBe(expected);
  });
});
