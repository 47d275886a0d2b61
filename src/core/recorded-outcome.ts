import { getNumber } from './json.ts';
import type { ImportedScores, RecordedOutcome, Session } from './session.ts';

/**
 * How outcomes that files carry are read; docs/formats.md has the table. What is not clearly a success is never one:
 * a value that is missing, not a number or outside its scale leaves the outcome unknown.
 */

/** Rounding of sums of weights. */
const EPSILON = 1e-6;

/** A benchmark's reward from 0 to 1: only the full reward is success. Undefined where there is none. */
export function outcomeOfReward(value: unknown, field = 'reward', pointer?: string): RecordedOutcome | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value >= 0 && value <= 1 + EPSILON)) {
    return {
      status: 'unknown',
      reason: `${field} ${describe(value)} in the trace is no reward from 0 to 1`,
      ...at(pointer),
    };
  }
  const status = value >= 1 - EPSILON ? 'succeeded' : 'failed';
  return { status, reason: `${field} ${formatReward(value)} in the trace`, ...at(pointer) };
}

const POSITIVE = new Set([
  'c',
  'correct',
  'pass',
  'passed',
  'success',
  'succeeded',
  'successful',
  'true',
  'resolved',
  'yes',
]);
const NEGATIVE = new Set(['i', 'incorrect', 'fail', 'failed', 'failure', 'false', 'unresolved', 'n', 'noanswer', 'no']);

/** A grade: a boolean, 0 or 1, or a word such as `passed`. Anything else decides nothing. */
function isGradePositive(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value === 1 ? true : value === 0 ? false : null;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return POSITIVE.has(word) ? true : NEGATIVE.has(word) ? false : null;
}

/** One grade under the name of its field. Undefined where there is none. */
export function outcomeOfGrade(value: unknown, field: string, pointer?: string): RecordedOutcome | undefined {
  return value === undefined || value === null ? undefined : outcomeOfGrades([[field, value]], pointer);
}

/** Several graders: one that says no fails it; it succeeds only if all say yes. Undefined where there is none. */
export function outcomeOfGrades(
  grades: readonly (readonly [name: string, value: unknown])[],
  pointer?: string,
): RecordedOutcome | undefined {
  if (grades.length === 0) return undefined;
  const read = grades.map(([name, value]) => ({
    text: `${name} ${describe(value)}`,
    isPositive: isGradePositive(value),
  }));
  const pick = (wanted: boolean | null) => read.filter(({ isPositive }) => isPositive === wanted);
  const failed = pick(false);
  const open = pick(null);
  const [status, deciding] =
    failed.length > 0
      ? (['failed', failed] as const)
      : open.length > 0
        ? (['unknown', open] as const)
        : (['succeeded', read] as const);
  const [first] = deciding;
  const more = deciding.length > 1 ? ` and ${deciding.length - 1} more` : '';
  const what = status === 'unknown' ? 'says neither success nor failure' : 'in the trace';
  return { status, reason: `${first?.text}${more} ${what}`, ...at(pointer) };
}

/** Names of scores of a whole session that are its outcome, in order of preference. */
const OUTCOME_SCORES = ['reward', 'success', 'task_success', 'is_success', 'resolved', 'passed'] as const;

/** The outcome that a session carries: its own, else a score with the name of an outcome, else its reference. */
export function recordedOutcome({ outcome, scores, reference }: Session): RecordedOutcome | undefined {
  if (outcome) return outcome;
  const name = OUTCOME_SCORES.find((candidate) => scores !== undefined && Object.hasOwn(scores, candidate));
  if (name !== undefined) return outcomeOfScore(name, scores);
  const reached = reference?.goalReached;
  return reached === undefined ? undefined : outcomeOfGrade(reached, 'goalReached');
}

function outcomeOfScore(name: string, scores: ImportedScores | undefined): RecordedOutcome | undefined {
  const number = getNumber(scores, name);
  return number === undefined ? outcomeOfGrade(scores?.[name], name) : outcomeOfReward(number, name);
}

/** What the user's feedback on a whole session says; the last entry counts. */
export function feedbackOutcome({ feedback = [] }: Session): RecordedOutcome | undefined {
  const last = feedback.findLast(
    ({ metric, rule, label }) => metric === undefined && rule === undefined && label === undefined,
  );
  if (!last) return undefined;
  const note = last.note ? `: ${last.note}` : '';
  return last.value === 'up'
    ? { status: 'succeeded', reason: `thumbs up from the user${note}` }
    : { status: 'failed', reason: `thumbs down from the user${note}` };
}

/** At least one digit behind the point, so that it reads as a reward. */
function formatReward(value: number): string {
  const rounded = Number(value.toFixed(4));
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(rounded);
}

/** Maximum length of a value that is quoted. */
const MAX_VALUE = 40;

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function at(pointer: string | undefined): { pointer?: string } {
  return pointer === undefined ? {} : { pointer };
}
