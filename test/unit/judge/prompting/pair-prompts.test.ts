import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { sessionBoundary } from '../../../../src/judge/prompting/boundary.ts';
import { createPairPrompts } from '../../../../src/judge/prompting/pair-prompts.ts';
import { MAX_PROMPT_LENGTH } from '../../../../src/judge/prompting/session-prompts.ts';
import { githubToken } from '../../../support/github-token.ts';
import { sessionOf, turnOf } from '../../metrics/views.ts';
import { SESSION } from './arbitrary-session.ts';
import { KEY, promptLength, question } from './parse-prompt.ts';

const ASKED = [{ ...question('best_of_x', 'Which is better?'), context: 'session' as const }];

function promptOf(first: Session, second: Session) {
  return createPairPrompts(first, second, { boundaryKey: KEY, redact: true }).session(ASKED, {});
}

function sessionWith(id: string, output: string, own: Partial<Session> = {}): Session {
  return { ...sessionOf([{ ...turnOf(0), input: 'Hello', output }], own), id };
}

/** The lines of the examiner. */
function ownLines(first: Session, second: Session): string[] {
  const boundary = sessionBoundary({ id: `${first.id}\n${second.id}`, ...{ sessions: [first, second] } }, KEY);
  return promptOf(first, second)
    .parts.flatMap((part) => part.split('\n'))
    .filter((line) => line.startsWith(boundary))
    .map((line) => line.slice(boundary.length + 1));
}

describe('createPairPrompts', () => {
  it('shows both sessions in their order, each with ids of its own', () => {
    expect(ownLines(sessionWith('a', 'One.'), sessionWith('b', 'Two.'))).toEqual([
      '== The first attempt',
      '== Turn 1',
      '[first.t1.user] the user',
      '[first.t1.answer] the answer',
      'end',
      '== The second attempt',
      '== Turn 1',
      '[second.t1.user] the user',
      '[second.t1.answer] the answer',
      'end',
    ]);
  });

  it('shows once what both were given, and to each what only it was given', () => {
    const lines = ownLines(
      sessionWith('a', 'One.', { goal: 'An order.', system: 'Be kind.' }),
      sessionWith('b', 'Two.', { goal: 'An order.', system: 'Be brief.' }),
    );
    expect(lines.filter((line) => line.startsWith('[goal]'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('policy'))).toEqual([
      '[first.policy] the instructions of the agent',
      '[second.policy] the instructions of the agent',
    ]);
  });

  it('redacts secrets, and does not say whose session it is', () => {
    const key = githubToken(1);
    const { parts } = promptOf(sessionWith('agent-gpt', `The key is ${key}.`), sessionWith('agent-qwen', 'None.'));
    const text = parts.join('\n');
    expect(text).not.toContain(key);
    expect(text).not.toContain('agent-gpt');
  });

  it('fits into a prompt, with half of the room for each, however long the sessions are', () => {
    const long = (id: string) => ({
      ...sessionOf(
        Array.from({ length: 60 }, (_, i) => ({ ...turnOf(i), input: 'x'.repeat(9000), output: `${id}`.repeat(9000) })),
      ),
      id,
    });
    const prompt = promptOf(long('a'), long('b'));
    expect(promptLength(prompt)).toBeLessThanOrEqual(MAX_PROMPT_LENGTH);
    const [first = '', second = ''] = prompt.parts.filter((part) => part.includes(' attempt\n'));
    expect(Math.abs(first.length - second.length)).toBeLessThan(0.02 * first.length);
  });

  it('keeps any trace out of the examiner’s lines, and within the length', () => {
    fc.assert(
      fc.property(SESSION, SESSION, (first, second) => {
        expect(promptLength(promptOf(first, second))).toBeLessThanOrEqual(MAX_PROMPT_LENGTH);
        const headings = ownLines(first, second).filter((line) => line.startsWith('== The '));
        expect(headings).toEqual(['== The first attempt', '== The second attempt']);
      }),
      { numRuns: 50 },
    );
  });
});
