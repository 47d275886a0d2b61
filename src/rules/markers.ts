import type { Pointer, Turn } from '../core/session.ts';
import { isLatin } from './english.ts';
import type { Found } from './rule.ts';
import type { RuleView } from './view.ts';
import { quote, sentence } from './wording.ts';

/** English words by which agents give something away, and the sentences in which they do not. */
export interface Markers {
  /** With the flag `g`. */
  readonly words: RegExp;
  /** Tested on the sentence around the words. */
  readonly unless: RegExp;
}

/** Places that evidence names: more than any score distinguishes, and few enough to read. */
const SHOWN = 20;

/** One finding for each turn in which the agent says or thinks one of the words; it quotes the first sentence. */
export function markedTurns(view: RuleView, markers: Markers, message: string, note: string): Found[] {
  return view.session.turns.flatMap((turn, index) => {
    const marked = [...agentTexts(turn)].flatMap((said) => {
      const first = firstMarked(said, markers);
      return first === null ? [] : [{ pointer: said.pointer, first }];
    });
    const [place] = marked;
    if (!place) return [];
    return {
      turn: index,
      message: `${sentence(`${message}: ${quote(place.first)}`)}${besides(marked.length - 1)}`,
      evidence: marked.slice(0, SHOWN).map(({ pointer }) => view.evidence(index, pointer, note)),
    };
  });
}

function besides(others: number): string {
  if (others === 0) return '';
  return others === 1
    ? ' One more text of the turn shows the same.'
    : ` ${others} more texts of the turn show the same.`;
}

interface Said {
  readonly text: string;
  /** What the user gets, beside what the agent says while it works. */
  readonly isAnswer: boolean;
}

type AgentText = Said & { readonly pointer: Pointer };

/** What the agent thought and said in a turn, in order, each text once. */
function* agentTexts({ steps, output, outputPointer, pointer: turn }: Turn): Generator<AgentText> {
  const answers = steps.findLastIndex((step) => step.type === 'model' && step.text === output);
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'model') continue;
    const { text, reasoning, pointer } = step;
    if (reasoning !== undefined) yield { text: reasoning, pointer, isAnswer: false };
    if (text !== undefined && index !== answers) yield { text, pointer, isAnswer: false };
    if (index === answers && output !== null) yield { text: output, pointer: outputPointer ?? pointer, isAnswer: true };
  }
  if (answers < 0 && output !== null) yield { text: output, pointer: outputPointer ?? turn, isAnswer: true };
}

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
