import type { RuleFinding } from '../rule.ts';
import type { RuleView } from '../rule-view.ts';
import { endSentence, quoteText } from '../shared/message-format.ts';
import type { AgentText } from './agent-texts.ts';
import type { MarkerPhrases } from './marker-phrases.ts';
import { isLatinScript } from './phrases.ts';

/** More evidence than any score distinguishes, and few enough entries to read. */
const MAX_EVIDENCE = 20;

/** Creates one finding for each turn whose texts contain one of the phrases, quoting the first sentence. */
export function findMarkedTurns(view: RuleView, markers: MarkerPhrases, message: string, note: string): RuleFinding[] {
  const marked = view.textsWithMarkers.flatMap((text) => {
    const first = firstMarkedSentence(text, markers);
    return first === null ? [] : [{ ...text, first }];
  });
  return [...Map.groupBy(marked, ({ turn }) => turn)].map(([turn, places]) => ({
    turn,
    message: `${endSentence(`${message}: ${quoteText(places[0]?.first ?? '')}`)}${otherTextsNote(places.length - 1)}`,
    evidence: places.slice(0, MAX_EVIDENCE).map(({ pointer }) => view.evidence(turn, pointer, note)),
  }));
}

function otherTextsNote(others: number): string {
  if (others === 0) return '';
  return others === 1
    ? ' One more text of the turn shows the same.'
    : ` ${others} more texts of the turn show the same.`;
}

type MarkedText = Pick<AgentText, 'text' | 'isAnswer'>;

/** The first sentence of a text with one of the phrases; null if there is none, or if the text is in another script. */
export function firstMarkedSentence({ text, isAnswer }: MarkedText, { words, unless }: MarkerPhrases): string | null {
  if (text.search(words) < 0 || !isLatinScript(text)) return null;
  const prose = stripCode(text);
  let skippedTo = 0;
  for (const { index, 0: marker } of prose.matchAll(words)) {
    if (index < skippedTo) continue;
    const end = index + marker.length;
    const { before, after } = surroundingSentence(prose, index, end);
    const sentence = before + marker + after;
    // An agent that asks the user when in doubt does the right thing.
    if (unless.test(sentence) || (isAnswer && sentence.endsWith('?'))) skippedTo = end + after.length;
    else if (!isQuoted(before)) return sentence;
  }
  return null;
}

/** Code may contain sentences, but the agent does not say them. */
function stripCode(text: string): string {
  return text.includes('```') ? text.replace(/```.*?(?:```|$)/gs, '\n') : text;
}

/** Whether the text after this is in open quotation marks or in a quoted line. */
function isQuoted(before: string): boolean {
  return before.startsWith('>') || before.split(/["“”]/).length % 2 === 0;
}

/** The maximum length of a sentence on either side of a phrase. */
const MAX_SENTENCE_SIDE = 300;

/** The rest of the sentence on both sides. */
function surroundingSentence(
  text: string,
  start: number,
  end: number,
): { readonly before: string; readonly after: string } {
  let from = start;
  while (from > 0 && start - from < MAX_SENTENCE_SIDE && !isSentenceEnd(text, from - 1)) from -= 1;
  let to = end;
  while (to < text.length && to - end < MAX_SENTENCE_SIDE && !isSentenceEnd(text, to)) to += 1;
  // The closing punctuation belongs to the sentence, a line break does not.
  if (/[.!?]/.test(text[to] ?? '')) to += 1;
  return { before: text.slice(from, start).trimStart(), after: text.slice(end, to).trimEnd() };
}

function isSentenceEnd(text: string, at: number): boolean {
  const letter = text[at] ?? '';
  return letter === '\n' || ('.!?'.includes(letter) && /\s/.test(text[at + 1] ?? ' '));
}
