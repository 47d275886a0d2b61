import { createProblem, type Problem } from '../core/problem.ts';
import type { Gate, Undecided } from '../core/report.ts';
import type { MissingResult } from '../core/session-outcome.ts';
import { listSome } from '../core/text/lists.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { unfitReason } from '../core/unfit-answer.ts';
import { groupByCause, type MissingCause, type MissingCode, STOPPED } from './missing-results.ts';

/** Singular and plural. */
const MISSING_PHRASES: Readonly<Record<MissingCode, readonly [one: string, several: string]>> = {
  'judge-unanswered': ['question got no answer', 'questions got no answer'],
  'function-failed': ['result of a function failed', 'results of functions failed'],
  'metric-failed': ['result could not be computed', 'results could not be computed'],
  interrupted: ['result was not computed', 'results were not computed'],
};

/** Why a session is undecided unless something fails it, one sentence each; missing results come first. */
export function undecidedReasons(
  missing: readonly MissingResult[],
  gates: readonly Gate[],
  isRecorded: boolean,
): string[] {
  const open = gates.filter(({ met }) => met === null);
  const unrecorded = isRecorded || open.length > 0 ? [] : ['Nothing of this session was recorded.'];
  return [
    ...groupByCause(missing).map(causeSentence),
    ...open.map(({ metric, reason }) => endSentence(`${metric}: ${reason}`)),
    ...unrecorded,
  ];
}

interface RunState {
  readonly missing: readonly MissingResult[];
  readonly gates: readonly Gate[];
  /** How many sessions were to be evaluated, and how many were. */
  readonly sessions: number;
  readonly finished: number;
  /** Files that were not read, so that their sessions are not counted. */
  readonly unreadFiles: number;
  /** Sessions that could not be evaluated. */
  readonly lost: number;
  /** Whether the run came to its end. */
  readonly complete: boolean;
  /** Whether parts of it are missing. */
  readonly lacksParts: boolean;
  /** Whether anything was recorded of any session. */
  readonly isRecorded: boolean;
}

/** Why a run is undecided unless something fails it; empty if it is decided. */
export function undecidedEntries(run: RunState): Undecided[] {
  const unanswered = groupByCause(run.missing).map(
    (cause): Undecided => ({
      code: cause.code,
      reason: causeSentence(cause),
      cause: cause.reason,
      count: cause.count,
      metrics: Object.fromEntries(cause.metrics),
    }),
  );
  const open = [...unanswered, ...interruptedEntry(run), ...undecidedGates(run.gates)];
  return open.length > 0 || run.isRecorded ? open : [noSessionEntry(run)];
}

function interruptedEntry(run: RunState): Undecided[] {
  const { missing, sessions, finished, complete, lacksParts } = run;
  const left = unevaluatedParts(run);
  if (lacksParts) {
    const reason = `${[PARTS_MISSING, ...left].join(': ')}.`;
    return [{ code: 'incomplete-merge', reason, cause: PARTS_MISSING, count: sessions - finished, metrics: {} }];
  }
  if (complete || (left.length === 0 && missing.some(isInterrupted))) return [];
  const what = left.length === 0 ? '' : `: ${left.join(', and ')}`;
  const count = sessions - finished;
  // Nobody stopped it.
  if (run.lost > 0 && run.lost === count) {
    const reason = `${count} of ${sessions} sessions could not be evaluated.`;
    return [{ code: 'interrupted', reason, cause: null, count, metrics: {} }];
  }
  return [{ code: 'interrupted', reason: `${STOPPED}${what}.`, cause: STOPPED, count, metrics: {} }];
}

const PARTS_MISSING = 'Parts of the run are missing';

/** What was not evaluated, as phrases. */
function unevaluatedParts({
  sessions,
  finished,
  unreadFiles,
}: Pick<RunState, 'sessions' | 'finished' | 'unreadFiles'>): string[] {
  const left = sessions - finished;
  return [
    ...(left === 0 ? [] : [`${left} of ${sessions} sessions were not evaluated`]),
    ...(unreadFiles === 0 ? [] : [`${unreadFiles} ${unreadFiles === 1 ? 'file was' : 'files were'} not read`]),
  ];
}

/** The gates that are undecided, those on one metric together. */
export function undecidedGates(gates: readonly Gate[]): Undecided[] {
  const open = Map.groupBy(
    gates.filter(({ met }) => met === null),
    ({ metric }) => metric,
  );
  return Array.from(open, ([metric, alike]) => {
    const [first] = alike;
    const count = alike.length;
    const of = first?.subject === null || first?.subject === undefined ? '' : ` of ${first.subject}`;
    const which =
      count === 1
        ? `The gate on ${metric}${of} is undecided`
        : `${count} gates on ${metric} are undecided, the first${of}`;
    return {
      code: 'gate',
      reason: endSentence(`${which}: ${first?.reason}`),
      cause: null,
      count,
      metrics: { [metric]: count },
    };
  });
}

function noSessionEntry({ sessions }: RunState): Undecided {
  const none = { cause: null, count: sessions, metrics: {} };
  return sessions === 0
    ? { code: 'no-session', reason: 'No session was evaluated.', ...none }
    : { code: 'nothing-recorded', reason: 'Nothing of these sessions was recorded.', ...none };
}

/** `3 questions got no answer: faithfulness (2), helpfulness (1): localhost:1234 does not answer.` */
function causeSentence(cause: MissingCause): string {
  const { code, count, metrics } = cause;
  if (cause.isUnfit) {
    const unfit = causeReason({ ...cause, reason: cause.reason && unfitReason(cause.reason) });
    return endSentence(
      `The judge's answers did not fit: ${pluralize(count, 'question')}: ${listMetrics(metrics)}: ${unfit}`,
    );
  }
  const [one, several] = MISSING_PHRASES[code];
  return endSentence(`${count} ${count === 1 ? one : several}: ${listMetrics(metrics)}: ${causeReason(cause)}`);
}

function causeReason({ reason, others }: Pick<MissingCause, 'reason' | 'others'>): string {
  if (reason === null) return `${others} reasons`;
  return others === 0 ? reason : `${others + 1} reasons, such as: ${reason}`;
}

/** Maximum number of metrics named in a sentence; the others are counted. */
const MAX_NAMES = 3;

function listMetrics(metrics: ReadonlyMap<string, number>): string {
  if (metrics.size === 1) return [...metrics.keys()].join();
  const names = Array.from(metrics, ([metric, count]) => `${metric} (${count})`);
  return listSome(names, MAX_NAMES, 2);
}

function endSentence(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

const WARNINGS: Readonly<Record<Exclude<MissingCode, 'interrupted'>, (count: number) => string>> = {
  'judge-unanswered': (count) =>
    `The judge left ${count === 1 ? '1 question' : `${count} questions`} without an answer`,
  'function-failed': (count) => `${count === 1 ? '1 result' : `${count} results`} of functions failed`,
  'metric-failed': (count) => `${count === 1 ? '1 result' : `${count} results`} could not be computed`,
};
const WARNING_CODES = ['judge-unanswered', 'function-failed', 'metric-failed'] as const;

/** Missing results in the sessions of one file. */
export interface FileMissingResults {
  readonly file: string;
  readonly missing: readonly MissingResult[];
}

/** One warning per kind of missing results. A warning names its file if it is about one only. */
export function missingResultWarnings(files: readonly FileMissingResults[]): Problem[] {
  return WARNING_CODES.flatMap((code) => {
    const affected = files.filter(({ missing }) => missing.some((result) => result.code === code));
    const [file = '', ...others] = new Set(affected.map((entry) => entry.file));
    const causes = groupByCause(affected.flatMap(({ missing }) => missing.filter((result) => result.code === code)));
    const count = causes.reduce((sum, cause) => sum + cause.count, 0);
    if (count === 0) return [];
    const what = causes.every(({ isUnfit }) => isUnfit)
      ? `The judge's answers to ${pluralize(count, 'question')} did not fit`
      : WARNINGS[code](count);
    const message = `${what}, so the run cannot pass. ${listReasons(causes)}`;
    return [createProblem('warning', code, others.length === 0 ? file : '', message)];
  });
}

/**
 * A warning about what was not computed, at the first file that it concerns.
 *
 * @param unfinishedFile the file of the first session that was not evaluated.
 */
export function interruptionWarning(
  run: Pick<RunState, 'sessions' | 'finished' | 'unreadFiles'> & { readonly unfinishedFile: string | null },
  missing: readonly FileMissingResults[],
): Problem[] {
  const interrupted = missing.filter((entry) => entry.missing.some(isInterrupted));
  const file = interrupted[0]?.file ?? run.unfinishedFile ?? (run.unreadFiles > 0 ? '' : null);
  if (file === null) return [];
  const results = interrupted
    .flatMap((entry) => entry.missing.filter(isInterrupted))
    .reduce((sum, { count }) => sum + count, 0);
  const what = [
    ...unevaluatedParts(run),
    ...(results === 0 ? [] : [`${results} ${MISSING_PHRASES.interrupted[results === 1 ? 0 : 1]}`]),
  ];
  return [createProblem('warning', 'interrupted', file, `${STOPPED}: ${what.join(', and ')}.`)];
}

function isInterrupted({ code }: MissingResult): boolean {
  return code === 'interrupted';
}

/** Maximum number of causes in a warning. */
const MAX_REASONS = 3;

function listReasons(causes: readonly MissingCause[]): string {
  const [only] = causes;
  if (only && causes.length === 1) return endSentence(causeReason(only));
  const reasons = causes
    .slice(0, MAX_REASONS)
    .map((cause) => `${cause.count} of them: ${endSentence(causeReason(cause))}`);
  const left = causes.slice(MAX_REASONS).reduce((sum, { count }) => sum + count, 0);
  return [...reasons, ...(left === 0 ? [] : [`${left} of them for other reasons.`])].join(' ');
}
