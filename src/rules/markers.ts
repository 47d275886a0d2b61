import type { AgentText } from './agent-texts.ts';
import { isLatin } from './english.ts';
import type { Markers } from './marker-words.ts';
import type { Found } from './rule.ts';
import type { RuleView } from './view.ts';
import { quote, sentence } from './wording.ts';

/** Places that evidence names: more than any score distinguishes, and few enough to read. */
const SHOWN = 20;

/** One finding for each turn in which the agent says or thinks one of the words; it quotes the first sentence. */
export function markedTurns(view: RuleView, markers: Markers, message: string, note: string): Found[] {
  const marked = view.markedTexts.flatMap((said) => {
    const first = firstMarked(said, markers);
    return first === null ? [] : [{ ...said, first }];
  });
  return [...Map.groupBy(marked, ({ turn }) => turn)].map(([turn, places]) => ({
    turn,
    message: `${sentence(`${message}: ${quote(places[0]?.first ?? '')}`)}${besides(places.length - 1)}`,
    evidence: places.slice(0, SHOWN).map(({ pointer }) => view.evidence(turn, pointer, note)),
  }));
}

function besides(others: number): string {
  if (others === 0) return '';
  return others === 1
    ? ' One more text of the turn shows the same.'
    : ` ${others} more texts of the turn show the same.`;
}

type Said = Pick<AgentText, 'text' | 'isAnswer'>;

/** The first sentence of the agent's own with the words; null where there is none, and in other scripts. */
export function firstMarked({ text, isAnswer }: Said, { words, unless }: Markers): string | null {
  if (text.search(words) < 0 || !isLatin(text)) return null;
  const own = withoutCode(text);
  let passed = 0;
  for (const { index, 0: marker } of own.matchAll(words)) {
    if (index < passed) continue;
    const end = index + marker.length;
    const { before, after } = around(own, index, end);
    const found = before + marker + after;
    // Whoever asks the user is doing what one should when in doubt.
    if (unless.test(found) || (isAnswer && found.endsWith('?'))) passed = end + after.length;
    else if (!isQuoted(before)) return found;
  }
  return null;
}

/** Code is not what the agent says, though it may hold sentences. */
function withoutCode(text: string): string {
  return text.includes('```') ? text.replace(/```.*?(?:```|$)/gs, '\n') : text;
}

/** Whether what follows stands in quotation marks that are still open, or in a line that quotes. */
function isQuoted(before: string): boolean {
  return before.startsWith('>') || before.split(/["“”]/).length % 2 === 0;
}

/** How far a sentence reaches to either side of a marker, at the most. */
const REACH = 300;

/** The rest of the sentence on either side. */
function around(text: string, start: number, end: number): { readonly before: string; readonly after: string } {
  let from = start;
  while (from > 0 && start - from < REACH && !endsAt(text, from - 1)) from -= 1;
  let to = end;
  while (to < text.length && to - end < REACH && !endsAt(text, to)) to += 1;
  // The mark that ends it is part of it, a line break is not.
  if (/[.!?]/.test(text[to] ?? '')) to += 1;
  return { before: text.slice(from, start).trimStart(), after: text.slice(end, to).trimEnd() };
}

function endsAt(text: string, at: number): boolean {
  const letter = text[at] ?? '';
  return letter === '\n' || ('.!?'.includes(letter) && /\s/.test(text[at + 1] ?? ' '));
}
