import { appendFile, mkdtemp, readFile as readBytes, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pointer, Session } from '../../../src/core/session.ts';
import { type LoadOptions, streamSessions } from '../../../src/input/load.ts';
import { selfAndAncestors, TextLocator } from '../../../src/input/locator.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';

/** More than is read as a whole. */
const LARGE = 4_500_000;

describe('a large JSON Lines file', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnwise-'));
    file = join(folder, 'traces.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('gives the sessions and problems in parts that it gives as a whole', async () => {
    await writeFile(file, manyLines().join('\n'));
    const [parts, whole] = [await read({ rereads: true }), await read({})];
    expect(parts.isIndexed).toBe(true);
    expect(whole.isIndexed).toBe(false);
    expect(parts.sessions).toEqual(whole.sessions);
    expect(parts.summary).toEqual(whole.summary);
    expect(parts.summary.problems.map(({ code }) => code)).toContain('duplicate-session-id');
    expect(parts.summary.problems.map(({ code }) => code)).toContain('truncated');
  });

  it.each([
    ['with a byte order mark and without an end of the last line', '\uFEFF', '\n', ''],
    ['with Windows line ends', '', '\r\n', '\r\n'],
  ])('gives the same ranges in parts as a whole, %s', async (_, before, lineEnd, after) => {
    await writeFile(file, before + manyLines().join(lineEnd) + after);
    const { sessions, locator } = await read({ rereads: true });
    const whole = new TextLocator();
    const text = (await readBytes(file, 'utf8')).replace(/^\uFEFF/, '');
    whole.addText({ file, lines: true }, text);
    const asked = [...pointersOf(sessions.slice(0, 3)), ...pointersOf(sessions.slice(-3)), '', '/1', '/99999999/x'];
    const found = locator.locate(file, asked);
    expect(found.size).toBeGreaterThan(20);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(whole.locate(file, asked)));
  });

  it('yields its first sessions before the last lines are read', async () => {
    await writeFile(file, manyLines().join('\n'));
    const stream = streamSessions([file], nodeFileSystem, { rereads: true, signal: new AbortController().signal });
    for await (const _ of stream.sessions) break;
    expect(stream.summary().unreadFiles).toBe(1);
  });

  it('is read to its first end where it grows, and has no lines where it was replaced', async () => {
    await writeFile(file, manyLines().join('\n'));
    const { sessions, locator } = await read({ rereads: true });
    const [first] = sessions;
    const pointer = first?.turns[0]?.pointer ?? '';
    await appendFile(file, '\n{"messages": []}');
    expect(locator.locate(file, [pointer]).get(pointer)?.line).toBe(1);
    await writeFile(file, 'short');
    expect(locator.locate(file, [pointer]).size).toBe(0);
  });

  it.each([
    ['has a byte that is no UTF-8', () => Buffer.concat([Buffer.from(manyLines().join('\n')), Buffer.from([0xff])])],
    ['has the messages of one conversation', () => Array.from({ length: 60_000 }, messageLine).join('\n')],
    ['has lines that end with \\r', () => manyLines().join('\r')],
  ])('is read as a whole where it %s', async (_, content) => {
    await writeFile(file, content());
    const [parts, whole] = [await read({ rereads: true }), await read({})];
    expect(parts.isIndexed).toBe(false);
    expect(parts.sessions).toEqual(whole.sessions);
    expect(parts.summary).toEqual(whole.summary);
  });

  it('is read as a whole beside a sidecar, whose values it gets', async () => {
    await writeFile(file, manyLines().join('\n'));
    await writeFile(join(folder, 'traces.turnwise.json'), '{"sessions": [{"id": "s1", "goal": "a refund"}]}');
    const { sessions } = await read({ rereads: true });
    expect(sessions.find(({ id }) => id === 's1')?.goal).toBe('a refund');
  });

  async function read(options: Partial<LoadOptions>) {
    const stream = streamSessions([file], nodeFileSystem, { ...options, signal: new AbortController().signal });
    const sessions: Session[] = [];
    for await (const session of stream.sessions) sessions.push(session);
    const { locator } = stream;
    return { sessions, locator, summary: stream.summary(), isIndexed: locator.isIndexed?.(file) ?? false };
  }
});

/** Conversations, among them broken and blank lines, ids that come again far from each other, and text in many scripts. */
function manyLines(): string[] {
  const lines: string[] = [];
  for (let length = 0, index = 0; length < LARGE; index += 1) {
    const line = index === 700 ? '{"broken": ' : index === 900 ? '' : conversationLine(index);
    lines.push(line);
    length += line.length;
  }
  lines.push(conversationLine(5));
  return lines;
}

function conversationLine(index: number): string {
  return JSON.stringify({
    id: `s${index % 2000}`,
    messages: [
      { role: 'user', content: `größe 東京 🙂 ${index} ${'text '.repeat(100)}` },
      { role: 'assistant', content: `antwort ${index}\r\n${'more '.repeat(200)}` },
    ],
  });
}

function messageLine(_: unknown, index: number): string {
  return JSON.stringify({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `message ${index} ${'x'.repeat(50)}`,
  });
}

function pointersOf(sessions: readonly Session[]): Pointer[] {
  return sessions.flatMap(({ source, turns }) =>
    [
      source.pointer,
      ...turns.flatMap(({ pointer, inputPointer, outputPointer }) => [
        pointer,
        inputPointer ?? '',
        outputPointer ?? '',
      ]),
    ].flatMap((pointer) => [...selfAndAncestors(pointer)]),
  );
}
