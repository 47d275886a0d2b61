import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/session.ts';
import { load } from '../../../src/input/load.ts';
import { memoryFileSystem } from '../input/memory-file-system.ts';

const TALK = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi' },
];
const ASKED = [{ role: 'system', content: 'Be brief.' }, ...TALK];

async function read(value: unknown, besides: Readonly<Record<string, string>> = {}): Promise<Session> {
  const files = memoryFileSystem({ '/t/a.json': JSON.stringify(value), ...besides });
  const { sessions } = await load(['/t/a.json'], files, { signal: new AbortController().signal });
  const [session] = sessions;
  if (!session) throw new Error('No session was read.');
  return session;
}

/** What a pointer leads to. */
function at(value: unknown, pointer: string | undefined): unknown {
  if (pointer === undefined) return undefined;
  const tokens = pointer.split('/').slice(1);
  return tokens.reduce<unknown>((result, token) => Object(result)[token], value);
}

describe('pointers of session-level values', () => {
  const own = {
    turnwise: 1,
    sessions: [{ id: 's', goal: 'A refund.', system: 'Be brief.', knowledge: ['Open at 9.'], turns: [] }],
  };

  it.each([
    ['a list of messages', ASKED],
    ['an object with messages', { messages: ASKED }],
    ['a field beside the messages', { system: 'Be brief.', messages: TALK }],
    ["Turnwise's own file", own],
  ])('lead to the instructions in %s', async (_, value) => {
    const { system, systemPointer } = await read(value);
    expect(system).toBe('Be brief.');
    expect(at(value, systemPointer)).toBe('Be brief.');
  });

  it('lead to goal and knowledge', async () => {
    const { goalPointer, knowledgePointer } = await read(own);
    expect([at(own, goalPointer), at(own, knowledgePointer)]).toEqual(['A refund.', ['Open at 9.']]);
  });

  it('are absent for values of a sidecar', async () => {
    const sidecar = JSON.stringify({ system: 'Be kind.', goal: 'A refund.' });
    const session = await read(TALK, { '/t/a.turnwise.json': sidecar });
    expect([session.system, session.systemPointer, session.goal, session.goalPointer]).toEqual([
      'Be kind.',
      undefined,
      'A refund.',
      undefined,
    ]);
  });
});
