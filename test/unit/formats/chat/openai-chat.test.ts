import { describe, expect, it } from 'vitest';
import { openAiChat } from '../../../../src/formats/chat/openai-chat.ts';
import { codes, fixture, json, jsonLines, onlySession, read } from '../read-fixture.ts';

const messages = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: 'hello' },
];

describe('sessions', () => {
  it("a single list has the file's name as id", () => {
    const session = onlySession(openAiChat.read(json(messages, 'runs/refund.trace.json')));
    expect(session.id).toBe('refund');
    expect(session.source).toEqual({ file: 'runs/refund.trace.json', format: 'openai-chat', pointer: '' });
  });

  it.each([
    [{ messages, id: 'a' }, 'a'],
    [{ messages, id: '', session_id: 'b' }, 'b'],
    [{ messages, conversation_id: 7 }, '7'],
    [{ conversation: messages, id: 'c' }, 'c'],
    [{ history: messages }, 'some'],
  ])('an object %j has the id %s', (body, id) => {
    expect(onlySession(read(json(body))).id).toBe(id);
  });

  it('lines are conversations with numbers and pointers', () => {
    const reading = read(fixture('openai-chat-finetune.jsonl'));
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['line-1', '/0'],
      ['legacy', '/1'],
    ]);
    expect(reading.sessions[1]?.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
    expect(reading.sessions[1]?.turns[0]?.pointer).toBe('/1/messages/1');
  });

  it('blank and broken lines keep the numbers of the others', () => {
    const reading = read(jsonLines([undefined, { messages }, undefined, { messages }, messages]));
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['line-2', '/1'],
      ['line-4', '/3'],
      ['line-5', '/4'],
    ]);
    expect(reading.problems).toEqual([]);
  });

  it('conversations in a list are numbered after the file', () => {
    expect(read(json([{ messages }, { messages }], 'all.json')).sessions.map(({ id }) => id)).toEqual([
      'all-1',
      'all-2',
    ]);
  });

  it('a message on every line is one session', () => {
    const session = onlySession(read(jsonLines([messages[0], undefined, messages[1]], 'log.jsonl')));
    expect([session.id, session.turns.length, session.turns[0]?.outputPointer]).toEqual(['log', 1, '/2/content']);
  });

  it('with the same id are renamed', () => {
    const reading = read(
      jsonLines([
        { messages, id: 'a' },
        { messages, id: 'a' },
      ]),
    );
    expect(reading.sessions.map(({ id }) => id)).toEqual(['a', 'a#2']);
    expect(codes(reading)).toEqual(['warning duplicate-session-id']);
    expect(reading.problems[0]).toMatchObject({ pointer: '/1', line: null });
  });

  it('keep tools, model, metadata and instructions beside the messages', () => {
    const body = { model: 'gpt-4o', system: 'Be brief.', metadata: { tier: 'gold' }, tools: [{ name: 'f' }], messages };
    expect(onlySession(read(json(body)))).toMatchObject({
      system: 'Be brief.',
      metadata: { model: 'gpt-4o', tier: 'gold' },
      tools: [{ name: 'f' }],
    });
  });

  it('leave tools unknown if the file has none', () => {
    expect(onlySession(read(json(messages))).tools).toBeUndefined();
    expect(onlySession(read(json({ messages, tools: [] }))).tools).toEqual([]);
  });
});

describe('invalid content', () => {
  it('is skipped, and the rest is read', () => {
    const reading = read(json([messages[0], null, 5, { role: 7 }, messages[1], ...messages, ...messages]));
    expect(onlySession(reading).turns.map(({ output }) => output)).toEqual(['hello', 'hello', 'hello']);
    expect(codes(reading)).toEqual(Array(3).fill('warning not-a-message'));
  });

  it('a line without messages is skipped', () => {
    const reading = openAiChat.read(jsonLines([{ messages }, { type: 'header' }, { messages }]));
    expect(reading.sessions).toHaveLength(2);
    expect(codes(reading)).toEqual(['warning not-a-conversation']);
  });

  it('content of a wrong type is kept as JSON', () => {
    const session = onlySession(
      openAiChat.read(
        json([
          { role: 'user', content: { q: 1 } },
          { role: 'assistant', content: 5 },
        ]),
      ),
    );
    expect(session.turns[0]).toMatchObject({ input: '{"q":1}', output: '5' });
  });

  it.each([[null], [5], [{}], [[]], [{ messages: [] }]])('%j is an error: no session', (value) => {
    const reading = openAiChat.read(json(value));
    const turns = reading.sessions.flatMap((session) => session.turns);
    expect(turns).toEqual([]);
    if (reading.sessions.length === 0) expect(codes(reading)).toEqual(['error no-session']);
  });
});
