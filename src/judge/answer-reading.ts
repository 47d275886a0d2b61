import { get, type JsonObject } from '../core/json.ts';
import type { AnswerForm } from './answer-forms.ts';
import { objectBeforeCut, objectIn } from './answer-text.ts';
import type { Question } from './question.ts';
import type { QuestionCall } from './question-call.ts';

/** The part of an answer that belongs to one question: its value, or sentences that say what is wrong with it. */
export type Read =
  | { readonly fits: true; readonly value: unknown; readonly raw: unknown }
  | { readonly fits: false; readonly problems: readonly string[] };

/** A model that misses every field of many need not be told each time. */
const MOST_PROBLEMS = 5;
const LONGEST_PROBLEM = 300;

/** Reads the text of an answer, each question's part by itself. */
export function readAnswer({ answers, ids }: QuestionCall, text: string): Map<Question, Read> {
  const names = Array.from(answers.keys(), ({ name }) => name);
  const object = objectIn(text, names);
  return readParts(answers, (question, form) => {
    if (object === null) return { fits: false, problems: ['The answer was no JSON object.'] };
    const part = readPart(question.name, get(object, question.name), form, ids);
    // Small models that are asked one thing leave out the key around it.
    const bare = part.fits || names.length > 1 ? part : readPart(question.name, object, form, ids);
    return bare.fits ? bare : part;
  });
}

/** Reads the text of an answer that was cut: what is there in whole. */
export function readCutAnswer({ answers, ids }: QuestionCall, text: string): Map<Question, Read> {
  const object: JsonObject = objectBeforeCut(text) ?? {};
  return readParts(answers, ({ name }, form) => readPart(name, get(object, name), form, ids));
}

/** What rests on a fact in the same answer that does not fit rests on nothing. */
function readParts(
  answers: QuestionCall['answers'],
  read: (question: Question, form: AnswerForm) => Read,
): Map<Question, Read> {
  const parts = new Map<Question, Read>();
  for (const [question, form] of answers) {
    const isSound = (question.facts ?? []).every((fact) => parts.get(fact)?.fits !== false);
    parts.set(question, isSound ? read(question, form) : { fits: false, problems: [] });
  }
  return parts;
}

function readPart(name: string, raw: unknown, form: AnswerForm, ids: readonly string[]): Read {
  if (raw === undefined) return { fits: false, problems: [`"${name}" was missing.`] };
  const read = form.read(raw, ids);
  if (read.fits) return { ...read, raw };
  const problems = read.issues.slice(0, MOST_PROBLEMS).map(({ path, message }) => {
    const sentence = `${[name, ...path.map(String)].join('.')}: ${message.replace(/\s+/g, ' ')}`;
    return sentence.length <= LONGEST_PROBLEM ? sentence : `${sentence.slice(0, LONGEST_PROBLEM - 1)}…`;
  });
  return { fits: false, problems };
}
