import type * as z from 'zod';
import { get, type JsonObject } from '../core/json.ts';
import type { AnswerForm } from './answer-forms.ts';
import { objectBeforeCut, objectIn } from './answer-text.ts';
import type { Question } from './question.ts';
import type { QuestionCall } from './question-call.ts';

/** The part of an answer that belongs to one question: its value, or what is wrong with it. */
export type Read = { readonly fits: true; readonly value: unknown; readonly raw: unknown } | Misfit;

export interface Misfit {
  readonly fits: false;
  /** Sentences for the model; none where the fault is not its own. */
  readonly problems: readonly string[];
  /** The first of them, short, for people. */
  readonly brief: string;
}

/** A model that misses every field of many need not be told each time. */
const MOST_PROBLEMS = 5;
const LONGEST_PROBLEM = 300;
const LONGEST_BRIEF = 110;
/** What can stand in a field is told to people as long as it is a short list, in characters. */
const LONGEST_LIST = 60;

/** Reads the text of an answer, each question's part by itself. */
export function readAnswer({ answers, ids }: QuestionCall, text: string): Map<Question, Read> {
  const names = Array.from(answers.keys(), ({ name }) => name);
  const object = objectIn(text, names);
  return readParts(answers, (question, form) => {
    if (object === null) return misfit('The answer was no JSON object.');
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
    parts.set(question, isSound ? read(question, form) : { fits: false, problems: [], brief: '' });
  }
  return parts;
}

function readPart(name: string, raw: unknown, form: AnswerForm, ids: readonly string[]): Read {
  if (raw === undefined) return misfit(`"${name}" was missing.`);
  const read = form.read(raw, ids);
  if (read.fits) return { ...read, raw };
  const problems = read.issues
    .slice(0, MOST_PROBLEMS)
    .map((issue) => cut(`${fieldOf(name, issue)}: ${messageOf(issue)}`, LONGEST_PROBLEM));
  const [first] = read.issues;
  return { fits: false, problems, brief: first ? briefOf(name, first) : `${name} does not fit.` };
}

function misfit(sentence: string): Misfit {
  return { fits: false, problems: [sentence], brief: sentence };
}

/** The ids that a prompt shows help the model, and nobody else. */
function briefOf(name: string, issue: z.core.$ZodIssue): string {
  const isLong = issue.code === 'invalid_value' && issue.values.join('|').length > LONGEST_LIST;
  const [field, message] = [fieldOf(name, issue), messageOf(issue)];
  if (isLong) return `${cut(field, LONGEST_BRIEF)} is none of the ${issue.values.length} values that can stand there.`;
  return cut(`${field}: ${message}`, LONGEST_BRIEF);
}

function fieldOf(name: string, { path }: z.core.$ZodIssue): string {
  return [name, ...path.map(String)].join('.');
}

function messageOf({ message }: z.core.$ZodIssue): string {
  return message.replace(/\s+/g, ' ');
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
