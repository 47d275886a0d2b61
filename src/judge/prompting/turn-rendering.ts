import type { Turn } from '../../core/session.ts';
import type { PromptExcerpt } from './excerpt.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { fairLimit } from './shorten.ts';
import type { StepExcerpts } from './step-excerpts.ts';
import type { TurnExcerpts } from './turn-excerpts.ts';

/** A piece of a prompt, and the ids that it shows. */
export interface PromptBlock {
  readonly text: string;
  readonly ids: readonly string[];
}

/** A turn, and the ids of those of its calls that are shown. */
export interface TurnBlock extends PromptBlock {
  readonly calls: readonly string[];
}

/** What the message of the user and the answer may take of the room for a turn, so that its steps have some as well. */
const USER_SHARE = 0.2;
const ANSWER_SHARE = 0.3;
const TOOLS_SHARE = 0.1;

/** In less room a passage says nothing: some of them are left out before all become shorter than this. */
const MIN_EXCERPT_LENGTH = 200;

/** What the first steps get of the room, where not all of them can be shown. */
const FIRST_STEPS_SHARE = 0.4;

/** Of earlier turns, at most so many characters are shown. */
const DIGEST_LENGTHS = { user: 600, calls: 400, answer: 600 } as const;

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
export function renderTurn(
  turn: TurnExcerpts,
  page: PromptWriter,
  room: number,
  places: ReadonlyMap<string, readonly number[]> = new Map(),
): TurnBlock {
  const fits = turnLength(turn, page) <= room;
  const user = turn.user && measureExcerpt(turn.user, page, fits ? room : room * USER_SHARE);
  const answer = turn.answer && measureExcerpt(turn.answer, page, fits ? room : room * ANSWER_SHARE);
  const tools = turn.tools && measureExcerpt(turn.tools, page, fits ? room : room * TOOLS_SHARE);
  const left = room - sum([tools, user, answer].map((one) => one?.size ?? 0));
  const { first, last, note } = selectSteps(
    turn.steps,
    fits ? Number.POSITIVE_INFINITY : Math.floor(left / MIN_EXCERPT_LENGTH),
  );
  const sizes = [...first, ...last].flatMap(({ excerpts: passages }) =>
    passages.map((one) => measureExcerpt(one, page)),
  );
  const fair = fairLimit(
    sizes.map(({ length }) => length),
    left - sum(sizes.map(({ excerpt: passage }) => page.overhead(passage))),
  );
  const steps = sizes.map(({ excerpt: passage }) =>
    toBlock(passage, page.excerpt(passage, fair, places.get(passage.id))),
  );
  const between: PromptBlock[] = note === null ? [] : [{ ids: [], text: page.heading(note) }];
  if (note !== null && turn.summary) between.push(toBlock(turn.summary, page.excerpt(turn.summary)));
  const cut = countExcerpts(first);
  const around = (one: MeasuredExcerpt | null) => (one ? [toBlock(one.excerpt, one.render())] : []);
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

function toBlock({ id }: PromptExcerpt, text: string): PromptBlock {
  return { ids: [id], text };
}

/** The room that a turn takes where nothing is left out. */
export function turnLength(turn: TurnExcerpts, page: PromptWriter): number {
  const passages = [turn.tools, turn.user, ...turn.steps.flatMap((step) => step.excerpts), turn.answer];
  return sum(passages.map((one) => (one ? measureExcerpt(one, page).size : 0)));
}

/** What came before, in short: what the user said, what was called, what was answered. */
export function renderTurnDigest(
  { user, summary, answer }: TurnExcerpts,
  page: PromptWriter,
  scale: number,
): PromptBlock {
  const parts: [PromptExcerpt | null, number][] = [
    [user, DIGEST_LENGTHS.user],
    [summary, DIGEST_LENGTHS.calls],
    [answer, DIGEST_LENGTHS.answer],
  ];
  return {
    text: parts.map(([passage, limit]) => (passage ? page.excerpt(passage, Math.floor(limit * scale)) : '')).join(''),
    ids: parts.flatMap(([passage]) => passage?.id ?? []),
  };
}

interface MeasuredExcerpt {
  readonly excerpt: PromptExcerpt;
  /** Of what is shown of its text. */
  readonly length: number;
  /** With what stands around it. */
  readonly size: number;
  render(): string;
}

/** Makes the text of a passage once, to know how much room it takes before it is shown. */
function measureExcerpt(
  passage: PromptExcerpt,
  page: PromptWriter,
  room: number = Number.POSITIVE_INFINITY,
): MeasuredExcerpt {
  const text = passage.text();
  const made = { ...passage, text: () => text };
  const overhead = page.overhead(passage);
  const limit = Math.floor(Math.min(passage.maxLength, Math.max(0, room - overhead)));
  const length = Math.min(text.length, limit);
  return { excerpt: made, length, size: length + overhead, render: () => page.excerpt(made, limit) };
}

interface StepSelection {
  readonly first: readonly StepExcerpts[];
  readonly last: readonly StepExcerpts[];
  /** What is left out; null where nothing is. */
  readonly note: string | null;
}

/** The first and the last steps, where there are too many: thoughts go before what was done. */
function selectSteps(all: readonly StepExcerpts[], most: number): StepSelection {
  if (countExcerpts(all) <= most) return { first: all, last: [], note: null };
  const steps = all.filter(({ reasoning }) => !reasoning);
  const thoughts = steps.length < all.length ? 'what the agent thought is left out' : null;
  if (countExcerpts(steps) <= most) return { first: steps, last: [], note: thoughts };
  const first = takeExcerpts(most * FIRST_STEPS_SHARE, steps);
  const last = takeExcerpts(most - countExcerpts(first), steps.slice(first.length).reverse()).reverse();
  const count = steps.length - first.length - last.length;
  const note = `${count} ${count === 1 ? 'step' : 'steps'} in between ${count === 1 ? 'is' : 'are'} left out`;
  return { first, last, note: thoughts ? `${note}, and ${thoughts}` : note };
}

function takeExcerpts(most: number, steps: readonly StepExcerpts[]): StepExcerpts[] {
  let passages = 0;
  const end = steps.findIndex((step) => {
    passages += step.excerpts.length;
    return passages > most;
  });
  return steps.slice(0, end < 0 ? steps.length : end);
}

function countExcerpts(steps: readonly StepExcerpts[]): number {
  return sum(steps.map(({ excerpts: passages }) => passages.length));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
