import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidencePointers, findingIds, findingMessages, onlyRule, session } from '../session-builder.ts';

const ANSWER = 'I checked the 8 o’clock flight and there are no seats left in economy.';

describe('near-verbatim-answer', () => {
  it('reports a repetition at any distance, ignoring case and punctuation', () => {
    const between = Array.from({ length: 5 }, (_, i) => ({ user: `Question ${i}?`, agent: `Answer ${i}.` }));
    const stuck = session([
      { user: 'Is there a seat at 8?', agent: ANSWER },
      ...between,
      { user: 'And in business?', agent: `${ANSWER.toUpperCase().replace('.', '')} !` },
    ]);
    expect(findingIds(stuck)).toEqual(['near-verbatim-answer@6']);
    expect(findingMessages(stuck)[0]).toBe(
      'The answer repeats that of turn 1 word for word: "I CHECKED THE 8 O’CLOCK FLIGHT AND THERE ARE NO SEATS LEFT IN ECONOMY !"',
    );
    expect(evidencePointers(stuck)).toEqual(['/turns/6/output', '/turns/0/output']);
  });

  it.each([
    ['another figure', 'And at 9?', ANSWER.replace('8', '9')],
    ['the same question', 'is there a seat at 8', ANSWER],
    ['thanks', 'Thank you!', ANSWER],
    ['a request to say it again', 'Sorry I lost that, repeat please', ANSWER],
    ['a message that got lost', "I didn't get your last message.", ANSWER],
    ['a pleasantry', 'I will call you tomorrow then.', "You're welcome! Feel free to reach out at any time."],
  ])('does not report %s', (_, user, agent) => {
    const turns = [
      { user: 'Is there a seat at 8?', agent: ANSWER },
      { user: 'Fine, I will think about it.', agent: "You're welcome! Feel free to reach out at any time." },
      { user, agent },
    ];
    expect(findingIds(session(turns))).toEqual([]);
  });

  it('accepts the same refusal for the same request, but not for another', () => {
    const refusal = "I'm unable to remove a passenger from an existing reservation. Shall I transfer you?";
    const asked = (again: string) =>
      findingIds(
        session([
          { user: 'Hi, I need to remove a passenger named Sophia from our flights.', agent: refusal },
          { user: again, agent: refusal },
        ]),
      );
    expect(asked('If not, can you verify if I can just remove Sophia then?')).toEqual([]);
    expect(asked('Then downgrade all of us to economy.')).toEqual(['near-verbatim-answer@1']);
    expect(asked('Can you check the flight to Denver again?')).toEqual(['near-verbatim-answer@1']);
  });

  it('does not accept a general refusal as one of the request', () => {
    const refusal = 'I cannot help you with that over this channel, please write to us by post.';
    const turns = ['Help me to cancel.', 'Then help me to rebook.'].map((user) => ({ user, agent: refusal }));
    expect(findingIds(session(turns))).toEqual(['near-verbatim-answer@1']);
  });

  it('does not report short answers', () => {
    expect(
      findingIds(
        session([
          { user: 'A?', agent: 'Let me check that.' },
          { user: 'B?', agent: 'Let me check that.' },
        ]),
      ),
    ).toEqual([]);
  });

  it('works in any script', () => {
    const answer =
      '申し訳ございませんが、その便の空席はもう残っておりません。別の便をお探しいたしますのでお待ちくださいませ。';
    expect(
      findingIds(
        session([
          { user: '八時は？', agent: answer },
          { user: '九時は？', agent: answer },
        ]),
      ),
    ).toEqual(['near-verbatim-answer@1']);
  });

  it('reports it in any encoding of letters and digits, among similar answers', () => {
    const answer = 'Der Flug nach Zürich um 8 Uhr ist ausgebucht, auch für Vielflieger.';
    const twice = session([
      { user: 'Um 8?', agent: answer },
      { user: 'Um 9?', agent: answer.replace('ü', 'u') },
      { user: 'Um 8 Uhr?', agent: `${answer.normalize('NFD').replace('8', '８').replace(', ', ' – ')} ` },
    ]);
    expect(findingIds(twice)).toEqual(['near-verbatim-answer@2']);
    expect(evidencePointers(twice)).toEqual(['/turns/2/output', '/turns/0/output']);
  });

  it('treats a letter and its diacritic as one, wherever they are', () => {
    for (let at = 30; at < 50; at += 1) {
      const answer = `${'a '.repeat(at)}e\u0301 ${'b '.repeat(at)}`;
      const turns = ['', ' '].flatMap((shift, index) => [
        { user: `${index} composed?`, agent: shift + answer },
        { user: `${index} in parts?`, agent: shift + answer.normalize('NFC') },
      ]);
      expect(findingIds(session(turns), onlyRule('near-verbatim-answer'))).toHaveLength(3);
    }
  });

  it('reports it with any separators, in any encoding of letters', () => {
    const letter = fc.constantFrom('a', 'z', 'É', 'e\u0301', 'e\u0323\u0302', 'ﬁ', '７', 'й', '각', '東', 'İ');
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 9 });
    const gap = fc.constantFrom(' ', ', ', '\n\n- ', ` ${'*'.repeat(50)} `, '…');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap, gap), { minLength: 21, maxLength: 60 }), (words) => {
        const turns = [
          { user: 'First?', agent: words.map(([item, before]) => item + before).join('') },
          { user: 'Second?', agent: words.map(([item, , after]) => item.normalize('NFC') + after).join('') },
        ];
        expect(findingIds(session(turns), onlyRule('near-verbatim-answer'))).toEqual(['near-verbatim-answer@1']);
      }),
    );
  });

  it('does not confuse different texts', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 45, maxLength: 60 });
    fc.assert(
      fc.property(text, text, (item, other) => {
        const words = (of: string) =>
          of
            .normalize('NFKC')
            .toLowerCase()
            .match(/[\p{L}\p{M}\p{N}]+/gu)
            ?.join(' ') ?? '';
        const turns = [
          { user: 'First?', agent: item },
          { user: 'Second?', agent: other },
          { user: 'Third?', agent: item },
        ];
        const repeats = findingIds(session(turns), onlyRule('near-verbatim-answer'));
        if (words(item).length <= 40 || words(item) === words(other)) return;
        expect(repeats).toEqual(['near-verbatim-answer@2']);
      }),
    );
  });
});
