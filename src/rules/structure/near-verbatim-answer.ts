import type { Turn } from '../../core/session.ts';
import { endsConversation, looksLikePleasantry } from '../dialogue-en/phrases.ts';
import { asksToRepeat, refusedAction } from '../dialogue-en/user-requests.ts';
import type { Rule } from '../rule.ts';
import { endSentence, quoteText, turnLabel } from '../shared/message-format.ts';

/** Shorter answers are often repeated: `You're welcome!` */
const MIN_LENGTH = 40;

export const nearVerbatimAnswer: Rule = {
  id: 'near-verbatim-answer',
  title: 'Answer repeated word for word',
  proves: 'The agent answered a new message with exactly the words of an earlier answer.',
  severity: 'low',
  label: 'repetition',
  affects: [],
  page: {
    how: 'Reports an answer that has exactly the words and figures of an earlier answer in the session; case, punctuation and spacing do not matter. Works in any language.',
    silent:
      'Ignores answers of 40 characters or fewer, answers to the same question, pleasantries, and answers to thanks, to a goodbye or to a request to repeat. Ignores a refusal ("I cannot remove a passenger") if both messages asked for it. An answer that says the same in other words, or with another figure, is not found.',
    remedy: 'Read the message before the repeated answer: usually it contains something new that the agent ignored.',
  },
  check(view) {
    const { turns } = view.session;
    const answers = new Map<string, { readonly index: number; readonly turn: Turn }>();
    const openings = turns.map(({ output }) => (output === null ? null : openingHash(output)));
    const shared = repeatedIn(openings);
    return turns.flatMap((turn, index) => {
      if (turn.output === null || !shared.has(openings[index] ?? null)) return [];
      const words = normalizeText(turn.output);
      if (words.length <= MIN_LENGTH) return [];
      const before = answers.get(words);
      answers.set(words, { index, turn });
      if (!before || deservesSameAnswer(turn, before.turn)) return [];
      return {
        turn: index,
        message: endSentence(
          `The answer repeats that of ${turnLabel(before.index)} word for word: ${quoteText(turn.output)}`,
        ),
        evidence: [
          view.evidence(index, turn.outputPointer ?? turn.pointer, 'the repeated answer'),
          view.evidence(before.index, before.turn.outputPointer ?? before.turn.pointer, 'the answer that it repeats'),
        ],
      };
    });
  },
};

/** The same question may get the same answer, and pleasantries may be repeated. */
function deservesSameAnswer({ input, output }: Turn, before: Turn): boolean {
  if (output !== null && looksLikePleasantry(output)) return true;
  if (input === null) return false;
  if (endsConversation(input) || asksToRepeat(input)) return true;
  return (
    before.input !== null &&
    (normalizeText(input) === normalizeText(before.input) || isRefused(output, [input, before.input]))
  );
}

/** Whether an answer says that the agent cannot do what each of the messages asked for. */
function isRefused(answer: string | null, messages: readonly string[]): boolean {
  const verb = answer === null ? null : refusedAction(answer);
  return verb !== null && messages.every((message) => ` ${normalizeText(message)} `.includes(` ${verb} `));
}

/** The words and figures of a text, without case, punctuation and spacing. */
function normalizeText(text: string): string {
  return foldText(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** How many letters and digits to hash: enough to distinguish most answers. */
const OPENING_LENGTH = 40;

/** Equal for texts with the same words, and much cheaper than comparing words. */
function openingHash(text: string): number {
  const first = hashLetters(foldText(text.slice(0, 2 * OPENING_LENGTH)));
  return first.settled ? first.hash : hashLetters(foldText(text)).hash;
}

/**
 * A hash of the first letters. It is settled once another letter follows, since the last one may still change until
 * then.
 */
function hashLetters(text: string): { readonly hash: number; readonly settled: boolean } {
  let hash = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (!isWordCharacter(letter)) continue;
    if (count === OPENING_LENGTH) return { hash, settled: true };
    hash = (Math.imul(hash, 31) + letter) | 0;
    count += 1;
  }
  return { hash, settled: false };
}

/**
 * Digits, Latin letters without diacritics, Chinese and Korean characters, which distinguish most texts. Never
 * punctuation.
 */
function isWordCharacter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

function repeatedIn<Item>(items: readonly Item[]): Set<Item> {
  const seen = new Set<Item>();
  const repeated = new Set<Item>();
  for (const item of items) (seen.has(item) ? repeated : seen).add(item);
  return repeated;
}
