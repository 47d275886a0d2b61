import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/core/session.ts';
import { load } from '../../src/input/load.ts';
import { bytesOf, memoryFileSystem, systemError } from '../unit/input/memory-file-system.ts';

const GOOD = '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]';

/** What a bad file gives when a good one is read after it. */
async function beside(bad: string | Uint8Array | Error, file = 'bad.json') {
  const files = memoryFileSystem({ [file]: bad, 'good.json': GOOD });
  const loaded = await load([file, 'good.json'], files, { signal: new AbortController().signal });
  const good = loaded.sessions.find(({ source }) => source.file === 'good.json');
  expect(good?.turns).toMatchObject([{ input: 'Hi', output: 'Hello' }]);
  return { ...loaded, sessions: loaded.sessions.filter((session) => session !== good) };
}

const edge = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/edge', name));

describe('an unreadable file is one error, and other files are read', () => {
  it.each<[string, string | Uint8Array | Error, string, number | null]>([
    ['empty', edge('empty.json'), 'empty-file', null],
    ['null', edge('null.json'), 'no-trace', 1],
    ['truncated', edge('truncated.json'), 'truncated', 1],
    ['truncated over lines', '[\r\n{"role": "user",\r\n"content": "Hi"},\r\n', 'truncated', 3],
    ['NaN', '[{"role": "user", "content": "Hi"},\n{"role": "assistant", "content": NaN}]', 'not-a-number', 2],
    ['Infinity', '[{"role": "user", "content": "Hi",\n"score": -Infinity}]', 'not-a-number', 2],
    ['100,000 levels deep', `{"messages": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'too-deep', 1],
    ['100,000 levels deep, and truncated', '[\n'.repeat(100_000), 'too-deep', 1001],
    ['unreadable', systemError('EACCES'), 'unreadable', null],
    ['gone', systemError('ENOENT'), 'unreadable', null],
    ['a binary', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0xff]), 'not-text', null],
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0]), 'not-text', null],
    ['text with zero bytes', 'PK\0\0list', 'not-text', null],
    ['packed', new Uint8Array([0x1f, 0x8b, 8, 0, 0]), 'not-text', null],
    ['Latin-1', new Uint8Array([...bytesOf('[\n"caf'), 0xe9, ...bytesOf('"]')]), 'not-utf-8', 2],
    ['not JSON', 'Traceback (most recent call last):\n', 'invalid-json', 1],
    ['another kind of JSON', '{"name": "x", "version": "1.0.0"}', 'no-trace', 1],
  ])('%s', async (_, content, code, line) => {
    const { sessions, problems } = await beside(content);
    expect(sessions).toEqual([]);
    expect(problems).toMatchObject([{ file: 'bad.json', severity: 'error', code, line }]);
    // A sentence that says what to do.
    expect(problems[0]?.message).toMatch(/^[A-Z].*[.)]$/s);
  });

  it('a folder of unreadable files', async () => {
    const files = memoryFileSystem({
      'bad/1.json': '',
      'bad/2.json': '[1',
      'bad/3.json': systemError('EPERM'),
      'bad/4.jsonl': '{"role": "user", "content": "Hi"}\n{oops\n',
      'bad/5.json': 'null',
      'bad/6.json': GOOD,
    });
    const { sessions, problems } = await load(['bad'], files, { signal: new AbortController().signal });
    expect(sessions.map(({ source }) => source.file)).toEqual(['bad/4.jsonl', 'bad/6.json']);
    expect(problems.map(({ file, line, severity }) => [file, line, severity])).toEqual([
      ['bad/1.json', null, 'error'],
      ['bad/2.json', 1, 'error'],
      ['bad/3.json', null, 'error'],
      ['bad/4.jsonl', 2, 'error'],
    ]);
  });
});

describe('the valid parts of a file are read', () => {
  const texts = (sessions: readonly Session[]) =>
    sessions.map(({ turns }) => turns.map(({ input, output }) => [input, output]));

  it('after a byte order mark', async () => {
    const { sessions, problems, locator } = await beside(edge('bom.json'));
    expect(texts(sessions)).toEqual([[['hi', 'done']]]);
    expect(problems).toEqual([]);
    expect(locator.locate('bad.json', ['/0']).get('/0')).toMatchObject({ offset: 1, line: 1, column: 2 });
  });

  it('around a broken line, with \\r\\n', async () => {
    const { sessions, problems, locator } = await beside(edge('crlf-one-bad-line.jsonl'), 'bad.jsonl');
    expect(texts(sessions)).toEqual([[['a', 'b']]]);
    expect(problems).toMatchObject([{ file: 'bad.jsonl', severity: 'error', code: 'invalid-json', line: 2 }]);
    const pointer = sessions[0]?.turns[0]?.outputPointer ?? '';
    expect(locator.locate('bad.jsonl', [pointer]).get(pointer)).toMatchObject({ line: 3 });
  });

  it('around wrong types', async () => {
    const messages = [
      '{"role": "user", "content": "Hi"}',
      '{"role": "assistant", "content": "Hello"}',
      '{"role": "user", "content": "And?"}',
      '7',
      'null',
      '{"role": 1, "content": []}',
      '{"role": "assistant", "content": {"a": 1}, "tool_calls": "x"}',
      '{"role": "assistant", "content": "Bye"}',
    ];
    const { sessions, problems } = await beside(`[${messages.join(',\n')}]`);
    expect(texts(sessions)).toEqual([
      [
        ['Hi', 'Hello'],
        ['And?', 'Bye'],
      ],
    ]);
    expect(problems.length).toBeGreaterThan(0);
    for (const { severity, file, line } of problems) {
      expect({ severity, file }).toEqual({ severity: 'warning', file: 'bad.json' });
      expect(line).toBeGreaterThan(1);
    }
  });

  const own = (id: string) =>
    `{"turnwise": 1, "sessions": [\n{"id": ${id}, "turns": [{"input": "Hi", "output": "Hello"}]}]}`;

  it('with ids that occur in other files', async () => {
    const files = memoryFileSystem({ 'a.json': own('"same"'), 'b.json': own('"same"') });
    const { sessions, problems } = await load(['.'], files, { signal: new AbortController().signal });
    expect(sessions.map(({ id }) => id)).toEqual(['same', 'same#2']);
    expect(problems).toMatchObject([{ file: 'b.json', severity: 'warning', code: 'duplicate-session-id', line: 2 }]);
  });

  it('with exact 128-bit ids', async () => {
    const { sessions } = await beside(own('299736297362973629736297362973629736297'));
    expect(sessions.map(({ id }) => id)).toEqual(['299736297362973629736297362973629736297']);
  });

  it('with keys such as __proto__', async () => {
    const call =
      '{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\\"__proto__\\": {\\"polluted\\": 1}}"}}';
    const text = `[{"role": "user", "content": "Hi", "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}},
      {"role": "assistant", "content": null, "tool_calls": [${call}], "hasOwnProperty": 1, "toString": null},
      {"role": "tool", "tool_call_id": "c", "content": "ok"}, {"role": "assistant", "content": "Done", "__proto__": null}]`;
    const { sessions } = await beside(text);
    expect(texts(sessions)).toEqual([[['Hi', 'Done']]]);
    expect({}).not.toHaveProperty('polluted');
    const [step] = sessions[0]?.turns[0]?.steps.filter(({ type }) => type === 'tool') ?? [];
    expect(Object.keys(step?.type === 'tool' ? step.arguments : {})).toEqual(['__proto__']);
  });

  it('with lone surrogates', async () => {
    const { sessions, locator } = await beside(
      '[{"role": "user", "content": "\\ud800 \\udc00"}, {"role": "assistant", "content": "ok"}]',
    );
    expect(texts(sessions)).toEqual([[['\ud800 \udc00', 'ok']]]);
    expect(locator.locate('bad.json', ['/1/content']).size).toBe(1);
  });

  it('with a string of 200 MB', async () => {
    const head = bytesOf('[{"role": "user", "content": "');
    const tail = bytesOf('"},\n{"role": "assistant", "content": "ok"}]');
    const size = 200 * 2 ** 20;
    const bytes = new Uint8Array(head.length + size + tail.length).fill(0x61);
    bytes.set(head);
    bytes.set(tail, head.length + size);
    const { sessions, problems, locator } = await beside(bytes);
    expect(problems).toEqual([]);
    expect(sessions[0]?.turns[0]?.input?.length).toBe(size);
    expect(locator.locate('bad.json', ['/1']).get('/1')).toMatchObject({ line: 2, column: 1 });
  });
});

describe('arbitrary content', () => {
  const options = { signal: new AbortController().signal };

  it('JSON does not affect the other file', async () => {
    const role = fc.constantFrom('user', 'assistant', 'tool', 'system', 'x');
    const message = fc.record(
      { role, content: fc.jsonValue(), tool_calls: fc.jsonValue() },
      { requiredKeys: ['role'] },
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(message),
      fc.record({ messages: fc.array(fc.oneof(message, fc.jsonValue())) }),
    );
    await fc.assert(
      fc.asyncProperty(value, async (item) => {
        const { sessions, problems } = await beside(JSON.stringify(item));
        expect(sessions.length + problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  it('bytes do not affect the other file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const { problems } = await beside(bytes);
        expect(problems).toMatchObject([{ file: 'bad.json', severity: 'error' }]);
      }),
    );
  });

  it('a sidecar does not affect its trace', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom('goal', 'turns', 'sessions', 'tools', 'labels'),
        async (item, key) => {
          const files = memoryFileSystem({ 'a.json': GOOD, 'a.turnwise.json': JSON.stringify({ [key]: item }) });
          expect((await load(['.'], files, options)).sessions).toHaveLength(1);
        },
      ),
    );
  });
});

describe('files that look like traces', () => {
  // The keys of traces are words of a vocabulary too.
  const words = ['messages', 'spans', 'batches', 'turns', 'role', 'content', 'trace_id', 'events', 'history'];
  const vocabulary = {
    version: '1.0',
    model: { type: 'BPE', vocab: Object.fromEntries(words.map((key, id) => [key, id])) },
  };
  const entries = {
    'data/package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts: { test: 'x' }, dependencies: {} }),
    'data/vocabulary.json': JSON.stringify(vocabulary),
    'data/words.json': JSON.stringify(Object.fromEntries(words.map((key, id) => [key, id]))),
  };
  const options = { signal: new AbortController().signal };

  it('are skipped in a folder', async () => {
    const { sessions, files, problems } = await load(['data'], memoryFileSystem(entries), options);
    expect(sessions).toEqual([]);
    expect(files.filter(({ skipped }) => skipped).map(({ file }) => file)).toEqual(Object.keys(entries));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each(Object.keys(entries))('are an error when they are named: %s', async (name) => {
    const { problems } = await load([name], memoryFileSystem(entries), options);
    expect(problems).toMatchObject([{ severity: 'error', code: 'no-trace', line: 1 }]);
  });
});
