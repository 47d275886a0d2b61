import type * as z from 'zod';
import { get, isObject, type JsonObject, parseJson } from '../core/json.ts';
import { truncate } from '../core/text/truncate.ts';
import type { AnswerSchema } from './answer-schemas.ts';
import type { CitableIds } from './prompting/session-prompts.ts';
import type { Question } from './question.ts';

/** What a call expects as its answer. */
export interface ExpectedAnswers {
  readonly answers: ReadonlyMap<Question, AnswerSchema>;
  /** What an answer may cite. */
  readonly shown: CitableIds;
}

/** The part of an answer that belongs to one question: its value, or what is wrong with it. */
export type ParsedAnswer = { readonly isValid: true; readonly value: unknown; readonly raw: unknown } | InvalidAnswer;

interface InvalidAnswer {
  readonly isValid: false;
  /** Sentences for the model; none if the problem is in another part. */
  readonly problems: readonly string[];
  /** The first of them, short, for people. */
  readonly brief: string;
}

/** A model that misses every field of many does not need to be told each time. */
const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 300;
const MAX_BRIEF_LENGTH = 110;
/** The possible values of a field are shown to people only if their list is short, in characters. */
const MAX_LIST_LENGTH = 60;

/** Parses the text of an answer, each question's part on its own. */
export function parseAnswer({ answers, shown }: ExpectedAnswers, text: string): Map<Question, ParsedAnswer> {
  const names = Array.from(answers.keys(), ({ name }) => name);
  const object = extractObject(text, names);
  return parseParts(answers, (question, schema) => {
    if (object === null) return invalidAnswer('The answer was no JSON object.');
    const part = parsePart(question.name, get(object, question.name), schema, shown);
    // Small models that are asked one question leave out the key around the answer.
    const bare = part.isValid || names.length > 1 ? part : parsePart(question.name, object, schema, shown);
    return bare.isValid ? bare : part;
  });
}

/** Parses the complete parts of an answer that was truncated. */
export function parseTruncatedAnswer({ answers, shown }: ExpectedAnswers, text: string): Map<Question, ParsedAnswer> {
  const object: JsonObject = extractTruncatedObject(text) ?? {};
  return parseParts(answers, ({ name }, schema) => parsePart(name, get(object, name), schema, shown));
}

/** A part that depends on an invalid fact in the same answer is invalid too. */
function parseParts(
  answers: ExpectedAnswers['answers'],
  parse: (question: Question, schema: AnswerSchema) => ParsedAnswer,
): Map<Question, ParsedAnswer> {
  const parts = new Map<Question, ParsedAnswer>();
  for (const [question, schema] of answers) {
    const hasValidFacts = (question.facts ?? []).every((fact) => parts.get(fact)?.isValid !== false);
    parts.set(question, hasValidFacts ? parse(question, schema) : { isValid: false, problems: [], brief: '' });
  }
  return parts;
}

function parsePart(name: string, raw: unknown, schema: AnswerSchema, shown: CitableIds): ParsedAnswer {
  if (raw === undefined) return invalidAnswer(`"${name}" was missing.`);
  const match = schema.parse(raw, shown);
  if (match.isValid) return { ...match, raw };
  const listed = new Set<string>();
  const problems = match.issues.slice(0, MAX_PROBLEMS).map((issue) => problemText(name, issue, listed));
  const [first] = match.issues;
  return { isValid: false, problems, brief: first ? briefProblem(name, first) : `${name} does not fit.` };
}

/**
 * A sentence for the model. A list of possible values is never cut: the model cannot know the rest.
 *
 * @param listed the lists that other sentences have.
 */
function problemText(name: string, issue: z.core.$ZodIssue, listed: Set<string>): string {
  const [field, message] = [fieldPath(name, issue), issueMessage(issue)];
  const text = `${field}: ${message}`;
  if (issue.code !== 'invalid_value' || text.length <= MAX_PROBLEM_LENGTH) return truncate(text, MAX_PROBLEM_LENGTH);
  const isKnown = listed.has(message);
  listed.add(message);
  const values = isKnown ? `Invalid option: expected one of the same ${issue.values.length} values` : message;
  return `${truncate(field, MAX_BRIEF_LENGTH)}: ${values}`;
}

/** @param sentence goes to the model as well: changing one asks for what is cached again. */
function invalidAnswer(sentence: string): InvalidAnswer {
  return { isValid: false, problems: [sentence], brief: sentence };
}

/** The ids of a prompt help the model only. */
function briefProblem(name: string, issue: z.core.$ZodIssue): string {
  const isLong = issue.code === 'invalid_value' && issue.values.join('|').length > MAX_LIST_LENGTH;
  const [field, message] = [fieldPath(name, issue), issueMessage(issue)];
  if (!isLong) return truncate(`${field}: ${message}`, MAX_BRIEF_LENGTH);
  return `${truncate(field, MAX_BRIEF_LENGTH)} is none of its ${issue.values.length} possible values.`;
}

function fieldPath(name: string, { path }: z.core.$ZodIssue): string {
  return [name, ...path.map(String)].join('.');
}

function issueMessage({ message }: z.core.$ZodIssue): string {
  return message.replace(/\s+/g, ' ');
}

/** Characters to scan for an object: a text may have millions of braces that are never closed. */
const MAX_SCANNED = 2_000_000;

/**
 * The object that a model answered with: the whole text, or an object in a fence or between other words. Models think aloud, and
 * in braces too: the last object that has one of the keys is the answer, otherwise the last object.
 */
export function extractObject(text: string, keys: readonly string[]): JsonObject | null {
  const whole = parseJson(text);
  if (isObject(whole)) return whole;
  let answer: JsonObject | null = null;
  let other: JsonObject | null = null;
  let start = text.indexOf('{');
  let scanned = 0;
  while (start >= 0 && scanned < MAX_SCANNED) {
    const end = findObjectEnd(text, start);
    scanned += (end > start ? end : text.length) - start;
    const value = parseJson(text.slice(start, end));
    if (!isObject(value)) {
      start = text.indexOf('{', start + 1);
      continue;
    }
    if (keys.some((key) => Object.hasOwn(value, key))) answer = value;
    else other = value;
    start = text.indexOf('{', end);
  }
  return answer ?? other;
}

/** The complete properties of an object whose text was truncated. */
export function extractTruncatedObject(text: string): JsonObject | null {
  const start = text.indexOf('{');
  let lastComma = -1;
  for (const { at, sign, depth } of structuralCharacters(text, start)) {
    if (sign === ',' && depth === 1) lastComma = at;
  }
  const value = lastComma < 0 ? undefined : parseJson(`${text.slice(start, lastComma)}}`);
  return isObject(value) ? value : null;
}

/** `start` itself if the object has no end. */
function findObjectEnd(text: string, start: number): number {
  for (const { at, sign, depth } of structuralCharacters(text, start)) if (sign === '}' && depth === 0) return at + 1;
  return start;
}

/** Commas and brackets outside strings, with the depth after each; from the bracket at `start` to its end. */
function* structuralCharacters(text: string, start: number): Generator<{ at: number; sign: string; depth: number }> {
  let depth = 0;
  let inString = false;
  for (let at = start; at >= 0 && at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
      continue;
    }
    if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else if (sign !== ',') continue;
    if (sign !== '"') yield { at, sign, depth };
    if (depth === 0) return;
  }
}
