import { get, isObject } from './json.ts';
import { childPointer } from './pointer.ts';
import type { Pointer, RecordedOutcome, Session } from './session.ts';

/**
 * How outcomes that files carry are read; docs/formats.md has the table. What is not clearly a success is never one:
 * a value that is missing, not a number or outside its scale leaves the outcome unknown.
 */

/** Rounding of sums of weights. */
const EPSILON = 1e-6;

/** A value under the name of its field, and where it stands. */
export type NamedValue = readonly [name: string, value: unknown, pointer?: Pointer];

/** What one value says: true and false decide, null does not. */
interface Grade {
  readonly isPositive: boolean | null;
  /** Such as `reward 0.0`. */
  readonly text: string;
  /** Why it decides nothing. */
  readonly doubt?: string;
  readonly pointer: Pointer | undefined;
}

/** A benchmark's reward from 0 to 1: only the full reward is success. Undefined where there is none. */
export function outcomeOfReward(value: unknown, field = 'reward', pointer?: Pointer): RecordedOutcome | undefined {
  return value === undefined || value === null ? undefined : combine([rewardGrade([field, value, pointer])]);
}

/** One grade under the name of its field. Undefined where there is none. */
export function outcomeOfGrade(value: unknown, field: string, pointer?: Pointer): RecordedOutcome | undefined {
  return value === undefined || value === null ? undefined : outcomeOfGrades([[field, value, pointer]]);
}

/** Several graders: one that says no fails it; it succeeds only if all say yes. Undefined where there is none. */
export function outcomeOfGrades(grades: readonly NamedValue[]): RecordedOutcome | undefined {
  return combine(grades.map(wordGrade));
}

/** A value of unknown meaning, as a mapping finds it: a number is a reward, anything else a grade. */
export function outcomeOfValue(value: unknown, field: string, pointer?: Pointer): RecordedOutcome | undefined {
  return typeof value === 'number' ? outcomeOfReward(value, field, pointer) : outcomeOfGrade(value, field, pointer);
}

/** Names of scores and fields that are the outcome of a whole session. */
const OUTCOME_NAMES: ReadonlySet<string> = new Set([
  'reward',
  'success',
  'succeeded',
  'is_success',
  'task_success',
  'goal_success',
  'resolved',
  'is_resolved',
  'passed',
  'is_correct',
  'utility',
]);

/** Scores that are named like an outcome; other names say nothing. A number is a reward, anything else a grade. */
export function outcomeOfScores(scores: readonly NamedValue[]): RecordedOutcome | undefined {
  return combine(
    scores.flatMap((score) => {
      const [name, value] = score;
      if (!OUTCOME_NAMES.has(normalizeName(name)) || value === undefined || value === null) return [];
      return typeof value === 'number' ? rewardGrade(score) : wordGrade(score);
    }),
  );
}

/** The fields of an object that are named like an outcome. */
export function outcomeInFields(
  value: unknown,
  pointer: Pointer,
  isRead: (field: string) => boolean = () => true,
): RecordedOutcome | undefined {
  if (!isObject(value)) return undefined;
  const fields = Object.keys(value).filter((key) => OUTCOME_NAMES.has(normalizeName(key)) && isRead(key));
  return outcomeOfScores(fields.sort().map((key) => [key, get(value, key), childPointer(pointer, key)]));
}

/** A run that ended without a grade. `failed` only where its source counts such runs as failed. */
export function outcomeOfEnd(status: 'failed' | 'unknown', how: string, pointer: Pointer): RecordedOutcome {
  return { status, reason: status === 'failed' ? how : `${how}, and nothing graded the run`, pointer };
}

/** A person's or a program's statement in Turnwise's own files. @param where such as `the trace`. */
export function outcomeOfStatement(
  {
    status,
    by,
    reason,
  }: { readonly status: RecordedOutcome['status']; readonly by?: string; readonly reason?: string },
  where: string,
  pointer?: Pointer,
): RecordedOutcome {
  const marked = `marked ${status} ${by === undefined ? 'in' : `by ${by} in`} ${where}`;
  return { status, reason: reason ?? marked, ...at(pointer) };
}

/** The outcome that a session carries: its own, else a score with the name of an outcome, else its reference. */
export function recordedOutcome({ outcome, scores, reference }: Session): RecordedOutcome | undefined {
  return (
    outcome ?? outcomeOfScores(Object.entries(scores ?? {})) ?? outcomeOfGrade(reference?.goalReached, 'goalReached')
  );
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

function rewardGrade([name, value, pointer]: NamedValue): Grade {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1 + EPSILON)) {
    return {
      isPositive: null,
      text: `${name} ${describe(value)}`,
      doubt: 'in the trace is no reward from 0 to 1',
      pointer,
    };
  }
  return { isPositive: value >= 1 - EPSILON, text: `${name} ${formatReward(value)}`, pointer };
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
function wordGrade([name, value, pointer]: NamedValue): Grade {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const isPositive =
    value === true || value === 1 || POSITIVE.has(word)
      ? true
      : value === false || value === 0 || NEGATIVE.has(word)
        ? false
        : null;
  return { isPositive, text: `${name} ${describe(value)}`, pointer };
}

/** One grade that says no fails the whole; it succeeds only if all say yes. */
function combine(grades: readonly Grade[]): RecordedOutcome | undefined {
  const failed = grades.filter(({ isPositive }) => isPositive === false);
  const open = grades.filter(({ isPositive }) => isPositive === null);
  const [status, deciding] =
    failed.length > 0
      ? (['failed', failed] as const)
      : open.length > 0
        ? (['unknown', open] as const)
        : (['succeeded', grades] as const);
  const [first] = deciding;
  if (!first) return undefined;
  const more = deciding.length > 1 ? ` and ${deciding.length - 1} more` : '';
  const what = status === 'unknown' ? (first.doubt ?? 'says neither success nor failure') : 'in the trace';
  return { status, reason: `${first.text}${more} ${what}`, ...at(first.pointer) };
}

/** `Task Success`, `taskSuccess` and `task-success` as `task_success`. */
function normalizeName(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/** At least one digit behind the point, so that it reads as a reward. */
function formatReward(value: number): string {
  const rounded = Number(value.toFixed(4));
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(rounded);
}

/** Maximum length of a value that is quoted. */
const MAX_VALUE = 40;

function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > MAX_VALUE ? `"${value.slice(0, MAX_VALUE)}…"` : `"${value}"`;
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'list' : 'object') : String(value);
}

function at(pointer: Pointer | undefined): { pointer?: Pointer } {
  return pointer === undefined ? {} : { pointer };
}
