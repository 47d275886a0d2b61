import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session, Turn } from '../../../src/core/session.ts';
import { CitationResolver } from '../../../src/panel/citations.ts';
import { Transcript } from '../../../src/panel/transcript.ts';
import { TranscriptIndex } from '../../../src/report-model/transcript/transcript-index.ts';
import { textAt } from '../../../src/report-model/transcript/turn-texts.ts';
import { createSession, FILE, tool, turn, URI } from '../server/report/session-fixture.ts';

function sessionOf(...turns: readonly Turn[]): Session {
  return createSession({ turns: turns.map((turn) => [turn, {}] as const) }).read;
}

const CALL = tool({
  pointer: '/6/tool_calls/0',
  resultPointer: '/7/content',
  name: 'refund',
  arguments: { order: 'A "1", b', amount: 37, items: [{ id: 1, n: [2, 3] }, 'x, y'], last: true },
  error: 'amount 370.00 exceeds 42.50',
});

/** The text that is cited: `turn.step field: text`. */
function cited(session: Session, pointer: string, note: string, because: string | null = null): string | null {
  const [row] = new CitationResolver(FILE, new Transcript(session)).cite([{ pointer, note }], because).evidence;
  if (!row?.citation) return null;
  const { turn: index, step, field, item, start, end } = row.citation;
  const whole = session.turns[index];
  const text = (whole && textAt(whole, { step, field, item })) ?? '';
  return `${index}.${step} ${field}: ${text.slice(start, end)}`;
}

describe('evidence in the transcript', () => {
  const session = sessionOf(
    turn({ pointer: '/0', inputPointer: '/0/content', outputPointer: '/1/content', output: 'It is 5.' }),
    turn({
      pointer: '/5',
      inputPointer: '/5/content',
      outputPointer: '/8/content',
      output: 'Your refund of 37.00 EUR\nwas issued to card 8812.',
      steps: [{ type: 'model', pointer: '/6', text: 'Let me see.', reasoning: 'Hm.' }, CALL],
    }),
  );

  it.each([
    ['what is quoted', '/8/content', 'where the answer states "8812"', null, '1.null output: 8812'],
    [
      'what the sentence quotes',
      '/8/content',
      'the answer',
      'It says "refund of 37.00".',
      '1.null output: refund of 37.00',
    ],
    [
      'a quotation on one line',
      '/8/content',
      'says "37.00 EUR was issued"',
      null,
      '1.null output: 37.00 EUR\nwas issued',
    ],
    [
      'without the dots of a cut one',
      '/8/content',
      '"…issued to card 8812."',
      null,
      '1.null output: issued to card 8812.',
    ],
    ['no figure within another', '/7/content', 'says "70.00"', null, '1.1 error: amount 370.00 exceeds 42.50'],
    ['all of a text where nothing is quoted', '/0/content', 'what the user said', null, '0.null input: Hello?'],
    ['an argument', '/6/tool_calls/0/function/arguments/amount', 'the call', null, '1.1 arguments: amount: 37'],
    [
      'a value within one',
      '/6/tool_calls/0/items/0/id',
      'the call',
      null,
      '1.1 arguments: items: [{"id":1,"n":[2,3]},"x, y"]',
    ],
    ['one with a comma in it', '/6/tool_calls/0/order', 'the call', null, '1.1 arguments: order: "A \\"1\\", b"'],
    ['reasoning', '/6/reasoning_content', 'it thought', null, '1.0 reasoning: Hm.'],
    ['a text of the model', '/6', 'it said', null, '1.0 text: Let me see.'],
    ['a turn as such', '/5', 'the turn', null, '1.null whole: '],
    ['what a turn holds and no text is', '/5/role', 'the turn', null, '1.null whole: '],
  ])('cites %s', (_, pointer, note, because, expected) => {
    expect(cited(session, pointer, note, because)).toBe(expected);
  });

  it.each(['', '/9', '/1', '/66', '/55/content'])('finds no turn for %j', (pointer) => {
    expect(cited(session, pointer, 'somewhere')).toBeNull();
  });

  it('distinguishes files, and recognises any spelling of a path', () => {
    const other = sessionOf(turn({ pointer: '/0', file: '/traces/x/../b.json' }));
    const citing = new CitationResolver(FILE, new Transcript(other));
    const passage = (file?: string) => citing.cite([{ pointer: '/0', note: 'n', file }], null).evidence[0]?.citation;
    expect(passage('/traces/b.json')).toMatchObject({ turn: 0, field: 'whole' });
    expect(passage()).toBeNull();
  });

  it('cites a sub-agent in its turns, at any depth', () => {
    const inner = turn({ pointer: '/in/0', steps: [CALL] });
    const middle = turn({ pointer: '/mid', steps: [{ type: 'agent', pointer: '/mid/a', name: 'b', turns: [inner] }] });
    const outer = turn({ steps: [{ type: 'agent', pointer: '/e', name: 'a', turns: [middle] }] });
    const transcriptLocation = new TranscriptIndex(sessionOf(outer), resolve).find('/6/tool_calls/0/amount');
    expect(transcriptLocation).toEqual({ turn: 0, step: 0, field: 'whole' });
  });

  it('has its location in the file where the transcript cannot be read', () => {
    const { evidence, evidenceOmitted } = new CitationResolver(FILE, null).cite(
      [{ pointer: '/0', note: 'here' }],
      null,
    );
    expect(evidence).toEqual([{ note: 'here', target: { uri: URI, pointer: '/0' }, citation: null }]);
    expect(evidenceOmitted).toBe(0);
  });

  it('matches quotations literally', () => {
    const hostile = sessionOf(turn({ inputPointer: '/i', input: 'a.*(b)[c] and (a+)+$ {1,2} | ^' }));
    for (const text of ['a.*(b)[c]', '(a+)+$ {1,2} | ^']) {
      expect(cited(hostile, '/i', `says "${text}"`)).toBe(`0.null input: ${text}`);
    }
  });
});
