import type { Turn } from '../../core/session.ts';
import type { Page } from './page.ts';
import type { Passage } from './passage.ts';
import { fairLimit } from './shorten.ts';
import type { StepPassages } from './step-passages.ts';
import type { TurnPassages } from './turn-passages.ts';

/** A piece of a prompt, and the ids that it shows. */
export interface Block {
  readonly text: string;
  readonly ids: readonly string[];
}

/** A turn, and the ids of those of its calls that are shown. */
export interface TurnBlock extends Block {
  readonly calls: readonly string[];
}

/** What the message of the user and the answer may take of the room for a turn, so that its steps have some as well. */
const USER_SHARE = 0.2;
const ANSWER_SHARE = 0.3;
const TOOLS_SHARE = 0.1;

/** In less room a passage says nothing: some of them are left out before all become shorter than this. */
const SHORTEST_PASSAGE = 200;

/** What the first steps get of the room, where not all of them can be shown. */
const FIRST_STEPS = 0.4;

/** Of earlier turns, at most so many characters are shown. */
const DIGEST = { user: 600, calls: 400, answer: 600 } as const;

/** What a turn lacks is said in words: a passage that is not there says nothing. */
export function turnHeading(turn: Turn | undefined, index: number): string {
  const lacks = [
    ...(turn?.input === null ? ['the agent speaks first'] : []),
    ...(turn?.captured === false ? ['what was said was not recorded in full'] : []),
    ...(turn?.output === null ? ['there is no answer'] : []),
  ];
  return `Turn ${index + 1}${lacks.length > 0 ? ` (${lacks.join(', ')})` : ''}`;
}

/** A turn with all that happened in it, in about `room` characters at most. */
export function turnInFull(
  turn: TurnPassages,
  page: Page,
  room: number,
  places: ReadonlyMap<string, readonly number[]> = new Map(),
): TurnBlock {
  const fits = sizeInFull(turn, page) <= room;
  const user = turn.user && sized(turn.user, page, fits ? room : room * USER_SHARE);
  const answer = turn.answer && sized(turn.answer, page, fits ? room : room * ANSWER_SHARE);
  const tools = turn.tools && sized(turn.tools, page, fits ? room : room * TOOLS_SHARE);
  const left = room - sum([tools, user, answer].map((one) => one?.size ?? 0));
  const { first, last, note } = chosenSteps(
    turn.steps,
    fits ? Number.POSITIVE_INFINITY : Math.floor(left / SHORTEST_PASSAGE),
  );
  const sizes = [...first, ...last].flatMap(({ passages }) => passages.map((one) => sized(one, page)));
  const fair = fairLimit(
    sizes.map(({ length }) => length),
    left - sum(sizes.map(({ passage }) => page.overhead(passage))),
  );
  const steps = sizes.map(({ passage }) => blockOf(passage, page.passage(passage, fair, places.get(passage.id))));
  const between: Block[] = note === null ? [] : [{ ids: [], text: page.heading(note) }];
  if (note !== null && turn.summary) between.push(blockOf(turn.summary, page.passage(turn.summary)));
  const cut = passageCount(first);
  const around = (one: Sized | null) => (one ? [blockOf(one.passage, one.shown())] : []);
  const blocks = [
    ...around(tools),
    ...around(user),
    ...steps.slice(0, cut),
    ...between,
    ...steps.slice(cut),
    ...around(answer),
  ];
  return {
    text: blocks.map(({ text }) => text).join(''),
    ids: blocks.flatMap(({ ids }) => ids),
    calls: [...first, ...last].flatMap(({ call }) => call ?? []),
  };
}

function blockOf({ id }: Passage, text: string): Block {
  return { ids: [id], text };
}

/** The room that a turn takes where nothing is left out. */
export function sizeInFull(turn: TurnPassages, page: Page): number {
  const passages = [turn.tools, turn.user, ...turn.steps.flatMap((step) => step.passages), turn.answer];
  return sum(passages.map((one) => (one ? sized(one, page).size : 0)));
}

/** What came before, in short: what the user said, what was called, what was answered. */
export function turnDigest({ user, summary, answer }: TurnPassages, page: Page, scale: number): Block {
  const parts: [Passage | null, number][] = [
    [user, DIGEST.user],
    [summary, DIGEST.calls],
    [answer, DIGEST.answer],
  ];
  return {
    text: parts.map(([passage, limit]) => (passage ? page.passage(passage, Math.floor(limit * scale)) : '')).join(''),
    ids: parts.flatMap(([passage]) => passage?.id ?? []),
  };
}

interface Sized {
  readonly passage: Passage;
  /** Of what is shown of its text. */
  readonly length: number;
  /** With what stands around it. */
  readonly size: number;
  shown(): string;
}

/** Makes the text of a passage once, to know how much room it takes before it is shown. */
function sized(passage: Passage, page: Page, room: number = Number.POSITIVE_INFINITY): Sized {
  const text = passage.text();
  const made = { ...passage, text: () => text };
  const overhead = page.overhead(passage);
  const limit = Math.floor(Math.min(passage.longest, Math.max(0, room - overhead)));
  const length = Math.min(text.length, limit);
  return { passage: made, length, size: length + overhead, shown: () => page.passage(made, limit) };
}

interface Chosen {
  readonly first: readonly StepPassages[];
  readonly last: readonly StepPassages[];
  /** What is left out; null where nothing is. */
  readonly note: string | null;
}

/** The first and the last steps, where there are too many: thoughts go before what was done. */
function chosenSteps(all: readonly StepPassages[], most: number): Chosen {
  if (passageCount(all) <= most) return { first: all, last: [], note: null };
  const steps = all.filter(({ reasoning }) => !reasoning);
  const thoughts = steps.length < all.length ? 'what the agent thought is left out' : null;
  if (passageCount(steps) <= most) return { first: steps, last: [], note: thoughts };
  const first = upTo(most * FIRST_STEPS, steps);
  const last = upTo(most - passageCount(first), steps.slice(first.length).reverse()).reverse();
  const count = steps.length - first.length - last.length;
  const note = `${count} ${count === 1 ? 'step' : 'steps'} in between ${count === 1 ? 'is' : 'are'} left out`;
  return { first, last, note: thoughts ? `${note}, and ${thoughts}` : note };
}

function upTo(most: number, steps: readonly StepPassages[]): StepPassages[] {
  let passages = 0;
  const end = steps.findIndex((step) => {
    passages += step.passages.length;
    return passages > most;
  });
  return steps.slice(0, end < 0 ? steps.length : end);
}

function passageCount(steps: readonly StepPassages[]): number {
  return sum(steps.map(({ passages }) => passages.length));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
