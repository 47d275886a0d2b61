import type { Turn } from '../core/session.ts';
import { looksLikeEnd, looksLikePleasantry } from './english.ts';
import { asksToRepeat, refusedDeed } from './requests.ts';
import type { Rule } from './rule.ts';
import { inTurn, quote, sentence } from './wording.ts';

/** Shorter answers are repeated by everyone: `You're welcome!` */
const SHORTEST = 40;

export const nearVerbatimAnswer: Rule = {
  id: 'near-verbatim-answer',
  title: 'Answer repeated word for word',
  proves: 'The agent answered a new message with exactly the words of an earlier answer.',
  severity: 'low',
  label: 'repetition',
  moves: [],
  page: {
    how: 'The answer has exactly the words and figures of an earlier answer of the session, however far back; case, punctuation and spacing make no difference. It works in any language.',
    silent:
      'Answers of 40 characters or fewer, answers to the same question, pleasantries, and answers to thanks, to a goodbye or to a request to say it again. A refusal ("I cannot remove a passenger") where both messages asked for that. An answer that says the same in other words, or with another figure, is not found.',
    remedy:
      'Read the message that the repeated answer was given to: mostly it brought something new that the agent did not take up.',
  },
  check(view) {
    const { turns } = view.session;
    const answers = new Map<string, { readonly index: number; readonly turn: Turn }>();
    const openings = turns.map(({ output }) => (output === null ? null : openingOf(output)));
    const shared = repeatedIn(openings);
    return turns.flatMap((turn, index) => {
      if (turn.output === null || !shared.has(openings[index] ?? null)) return [];
      const words = normalised(turn.output);
      if (words.length <= SHORTEST) return [];
      const before = answers.get(words);
      answers.set(words, { index, turn });
      if (!before || deserves(turn, before.turn)) return [];
      return {
        turn: index,
        message: sentence(`The answer repeats that of ${inTurn(before.index)} word for word: ${quote(turn.output)}`),
        evidence: [
          view.evidence(index, turn.outputPointer ?? turn.pointer, 'the repeated answer'),
          view.evidence(before.index, before.turn.outputPointer ?? before.turn.pointer, 'the answer that it repeats'),
        ],
      };
    });
  },
};

/** The same question deserves the same answer, and so do pleasantries. */
function deserves({ input, output }: Turn, before: Turn): boolean {
  if (output !== null && looksLikePleasantry(output)) return true;
  if (input === null) return false;
  if (looksLikeEnd(input) || asksToRepeat(input)) return true;
  return (
    before.input !== null &&
    (normalised(input) === normalised(before.input) || isRefused(output, [input, before.input]))
  );
}

/** Whether an answer says that the agent cannot do what each of the messages asked for. */
function isRefused(answer: string | null, messages: readonly string[]): boolean {
  const deed = answer === null ? null : refusedDeed(answer);
  return deed !== null && messages.every((message) => ` ${normalised(message)} `.includes(` ${deed} `));
}

/** The words and figures of a text: case, punctuation and spacing make no difference. */
function normalised(text: string): string {
  return folded(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Letters and figures that tell most answers apart. */
const OPENING = 40;

/** The same for texts of the same words, and much cheaper than these: few answers begin like another. */
function openingOf(text: string): number {
  const first = firstLetters(folded(text.slice(0, 2 * OPENING)));
  return first.settled ? first.hash : firstLetters(folded(text)).hash;
}

/** A hash of the first letters, which is settled when another follows them: until then the last may still change. */
function firstLetters(text: string): { readonly hash: number; readonly settled: boolean } {
  let hash = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (!isOfWord(letter)) continue;
    if (count === OPENING) return { hash, settled: true };
    hash = (Math.imul(hash, 31) + letter) | 0;
    count += 1;
  }
  return { hash, settled: false };
}

/** Digits, Latin letters without marks, Chinese and Korean characters: enough to tell texts apart, and never punctuation. */
function isOfWord(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

function repeatedIn<Item>(items: readonly Item[]): Set<Item> {
  const seen = new Set<Item>();
  const repeated = new Set<Item>();
  for (const item of items) (seen.has(item) ? repeated : seen).add(item);
  return repeated;
}
