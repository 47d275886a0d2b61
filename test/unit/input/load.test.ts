import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/core/document.ts';
import { get, getArray } from '../../../src/core/json.ts';
import type { Session } from '../../../src/core/session.ts';
import type { Format, ReadResult } from '../../../src/formats/format.ts';
import { FileTooLarge } from '../../../src/input/file-system.ts';
import { type LoadOptions, load, streamSessions } from '../../../src/input/load.ts';
import { memoryFileSystem, systemError } from './memory-file-system.ts';
import { plainFormat } from './plain-format.ts';

const FORMATS_FOLDER = join(import.meta.dirname, '..', '..', 'fixtures', 'formats');

const trace = (...ids: string[]) => JSON.stringify({ sessions: ids.map((id) => ({ id, turns: ['hello'] })) });

function loaded(
  inputs: readonly string[],
  entries: Parameters<typeof memoryFileSystem>[0],
  options: Partial<LoadOptions> = {},
) {
  return load(inputs, memoryFileSystem(entries), { signal: new AbortController().signal, ...options }, [plainFormat]);
}

const ids = (sessions: readonly Session[]) => sessions.map(({ id }) => id);

describe('inputs', () => {
  it('are read in order, and by name within a folder', async () => {
    const entries = {
      'b/2.json': trace('b2'),
      'b/10.json': trace('b10'),
      'b/1/z.json': trace('b1z'),
      'a.json': trace('a'),
      'c.json': trace('c'),
    };
    const { sessions, files } = await loaded(['c.json', 'b', 'a.json'], entries);
    expect(ids(sessions)).toEqual(['c', 'b1z', 'b10', 'b2', 'a']);
    expect(files.map(({ file }) => file)).toEqual(['c.json', 'b/1/z.json', 'b/10.json', 'b/2.json', 'a.json']);
  });

  it('are each read once', async () => {
    const { sessions } = await loaded(['a.json', './a.json', '.', 'a.json'], { 'a.json': trace('a') });
    expect(ids(sessions)).toEqual(['a']);
  });

  it('ignore sidecars, configurations, node_modules and other kinds of files', async () => {
    const entries = {
      'a.json': trace('a'),
      'b.JSONL': '{"id": "b", "turns": ["x"]}\n',
      'c.traj': trace('c'),
      'node_modules/d.json': trace('d'),
      '.cache/e.json': trace('e'),
      'sub/node_modules/f.json': trace('f'),
      'a.turnwise.json': '{}',
      'turnwise.config.json': '{}',
      'test_config.json': '{}',
      'notes.txt': 'text',
    };
    const { sessions, files, problems } = await loaded(['.'], entries);
    expect(ids(sessions)).toEqual(['a', 'b', 'c']);
    expect(files).toHaveLength(3);
    expect(problems).toEqual([]);
  });

  it('include a dot folder that the user names', async () => {
    const { sessions } = await loaded(['.agentest/'], { '.agentest/results.json': trace('a') });
    expect(sessions[0]?.source.file).toBe('.agentest/results.json');
  });

  it('may be standard input', async () => {
    const stdin = async () => new TextEncoder().encode(trace('a'));
    const { sessions } = await loaded(['-'], {}, { stdin });
    expect(sessions[0]?.source).toEqual({ file: '-', format: 'plain', pointer: '/sessions/0' });
  });

  it('report a missing file and read the others', async () => {
    const { sessions, problems } = await loaded(['gone.json', 'a.json'], { 'a.json': trace('a') });
    expect(ids(sessions)).toEqual(['a']);
    expect(problems).toMatchObject([{ file: 'gone.json', severity: 'error', code: 'not-found' }]);
  });

  it('report an unreadable file and read the others', async () => {
    const entries = { 'a.json': trace('a'), 'secret.json': systemError('EACCES'), 'z.json': trace('z') };
    const { sessions, problems, files } = await loaded(['.'], entries);
    expect(ids(sessions)).toEqual(['a', 'z']);
    expect(problems).toMatchObject([{ file: 'secret.json', severity: 'error', code: 'unreadable' }]);
    expect(problems[0]?.message).toContain('permission denied');
    expect(files[1]).toMatchObject({ file: 'secret.json', format: null, skipped: false });
  });

  it('report a folder that disappears', async () => {
    const files = memoryFileSystem({ 'a.json': trace('a'), 'sub/b.json': trace('b') });
    const vanishing = {
      ...files,
      list: async (path: string) => (path === 'sub' ? Promise.reject(systemError('ENOENT')) : files.list(path)),
    };
    const { sessions, problems } = await load(['.'], vanishing, { signal: new AbortController().signal }, [
      plainFormat,
    ]);
    expect(ids(sessions)).toEqual(['a']);
    expect(problems).toMatchObject([{ file: 'sub', severity: 'error', code: 'unreadable' }]);
  });

  it('report a file that is too large', async () => {
    const files = memoryFileSystem({ 'a.json': new FileTooLarge(600 * 2 ** 20) });
    const { problems } = await load(['a.json'], files, { signal: new AbortController().signal }, [plainFormat]);
    expect(problems).toMatchObject([{ file: 'a.json', severity: 'error', code: 'too-large' }]);
    expect(problems[0]?.message).toContain('600 MB');
  });

  it('call onFile after each file', async () => {
    const messages: string[] = [];
    await loaded(['.'], { 'a.json': trace('a'), 'b.json': '{}' }, { onFile: (file) => messages.push(file) });
    expect(messages).toEqual(['a.json', 'b.json']);
  });

  it('reject only when they are aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const onFile = () => controller.abort(reason);
    const reading = loaded(
      ['.'],
      { 'a.json': trace('a'), 'b.json': trace('b') },
      { signal: controller.signal, onFile },
    );
    await expect(reading).rejects.toBe(reason);
  });
});

describe('a file that is not a trace', () => {
  it('is skipped when it was found in a folder', async () => {
    const entries = {
      'a.json': trace('a'),
      'package.json': '{"name": "x", "version": "1"}',
      'tsconfig.json': '// comments\n{"a": 1}',
    };
    const { problems, files } = await loaded(['.'], entries);
    expect(problems).toEqual([]);
    expect(files.slice(1)).toEqual([
      {
        file: 'package.json',
        format: null,
        reason: 'it is an object with the keys "name", "version"',
        skipped: true,
        sessions: 0,
        turns: 0,
        calls: 0,
      },
      expect.objectContaining({ file: 'tsconfig.json', skipped: true, reason: 'JSON with comments' }),
    ]);
  });

  it.each([
    ['{"name": "x"}', 'an object with the key "name"'],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}', '"e" and 2 more'],
    ['{}', 'an empty object'],
    ['[]', 'an empty list'],
    ['[{"id": 1}]', 'its first entry is an object with the key "id"'],
    ['[[1]]', 'its first entry is a list'],
    ['null', 'it is null'],
    ['42', 'it is a number'],
    ['{"a": 1}\n{"a": 2}', 'it is JSON Lines, and its first entry is an object with the key "a"'],
  ])('is an error when the user named it: %s', async (text, seen) => {
    const { problems, files } = await loaded(['x.json', 'a.json'], { 'x.json': text, 'a.json': trace('a') });
    expect(problems).toMatchObject([{ file: 'x.json', severity: 'error', code: 'no-trace', line: 1 }]);
    expect(problems[0]?.message).toContain(seen);
    expect(problems[0]?.message).toContain('"map" in the configuration');
    expect(files).toMatchObject([
      { format: null, skipped: false },
      { format: 'plain', reason: 'it has sessions', sessions: 1, turns: 1, calls: 0 },
    ]);
  });

  it.each([[['x.json', '.']], [['.', './x.json']]])(
    'is an error when it was named as well as found: %j',
    async (inputs) => {
      const { problems } = await loaded(inputs, { 'x.json': '{}', 'a.json': trace('a') });
      expect(problems).toMatchObject([{ severity: 'error', code: 'no-trace' }]);
    },
  );

  it('is an error when it is broken, even in a folder', async () => {
    const { problems, files } = await loaded(['.'], { 'a.json': trace('a'), 'b.json': '{"sessions": [' });
    expect(problems).toMatchObject([{ file: 'b.json', severity: 'error', code: 'truncated', line: 1 }]);
    expect(files[1]).toMatchObject({ format: null, skipped: false });
  });

  it('leaves a warning when it is the only input', async () => {
    expect((await loaded(['.'], { 'a.json': '{}' })).problems).toMatchObject([
      { severity: 'warning', code: 'no-sessions' },
    ]);
    expect((await loaded(['.'], { 'a.txt': '' })).problems[0]?.message).toContain('no file was found');
  });

  it('is not an error when it is a sidecar or a configuration', async () => {
    const entries = { 'a.json': trace('a'), 'a.turnwise.json': '{}', 'test_config.json': '{"criteria": {}}' };
    const { problems, files } = await loaded(['a.json', 'a.turnwise.json', 'test_config.json'], entries);
    expect(problems).toEqual([]);
    expect(files.slice(1)).toMatchObject([{ skipped: true }, { skipped: true }]);
  });

  it('is read as the requested format', async () => {
    const { problems, files } = await loaded(['a.json'], { 'a.json': '{"id": 1}' }, { format: 'plain' });
    expect(files).toMatchObject([{ format: 'plain', reason: 'as requested', sessions: 0 }]);
    expect(problems).toMatchObject([{ code: 'no-sessions' }]);
  });

  it('is an error for an unknown requested format', async () => {
    const { problems } = await loaded(['a.json'], { 'a.json': trace('a') }, { format: 'plane' });
    expect(problems).toMatchObject([{ severity: 'error', code: 'unknown-format' }]);
    expect(problems[0]?.message).toContain('plain');
  });
});

describe('sessions', () => {
  it('with the same id are renamed, with a warning each', async () => {
    const { sessions, problems } = await loaded(['a.json', 'b.json'], {
      'a.json': trace('s', 's#2'),
      'b.json': trace('s', 't'),
    });
    expect(ids(sessions)).toEqual(['s', 's#2', 's#3', 't']);
    expect(problems).toMatchObject([
      { file: 'b.json', pointer: '/sessions/0', line: 1, severity: 'warning', code: 'duplicate-session-id' },
    ]);
  });

  it('get the supplied tools and context that they lack', async () => {
    const text = '{"sessions": [{"id": "a", "turns": [], "goal": "its own"}, {"id": "b", "turns": []}]}';
    const tools = [{ name: 'search' }];
    const context = { goal: 'given', system: 'policy', knowledge: ['fact'] };
    const { sessions } = await loaded(['a.json'], { 'a.json': text }, { tools, context });
    expect(sessions).toMatchObject([
      { goal: 'its own', system: 'policy', knowledge: ['fact'], tools },
      { goal: 'given', system: 'policy', knowledge: ['fact'], tools },
    ]);
  });

  it('are paired with cases of evaluation sets; a warning names cases without a run', async () => {
    const cases = '{"cases": [{"id": "run", "turns": ["hello"]},\n {"id": "never", "turns": ["what"]}]}';
    const { sessions, problems, files } = await loaded(['cases.json', 'a.json'], {
      'cases.json': cases,
      'a.json': trace('run'),
    });
    expect(sessions).toMatchObject([{ id: 'run', turns: [{ output: 'answer', reference: { response: 'HELLO' } }] }]);
    expect(problems).toMatchObject([
      {
        file: 'cases.json',
        line: 2,
        severity: 'warning',
        code: 'unpaired-case',
        message: '1 of 2 cases have no run among the inputs and are left out: "never".',
      },
    ]);
    expect(files[0]).toMatchObject({ format: 'plain', sessions: 2, turns: 2 });
  });

  it('of several files are joined by their id, with their turns in the order of their start', async () => {
    const whole = JSON.parse(readFileSync(join(FORMATS_FOLDER, 'pandaprobe-traces.json'), 'utf8'));
    const list: readonly unknown[] = Array.isArray(whole)
      ? whole
      : (getArray(whole, 'traces') ?? getArray(whole, 'items') ?? []);
    expect(list).toHaveLength(2);
    const entries = Object.fromEntries(list.map((item, index) => [`turn-${index + 1}.json`, JSON.stringify(item)]));
    const { sessions, locator } = await load(['.'], memoryFileSystem(entries), {
      signal: new AbortController().signal,
    });
    expect(sessions).toHaveLength(1);
    const [joined] = sessions;
    expect(joined?.source.file).toBe('turn-1.json');
    expect(joined?.turns.map(({ file }) => file)).toEqual(['turn-2.json', undefined]);
    const first = joined?.turns[0];
    expect(locator.locate(first?.file ?? '', [first?.outputPointer ?? '']).size).toBe(1);
  });

  it('are read although the reader of another file throws', async () => {
    const failing = {
      ...plainFormat,
      read: () => {
        throw new RangeError('Maximum call stack size exceeded');
      },
      detect: (document: Parameters<typeof plainFormat.detect>[0]) => (document.file === 'x.json' ? 'it is x' : null),
    };
    const files = memoryFileSystem({ 'x.json': '{}', 'a.json': trace('a') });
    const { sessions, problems } = await load(['.'], files, { signal: new AbortController().signal }, [
      failing,
      plainFormat,
    ]);
    expect(ids(sessions)).toEqual(['a']);
    expect(problems).toMatchObject([{ file: 'x.json', severity: 'error', code: 'reader-failed' }]);
  });
});

describe('the locator', () => {
  it('finds pointers in the text without its byte order mark', async () => {
    const text = '\uFEFF{\n  "sessions": [\n    {"id": "a", "turns": ["hello"]}]}';
    const { locator, sessions } = await loaded(['a.json'], { 'a.json': text });
    const pointer = sessions[0]?.turns[0]?.pointer ?? '';
    const position = locator.locate('a.json', [pointer]).get(pointer);
    expect(position).toMatchObject({ line: 3, column: 27, endLine: 3, endColumn: 34 });
    expect(text.slice(1).substring(position?.offset ?? 0)).toMatch(/^"hello"/);
    expect(locator.locate('b.json', [pointer]).size).toBe(0);
  });

  it('counts lines of JSON Lines', async () => {
    const text = '{"id": "a", "turns": ["x"]}\noops\n{"id": "b", "turns": ["y", "z"]}\n';
    const { locator, sessions } = await loaded(['a.jsonl'], { 'a.jsonl': text });
    const pointer = sessions[1]?.turns[1]?.pointer ?? '';
    expect(locator.locate('a.jsonl', [pointer]).get(pointer)).toMatchObject({ line: 3, column: 28 });
  });
});

describe('streaming', () => {
  /** What happens, in order: files that are read to the end, and sessions that are given out. */
  async function eventsOf(
    entries: Readonly<Record<string, string>>,
    formats: readonly Format[] = [plainFormat],
  ): Promise<string[]> {
    const events: string[] = [];
    const { sessions } = streamSessions(
      ['.'],
      memoryFileSystem(entries),
      { signal: new AbortController().signal, onFile: (file) => events.push(file) },
      formats,
    );
    for await (const { id } of sessions) events.push(id);
    return events;
  }

  it('gives the sessions of a file before it reads the next one', async () => {
    const entries = { '1.json': trace('a', 'b'), '2.json': trace('c'), '3.json': trace('d') };
    expect(await eventsOf(entries)).toEqual(['1.json', 'a', 'b', '2.json', 'c', '3.json', 'd']);
  });

  it('waits for the last evaluation set, and no longer', async () => {
    const cases = JSON.stringify({ cases: [] });
    const entries = { '1.json': trace('a'), '2.json': cases, '3.json': trace('c'), '4.json': trace('d') };
    expect(await eventsOf(entries)).toEqual(['1.json', '2.json', 'a', '3.json', 'c', '4.json', 'd']);
  });

  it('waits for all files when cases are expected, since any session may be a run of them', async () => {
    const cases = JSON.stringify({ cases: [{ id: 'c', turns: ['hello'] }] });
    const entries = { '1.json': trace('a'), '2.json': cases, '3.json': trace('c') };
    expect(await eventsOf(entries)).toEqual(['1.json', '2.json', '3.json', 'a', 'c']);
  });

  it('waits for all files when sessions are joined by their id', async () => {
    const entries = { '1.json': trace('a'), '2.json': trace('b'), '3.json': trace('a') };
    const joining = { ...plainFormat, joins: 'session-id' } as const;
    expect(await eventsOf(entries, [joining])).toEqual(['1.json', '2.json', '3.json', 'a', 'b']);
  });

  it('holds back what follows a session that is not complete, to keep the order of inputs', async () => {
    const first = { ...plainFormat, name: 'joined', joins: 'session-id' as const, detect: joinedOnly };
    const entries = { '1.json': trace('a'), '2.json': JSON.stringify({ joined: true, sessions: [] }) };
    expect(await eventsOf(entries, [first, plainFormat])).toEqual(['1.json', 'a', '2.json']);

    const joined = JSON.stringify({ joined: true, sessions: [{ id: 'b', turns: ['x'] }] });
    const more = { '1.json': trace('a'), '2.json': joined, '3.json': trace('c') };
    const renamed = { ...first, read: (document: Document) => renameFormat(first.read(document)) };
    expect(await eventsOf(more, [renamed, plainFormat])).toEqual(['1.json', 'a', '2.json', '3.json', 'b', 'c']);
  });

  it('waits for the log of a sub-agent', async () => {
    const sessions = ['a', 'b', 'c'].map((id) => JSON.parse(trace(id)).sessions[0]);
    const files = Object.fromEntries(
      sessions.map((session, index) => [`${index}.json`, JSON.stringify({ sessions: [session] })]),
    );
    const format: Format = {
      ...plainFormat,
      read: (document) => {
        const { sessions: read, problems } = plainFormat.read(document);
        return {
          problems,
          sessions: read.map((session) => (session.id === 'b' ? startingSubAgent(session) : session)),
        };
      },
    };
    expect(await eventsOf(files, [format])).toEqual(['0.json', 'a', '1.json', '2.json', 'b', 'c']);
  });

  it('numbers repeated ids in input order, across files', async () => {
    const entries = { '1.json': trace('a'), '2.json': trace('a'), '3.json': trace('a') };
    expect((await eventsOf(entries)).filter((event) => !event.endsWith('.json'))).toEqual(['a', 'a#2', 'a#3']);
  });

  function joinedOnly(document: Document): string | null {
    return get(document.value, 'joined') === true ? 'it is to be joined' : null;
  }

  function renameFormat(result: ReadResult): ReadResult {
    const sessions = result.sessions.map((session) => ({
      ...session,
      source: { ...session.source, format: 'joined' },
    }));
    return { ...result, sessions };
  }

  function startingSubAgent(session: Session): Session {
    const step = { type: 'agent', name: 'helper', id: 'call-1', pointer: '', turns: [] } as const;
    return { ...session, turns: session.turns.map((turn) => ({ ...turn, steps: [step] })) };
  }
});
