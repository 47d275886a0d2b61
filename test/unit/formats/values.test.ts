import { describe, expect, it } from 'vitest';
import { geminiUsage } from '../../../src/formats/chat/messages/gemini.ts';
import { stemOf, UniqueIds } from '../../../src/formats/ids.ts';
import { Problems } from '../../../src/formats/problems.ts';
import { toolsOf } from '../../../src/formats/tools.ts';
import {
  argumentsOf,
  compareStart,
  errorOf,
  isoFromSeconds,
  isoTime,
  jsonText,
  openAiUsage,
} from '../../../src/formats/values.ts';

describe('arguments', () => {
  it.each<[unknown, unknown]>([
    ['{"a": 1}', { a: 1 }],
    [' {"a": 1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    ['', {}],
    [undefined, {}],
    [null, {}],
    ['{"a": 1', '{"a": 1'],
    ['[1]', '[1]'],
    ['"{}"', '"{}"'],
    ['a=1', 'a=1'],
    [[1], '[1]'],
    [5, '5'],
  ])('%j', (value, expected) => {
    expect(argumentsOf(value)).toEqual(expected);
  });

  it('keep the key __proto__', () => {
    expect(Object.keys(argumentsOf('{"__proto__": {"a": 1}}'))).toEqual(['__proto__']);
  });
});

describe('errors in results', () => {
  it.each<[unknown, string | undefined]>([
    ['Error: user not found', 'Error: user not found'],
    ['Error fetching the page', 'Error fetching the page'],
    ['ERROR 500', 'ERROR 500'],
    ['  error: no', '  error: no'],
    ['error in the report is 3 %', undefined],
    ['Errors: none', undefined],
    ['No Error: fine', undefined],
    ['Error-free run', undefined],
    ['', undefined],
    ['{"error": "no such order"}', 'no such order'],
    ['{"error": {"message": "quota", "code": 429}}', 'quota'],
    ['{"error": {"code": 429}}', '{"error":{"code":429}}'],
    ['{"error": true, "message": "quota"}', 'quota'],
    ['{"error": null, "ok": true}', undefined],
    ['{"error": "", "ok": true}', undefined],
    ['{"error": false}', undefined],
    ['{"error": []}', undefined],
    ['{"error": {}}', undefined],
    ['{"errors": ["x"]}', undefined],
    ['{"data": {"error": "x"}}', undefined],
    ['{"status": "error", "error_message": "no"}', 'no'],
    ['{"status": "ERROR", "message": "no"}', 'no'],
    ['{"status": "error"}', '{"status":"error"}'],
    ['{"status": "processing", "note": "error"}', undefined],
    ['{"error": broken', undefined],
    ['{"content": [], "isError": true}', '{"content":[],"isError":true}'],
    ['{"is_error": true, "message": "no"}', 'no'],
    [{ error: 'no' }, 'no'],
    [{ status: 'error', errorMessage: 'no' }, 'no'],
    [
      { isError: true, content: [{ type: 'text', text: 'x' }] },
      '{"content":[{"text":"x","type":"text"}],"isError":true}',
    ],
    [{ isError: false, content: [] }, undefined],
    [{ ok: true }, undefined],
    [['Error: x'], undefined],
    [null, undefined],
    [undefined, undefined],
    [5, undefined],
  ])('%j', (result, expected) => {
    expect(errorOf(result)).toBe(expected);
  });

  it('are not searched in large texts', () => {
    const text = JSON.stringify({ error: 'x', data: 'y'.repeat(200_000) });
    expect(errorOf(text)).toBeUndefined();
  });
});

describe('tools', () => {
  const schema = { type: 'object', properties: {} };
  it.each<[string, unknown, unknown]>([
    [
      'OpenAI',
      { type: 'function', function: { name: 'f', description: 'd', parameters: schema } },
      { name: 'f', description: 'd', inputSchema: schema },
    ],
    ['bare', { name: 'f', parameters: schema }, { name: 'f', inputSchema: schema }],
    ['Anthropic', { name: 'f', input_schema: schema }, { name: 'f', inputSchema: schema }],
    ['MCP', { name: 'f', inputSchema: schema }, { name: 'f', inputSchema: schema }],
    ['custom', { type: 'custom', custom: { name: 'sql' } }, { name: 'sql' }],
    ['without a schema', { name: 'f' }, { name: 'f' }],
  ])('%s', (_, tool, expected) => {
    expect(toolsOf([tool])).toEqual([expected]);
  });

  it.each([
    [{ readOnlyHint: true }, false],
    [{ readOnlyHint: true, destructiveHint: true }, false],
    [{ readOnlyHint: false, destructiveHint: false }, true],
    [{ destructiveHint: true, idempotentHint: true }, true],
    [{ destructiveHint: false }, undefined],
    [{ title: 'Sends', idempotentHint: true }, undefined],
    [{ readOnlyHint: 'true' }, undefined],
    // What some servers write for every tool says nothing of this one.
    [{ readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }, undefined],
  ])('derives from the annotations %j whether a tool changes state: %s', (annotations, changesState) => {
    const expected = [changesState === undefined ? { name: 'a' } : { name: 'a', changesState }];
    expect(toolsOf([{ name: 'a', annotations }])).toEqual(expected);
    expect(toolsOf([{ type: 'function', function: { name: 'a' }, annotations }])).toEqual(expected);
  });

  it('without a name are skipped; a value that is not a list is not a catalogue', () => {
    expect(toolsOf([{ type: 'function' }, null, { name: '' }, 'f'])).toEqual([]);
    expect([toolsOf([]), toolsOf({}), toolsOf(undefined)]).toEqual([[], undefined, undefined]);
  });
});

describe('usage', () => {
  it("separates OpenAI's reasoning tokens from other completion tokens", () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 30,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 10 },
    };
    expect(openAiUsage(usage)).toEqual({ inputTokens: 100, outputTokens: 20, cachedTokens: 40, reasoningTokens: 10 });
    expect(openAiUsage({ input_tokens: 1, output_tokens: 2 })).toEqual({ inputTokens: 1, outputTokens: 2 });
    expect([openAiUsage(null), openAiUsage({ total_tokens: 3 })]).toEqual([undefined, undefined]);
  });

  it("keeps Gemini's thought tokens, which candidate tokens do not include", () => {
    const usage = {
      prompt_token_count: 100,
      candidates_token_count: 10,
      thoughts_token_count: 5,
      cached_content_token_count: 50,
      tool_use_prompt_token_count: 7,
    };
    expect(geminiUsage(usage)).toEqual({
      inputTokens: 100,
      outputTokens: 10,
      cachedTokens: 50,
      reasoningTokens: 5,
      toolPromptTokens: 7,
    });
    expect(geminiUsage({ promptTokenCount: 1, candidatesTokenCount: '2' })).toEqual({
      inputTokens: 1,
      outputTokens: 0,
    });
    expect(geminiUsage('x')).toBeUndefined();
  });
});

describe('times', () => {
  it.each([
    ['2026-02-23T10:00:00.000Z', true],
    ['2026-02-23T10:00:00+02:00', true],
    ['2026-02-23 10:00', true],
    ['2026-99-99T10:00:00Z', false],
    ['yesterday', false],
    ['1', false],
    [1, false],
  ])('%j', (value, valid) => {
    expect(isoTime(value)).toBe(valid ? value : undefined);
  });

  it('may be seconds within the range of dates', () => {
    expect(isoFromSeconds(1772000000.5)).toBe('2026-02-25T06:13:20.500Z');
    expect([isoFromSeconds(1e300), isoFromSeconds('1'), isoFromSeconds(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are compared by start, with missing ones last', () => {
    const [a, b, none] = [{ startedAt: '2026-01-01T00:00:00+02:00' }, { startedAt: '2025-12-31T23:00:00Z' }, {}];
    expect([none, b, a].toSorted(compareStart)).toEqual([a, b, none]);
  });
});

it.each([
  ['runs/a.trace.json', 'a'],
  ['C:\\runs\\a.session.json', 'a'],
  ['a.task01-trial0.json', 'a.task01-trial0'],
  ['conv.evalset.json', 'conv'],
  ['a.jsonl', 'a'],
  ['a', 'a'],
  ['-', 'stdin'],
  ['.json', '.json'],
  ['', 'session'],
])('the stem of %s is %s', (file, stem) => {
  expect(stemOf(file)).toBe(stem);
});

it('ids are unique, even next to ids with a number suffix', () => {
  const ids = new UniqueIds();
  expect(['a', 'a#2', 'a', 'a', 'b'].map((id) => ids.claim(id))).toEqual(['a', 'a#2', 'a#3', 'a#4', 'b']);
});

it('JSON text does not depend on key order, and is empty for deep nesting', () => {
  expect(jsonText({ b: 1, a: [{ d: 1, c: null }] })).toBe('{"a":[{"c":null,"d":1}],"b":1}');
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(jsonText(deep)).toBe('');
});

it('a repeated problem is listed twenty times and then counted', () => {
  const problems = new Problems('x.json');
  for (let index = 0; index < 1000; index += 1) problems.warn('odd', `/${index}`, 'This is odd.');
  problems.error('lost', '', 'This is lost.');
  const list = problems.list();
  expect(list).toHaveLength(22);
  expect(list.at(-1)).toMatchObject({ severity: 'warning', code: 'odd', file: 'x.json', pointer: null });
  expect(list.at(-1)?.message).toContain('980 more');
});
