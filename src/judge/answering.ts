import type { Evidence } from '../core/result.ts';
import type { AnswerForms } from './answer-forms.ts';
import { type Read, readAnswer, readCutAnswer } from './answer-reading.ts';
import type { Caller, Reply } from './caller.ts';
import type { Failure } from './failure.ts';
import { type Facts, type Place, promptAbout } from './place.ts';
import type { SessionPrompts } from './prompting/session-prompts.ts';
import type { Question } from './question.ts';
import { callOf, type QuestionCall } from './question-call.ts';

/** Whom is asked about what. */
export interface Topic {
  readonly place: Place;
  /** For the log: which turn of which session. */
  readonly title: string;
  readonly prompts: SessionPrompts;
  readonly caller: Caller;
  readonly forms: AnswerForms;
  /** `provider/model`. */
  readonly judge: string;
}

/** A question's part of an answer. */
export interface Part {
  readonly status: 'given';
  readonly value: unknown;
  /** As the model wrote it. */
  readonly raw: unknown;
  cite(ids: readonly string[]): readonly Evidence[];
}

export type Outcomes = ReadonlyMap<Question, Part | Failure>;
/** Values of facts that are known. */
export type Given = ReadonlyMap<Question, unknown>;

/** Some questions for one call, each behind those it rests on. */
interface Asking {
  readonly questions: readonly Question[];
  /** What they rest on and is not among them. */
  readonly given: Given;
  readonly sample: number;
  /** What was wrong with the last answer, when it is asked for again. */
  readonly complaints: readonly string[];
  /** What was tried already: nothing is tried twice, so that there is an end. */
  readonly tried: { readonly again: boolean; readonly halves: boolean };
}

/**
 * Asks some questions in one call. What fits of the answer is kept; what does not is asked for once more, with what was
 * wrong, and what was cut off in two calls, since shorter answers may be within the model's limit. Never rejects.
 *
 * @param sample from 0, when the same is asked several times.
 */
export function outcomesOf(
  questions: readonly Question[],
  given: Given,
  sample: number,
  topic: Topic,
): Promise<Outcomes> {
  return answered({ questions, given, sample, complaints: [], tried: { again: false, halves: false } }, topic);
}

async function answered(asking: Asking, topic: Topic): Promise<Outcomes> {
  const { questions, given, sample, complaints } = asking;
  const reply = await topic.caller.call(() => {
    const prompt = promptAbout(topic.prompts, topic.place, questions, factsOf(questions, given));
    return callOf(topic.title, questions, prompt, topic.forms, complaints);
  }, sample);
  if (reply.status !== 'replied') return failing(questions, () => reply);
  if (reply.finish === 'refusal') {
    return failing(questions, () => error(`${topic.judge} refused to answer${quotedEnd(reply.text)}`));
  }
  const isCut = reply.finish === 'length';
  const read = isCut ? readCutAnswer(reply.call, reply.text) : readAnswer(reply.call, reply.text);
  const fitting = fittingOf(read, reply);
  const isComplete = fitting.size === questions.length;
  if (!reply.cached && (isComplete || !isCut)) keep(reply, fitting);
  if (isComplete) return fitting;

  const mend = isCut ? cutOff : misfits;
  const all = new Map([...fitting, ...(await mend(read, withValues(given, fitting), asking, topic))]);
  keep(reply, all);
  return all;
}

type Mend = (read: ReadonlyMap<Question, Read>, given: Given, asking: Asking, topic: Topic) => Promise<Outcomes>;

const misfits: Mend = async (read, given, asking, topic) => {
  const rest = restOf(read);
  if (!asking.tried.again) {
    const complaints = rest.flatMap((question) => problemsOf(question, read));
    return answered({ ...asking, questions: rest, given, complaints, tried: { again: true, halves: true } }, topic);
  }
  return failing(rest, (question) => {
    // What has no fault of its own rests on something that has.
    const faulty = [question, ...(question.facts ?? [])].find((one) => problemsOf(one, read).length > 0) ?? question;
    return error(`${topic.judge} gave an answer that does not fit: ${briefOf(faulty, read)}`);
  });
};

const cutOff: Mend = async (read, given, asking, topic) => {
  const rest = restOf(read);
  if (asking.tried.halves || asking.questions.length === 1) {
    const advice = 'A model that may write more helps, or fewer questions in a call (`questionsPerCall`).';
    return failing(rest, ({ name }) =>
      error(`The answer of ${topic.judge} reached the model's limit before "${name}" was complete. ${advice}`),
    );
  }
  const middle = Math.ceil(rest.length / 2);
  const half = (questions: readonly Question[], known: Given) =>
    answered({ ...asking, questions, given: known, tried: { ...asking.tried, halves: true } }, topic);
  const first = await half(rest.slice(0, middle), given);
  const lost = failuresIn(first);
  const [resting, free] = parted(rest.slice(middle), ({ facts }) => firstOf(facts, lost) !== undefined);
  const second = free.length === 0 ? [] : await half(free, withValues(given, first));
  return new Map([...first, ...second, ...failing(resting, ({ facts }) => firstOf(facts, lost) ?? NOT_ASKED)]);
};

/** What nobody could answer for a reason that is told elsewhere. */
export const NOT_ASKED: Failure = { status: 'error', reason: 'The question was not asked.' };

function fittingOf(read: ReadonlyMap<Question, Read>, { call }: Reply<QuestionCall>): ReadonlyMap<Question, Part> {
  return new Map(
    [...read].flatMap(([question, { fits, ...part }]) =>
      fits && 'value' in part ? [[question, { status: 'given', ...part, cite: call.cite }]] : [],
    ),
  );
}

function restOf(read: ReadonlyMap<Question, Read>): readonly Question[] {
  return [...read].flatMap(([question, { fits }]) => (fits ? [] : question));
}

function problemsOf(question: Question, read: ReadonlyMap<Question, Read>): readonly string[] {
  const part = read.get(question);
  return part?.fits === false ? part.problems : [];
}

function briefOf(question: Question, read: ReadonlyMap<Question, Read>): string {
  const part = read.get(question);
  return part?.fits === false ? part.brief : '';
}

/** Keeps what was answered under the call that asked for it, so that the next run need not mend it again. */
function keep(reply: Reply<QuestionCall>, outcomes: Outcomes): void {
  const raw = [...outcomes].flatMap(([{ name }, part]) => (part.status === 'given' ? [[name, part.raw] as const] : []));
  if (raw.length > 0) reply.keep(JSON.stringify(Object.fromEntries(raw)));
}

function withValues(given: Given, outcomes: Outcomes): Given {
  const values = [...outcomes].flatMap(([question, part]) =>
    part.status === 'given' ? [[question, part.value] as const] : [],
  );
  return new Map([...given, ...values]);
}

/** What questions rest on, as far as it is known, by the names of the facts. */
export function factsOf(questions: readonly Question[], given: Given): Facts {
  const facts = questions.flatMap(({ facts = [] }) => facts.filter((fact) => given.has(fact)));
  return Object.fromEntries(facts.map((fact) => [fact.name, given.get(fact)]));
}

export function failuresIn(outcomes: Outcomes): ReadonlyMap<Question, Failure> {
  return new Map([...outcomes].flatMap(([question, part]) => (part.status === 'given' ? [] : [[question, part]])));
}

/** Of the facts that a question rests on, the first that is in a map. */
export function firstOf<T>(facts: readonly Question[] = [], map: ReadonlyMap<Question, T>): T | undefined {
  const found = facts.find((fact) => map.has(fact));
  return found && map.get(found);
}

function failing(questions: readonly Question[], failure: (question: Question) => Failure): Outcomes {
  return new Map(questions.map((question) => [question, failure(question)]));
}

function error(reason: string): Failure {
  return { status: 'error', reason };
}

function parted<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(items, (item) => (test(item) ? 'yes' : 'no'));
  return [yes, no];
}

/** A model's own words, as the end of a sentence, with its full stop. */
function quotedEnd(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '.';
  const shown = line.length <= 200 ? line : `${line.slice(0, 199)}…`;
  return `: "${shown}"${/[.!?…]$/.test(shown) ? '' : '.'}`;
}
