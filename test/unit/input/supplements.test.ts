import { describe, expect, it } from 'vitest';
import { parseContext, parseTools } from '../../../src/input/supplements.ts';
import { bytesOf } from './memory-file-system.ts';

const tools = (text: string) => parseTools('tools.json', bytesOf(text));
const context = (text: string, file = 'context.json') => parseContext(file, bytesOf(text));

describe('a --tools file', () => {
  it.each([
    [
      'OpenAI',
      '[{"type": "function", "function": {"name": "a", "description": "d", "parameters": {"type": "object"}}}]',
    ],
    ['Anthropic', '[{"name": "a", "description": "d", "input_schema": {"type": "object"}}]'],
    ['Turnwise', '{"tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}}]}'],
    ['JSON Lines', '{"name": "a", "description": "d", "inputSchema": {"type": "object"}}\n{"name": "b"'],
  ])('accepts %s', (_, text) => {
    expect(tools(text).value).toEqual([{ name: 'a', description: 'd', inputSchema: { type: 'object' } }]);
  });

  it('may say which tools change state', () => {
    expect(tools('[{"name": "a", "changesState": true}]').value).toEqual([{ name: 'a', changesState: true }]);
    expect(tools('[{"name": "a", "changesState": false}]').value).toEqual([{ name: 'a', changesState: false }]);
  });

  it('skips entries that are not tools, with a warning and its line', () => {
    expect(tools('[{"name": "a"},\n 7]')).toEqual({
      value: [{ name: 'a' }],
      problems: [expect.objectContaining({ severity: 'warning', code: 'tool-without-name', pointer: '/1', line: 2 })],
    });
  });

  it.each([
    ['{"name": "a"}', 'no-tools', 1],
    ['{\n"tools": {}}', 'no-tools', 2],
    ['[\n', 'truncated', 1],
    ['', 'empty-file', null],
  ])('is rejected: %j', (text, code, line) => {
    expect(tools(text)).toMatchObject({
      value: null,
      problems: [{ severity: 'error', file: 'tools.json', code, line }],
    });
  });

  it('accepts a catalogue of OpenAI functions', () => {
    const parameters = { type: 'object', properties: { user_id: { type: 'string' } }, required: ['user_id'] };
    const names = ['book_reservation', 'cancel_reservation'];
    const list = names.map((name) => ({ type: 'function', function: { name, description: 'Does it.', parameters } }));
    expect(tools(JSON.stringify(list))).toEqual({
      value: names.map((name) => ({ name, description: 'Does it.', inputSchema: parameters })),
      problems: [],
    });
  });
});

describe('a --context file', () => {
  it('has a goal, a policy and knowledge', () => {
    const { value, problems } = context('{"goal": "g", "policy": "p", "knowledge": "k"}');
    expect({ value, problems }).toEqual({ value: { goal: 'g', system: 'p', knowledge: ['k'] }, problems: [] });
  });

  it('warns of an unknown key', () => {
    expect(context('{"goal": "g",\n "polcy": "p"}')).toMatchObject({
      value: { goal: 'g' },
      problems: [{ severity: 'warning', code: 'unknown-key', pointer: '/polcy', line: 2 }],
    });
  });

  it('is rejected when a value has the wrong type', () => {
    expect(context('{"goal":\n 1}')).toMatchObject({
      value: null,
      problems: [{ severity: 'error', code: 'invalid-value', pointer: '/goal', line: 2 }],
    });
  });

  it('may be a policy in Markdown', () => {
    expect(context('# Policy\n\nBe kind.', 'policy.md').value).toEqual({ system: '# Policy\n\nBe kind.' });
    expect(parseContext('policy.md', new Uint8Array([0xff, 0xfe, 0, 0])).problems).toMatchObject([
      { code: 'not-text' },
    ]);
  });
});
