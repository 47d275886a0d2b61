import type { Turn } from '../../core/session.ts';
import type { PromptExcerpt } from './excerpt.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { fairLimit } from './shorten.ts';
import type { StepExcerpts } from './step-excerpts.ts';
import type { TurnExcerpts } from './turn-excerpts.ts';

/** A block of a prompt, and the ids that it shows. */
export interface PromptBlock {
  readonly text: string;
  readonly ids: readonly string[];
}

/** A turn, and the ids of the calls that are shown. */
export interface TurnBlock extends PromptBlock {
  readonly calls: readonly string[];
}

/** Limits for parts of a turn that does not fit, so that there is room for its steps. */
const USER_SHARE = 0.2;
const ANSWER_SHARE = 0.3;
const TOOLS_SHARE = 0.1;

/** Some excerpts are left out before all become shorter than this. */
const MIN_EXCERPT_LENGTH = 200;

/** Of the steps that are shown, if not all of them fit. */
const FIRST_STEPS_SHARE = 0.4;

/** Of earlier turns, in characters. */
const DIGEST_LENGTHS = { user: 600, calls: 400, answer: 600 } as const;

/** Names what a turn lacks: a missing excerpt says nothing. */
export function turnHeading(turn: Turn | undefined, index: number): string {
  const notes = [
    ...(turn?.input === null ? ['the agent speaks first'] : []),
    ...(turn?.captured === false ? ['what was said was not recorded in full'] : []),
    ...(turn?.output === null ? ['there is no answer'] : []),
  ];
  return `Turn ${index + 1}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** A turn with everything in it, in about `room` characters at most. */
export function renderTurn(
  turn: TurnExcerpts,
  writer: PromptWriter,
  room: number,
  offsets: ReadonlyMap<string, readonly number[]> = new Map(),
): TurnBlock {
  const fits = turnLength(turn, writer) <= room;
  const user = turn.user && measureExcerpt(turn.user, writer, fits ? room : room * USER_SHARE);
  const answer = turn.answer && measureExcerpt(turn.answer, writer, fits ? room : room * ANSWER_SHARE);
  const tools = turn.tools && measureExcerpt(turn.tools, writer, fits ? room : room * TOOLS_SHARE);
  const remaining = room - sum([tools, user, answer].map((excerpt) => excerpt?.size ?? 0));
  const { first, last, note } = selectSteps(
    turn.steps,
    fits ? Number.POSITIVE_INFINITY : Math.floor(remaining / MIN_EXCERPT_LENGTH),
  );
  const measured = [...first, ...last].flatMap(({ excerpts }) =>
    excerpts.map((excerpt) => measureExcerpt(excerpt, writer)),
  );
  const fair = fairLimit(
    measured.map(({ length }) => length),
    remaining - sum(measured.map(({ excerpt }) => writer.overhead(excerpt))),
  );
  const steps = measured.map(({ excerpt }) => toBlock(excerpt, writer.excerpt(excerpt, fair, offsets.get(excerpt.id))));
  const omission: PromptBlock[] = note === null ? [] : [{ ids: [], text: writer.heading(note) }];
  if (note !== null && turn.summary) omission.push(toBlock(turn.summary, writer.excerpt(turn.summary)));
  const firstCount = countExcerpts(first);
  const blockFor = (measured: MeasuredExcerpt | null) =>
    measured ? [toBlock(measured.excerpt, measured.render())] : [];
  const blocks = [
    ...blockFor(tools),
    ...blockFor(user),
    ...steps.slice(0, firstCount),
    ...omission,
    ...steps.slice(firstCount),
    ...blockFor(answer),
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

/** The length of a turn with nothing left out. */
export function turnLength(turn: TurnExcerpts, writer: PromptWriter): number {
  const excerpts = [turn.tools, turn.user, ...turn.steps.flatMap((step) => step.excerpts), turn.answer];
  return sum(excerpts.map((excerpt) => (excerpt ? measureExcerpt(excerpt, writer).size : 0)));
}

/** An earlier turn in short: user message, calls and answer. */
export function renderTurnDigest(
  { user, summary, answer }: TurnExcerpts,
  writer: PromptWriter,
  scale: number,
): PromptBlock {
  const parts: [PromptExcerpt | null, number][] = [
    [user, DIGEST_LENGTHS.user],
    [summary, DIGEST_LENGTHS.calls],
    [answer, DIGEST_LENGTHS.answer],
  ];
  return {
    text: parts.map(([excerpt, limit]) => (excerpt ? writer.excerpt(excerpt, Math.floor(limit * scale)) : '')).join(''),
    ids: parts.flatMap(([excerpt]) => excerpt?.id ?? []),
  };
}

interface MeasuredExcerpt {
  readonly excerpt: PromptExcerpt;
  /** Of its shown text. */
  readonly length: number;
  /** With label and marker. */
  readonly size: number;
  render(): string;
}

/** Computes the text of an excerpt once, to know its length before it is rendered. */
function measureExcerpt(
  excerpt: PromptExcerpt,
  writer: PromptWriter,
  room: number = Number.POSITIVE_INFINITY,
): MeasuredExcerpt {
  const text = excerpt.text();
  const computed = { ...excerpt, text: () => text };
  const overhead = writer.overhead(excerpt);
  const limit = Math.floor(Math.min(excerpt.maxLength, Math.max(0, room - overhead)));
  const length = Math.min(text.length, limit);
  return { excerpt: computed, length, size: length + overhead, render: () => writer.excerpt(computed, limit) };
}

interface StepSelection {
  readonly first: readonly StepExcerpts[];
  readonly last: readonly StepExcerpts[];
  /** What is left out; null if nothing is. */
  readonly note: string | null;
}

/** The first and the last steps if there are too many; reasoning is left out first. */
function selectSteps(all: readonly StepExcerpts[], limit: number): StepSelection {
  if (countExcerpts(all) <= limit) return { first: all, last: [], note: null };
  const steps = all.filter(({ reasoning }) => !reasoning);
  const reasoningNote = steps.length < all.length ? 'what the agent thought is left out' : null;
  if (countExcerpts(steps) <= limit) return { first: steps, last: [], note: reasoningNote };
  const first = takeExcerpts(limit * FIRST_STEPS_SHARE, steps);
  const last = takeExcerpts(limit - countExcerpts(first), steps.slice(first.length).reverse()).reverse();
  const count = steps.length - first.length - last.length;
  const note = `${count} ${count === 1 ? 'step' : 'steps'} in between ${count === 1 ? 'is' : 'are'} left out`;
  return { first, last, note: reasoningNote ? `${note}, and ${reasoningNote}` : note };
}

function takeExcerpts(limit: number, steps: readonly StepExcerpts[]): StepExcerpts[] {
  let excerpts = 0;
  const end = steps.findIndex((step) => {
    excerpts += step.excerpts.length;
    return excerpts > limit;
  });
  return steps.slice(0, end < 0 ? steps.length : end);
}

function countExcerpts(steps: readonly StepExcerpts[]): number {
  return sum(steps.map(({ excerpts }) => excerpts.length));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
