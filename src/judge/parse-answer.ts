import type * as z from 'zod';
import { get, type JsonObject } from '../core/json.ts';
import type { AnswerSchema } from './answer-schemas.ts';
import type { BatchCall } from './batch-call.ts';
import { extractObject, extractTruncatedObject } from './extract-json.ts';
import type { Question } from './question.ts';

/** The part of an answer that belongs to one question: its value, or what is wrong with it. */
export type ParsedAnswer = { readonly fits: true; readonly value: unknown; readonly raw: unknown } | InvalidAnswer;

export interface InvalidAnswer {
  readonly fits: false;
  /** Sentences for the model; none where the fault is not its own. */
  readonly problems: readonly string[];
  /** The first of them, short, for people. */
  readonly brief: string;
}

/** A model that misses every field of many need not be told each time. */
const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 300;
const MAX_BRIEF_LENGTH = 110;
/** What can stand in a field is told to people as long as it is a short list, in characters. */
const MAX_LIST_LENGTH = 60;

/** Reads the text of an answer, each question's part by itself. */
export function parseAnswer({ answers, ids }: BatchCall, text: string): Map<Question, ParsedAnswer> {
  const names = Array.from(answers.keys(), ({ name }) => name);
  const object = extractObject(text, names);
  return parseParts(answers, (question, form) => {
    if (object === null) return invalidAnswer('The answer was no JSON object.');
    const part = parsePart(question.name, get(object, question.name), form, ids);
    // Small models that are asked one thing leave out the key around it.
    const bare = part.fits || names.length > 1 ? part : parsePart(question.name, object, form, ids);
    return bare.fits ? bare : part;
  });
}

/** Reads the text of an answer that was cut: what is there in whole. */
export function parseTruncatedAnswer({ answers, ids }: BatchCall, text: string): Map<Question, ParsedAnswer> {
  const object: JsonObject = extractTruncatedObject(text) ?? {};
  return parseParts(answers, ({ name }, form) => parsePart(name, get(object, name), form, ids));
}

/** What rests on a fact in the same answer that does not fit rests on nothing. */
function parseParts(
  answers: BatchCall['answers'],
  read: (question: Question, form: AnswerSchema) => ParsedAnswer,
): Map<Question, ParsedAnswer> {
  const parts = new Map<Question, ParsedAnswer>();
  for (const [question, form] of answers) {
    const isSound = (question.facts ?? []).every((fact) => parts.get(fact)?.fits !== false);
    parts.set(question, isSound ? read(question, form) : { fits: false, problems: [], brief: '' });
  }
  return parts;
}

function parsePart(name: string, raw: unknown, form: AnswerSchema, ids: readonly string[]): ParsedAnswer {
  if (raw === undefined) return invalidAnswer(`"${name}" was missing.`);
  const read = form.parse(raw, ids);
  if (read.fits) return { ...read, raw };
  const problems = read.issues
    .slice(0, MAX_PROBLEMS)
    .map((issue) => truncate(`${fieldPath(name, issue)}: ${issueMessage(issue)}`, MAX_PROBLEM_LENGTH));
  const [first] = read.issues;
  return { fits: false, problems, brief: first ? briefProblem(name, first) : `${name} does not fit.` };
}

function invalidAnswer(sentence: string): InvalidAnswer {
  return { fits: false, problems: [sentence], brief: sentence };
}

/** The ids that a prompt shows help the model, and nobody else. */
function briefProblem(name: string, issue: z.core.$ZodIssue): string {
  const isLong = issue.code === 'invalid_value' && issue.values.join('|').length > MAX_LIST_LENGTH;
  const [field, message] = [fieldPath(name, issue), issueMessage(issue)];
  if (isLong)
    return `${truncate(field, MAX_BRIEF_LENGTH)} is none of the ${issue.values.length} values that can stand there.`;
  return truncate(`${field}: ${message}`, MAX_BRIEF_LENGTH);
}

function fieldPath(name: string, { path }: z.core.$ZodIssue): string {
  return [name, ...path.map(String)].join('.');
}

function issueMessage({ message }: z.core.$ZodIssue): string {
  return message.replace(/\s+/g, ' ');
}

function truncate(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
