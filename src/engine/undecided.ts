import { type Problem, problem } from '../core/problem.ts';
import type { Gate, Undecided } from '../core/report.ts';
import type { Session } from '../core/session.ts';
import { type Cause, causesOf, type Missing, STOPPED, type UnansweredCode } from './unanswered.ts';

/** Of one and of several. */
const MISSING: Readonly<Record<UnansweredCode, readonly [one: string, several: string]>> = {
  'judge-unanswered': ['question got no answer', 'questions got no answer'],
  'function-failed': ['result of a function failed', 'results of functions failed'],
  'metric-failed': ['result could not be computed', 'results could not be computed'],
  interrupted: ['result was not computed', 'results were not computed'],
};

/** Why a session is undecided unless something fails it: a sentence each, what is missing first. */
export function undecidedSession(missing: readonly Missing[], gates: readonly Gate[], isRecorded: boolean): string[] {
  const open = gates.filter(({ met }) => met === null);
  const unrecorded = isRecorded || open.length > 0 ? [] : ['Nothing of this session was recorded.'];
  return [
    ...causesOf(missing).map(sentenceOf),
    ...open.map(({ metric, reason }) => ended(`${metric}: ${reason}`)),
    ...unrecorded,
  ];
}

interface WholeRun {
  readonly missing: readonly Missing[];
  readonly gates: readonly Gate[];
  /** How many sessions were to be evaluated, and how many were. */
  readonly sessions: number;
  readonly finished: number;
  /** Whether the run came to its end. */
  readonly complete: boolean;
  /** Whether anything was recorded of any session. */
  readonly isRecorded: boolean;
}

/** Why a run is undecided unless something fails it; empty where nothing leaves it so. */
export function undecidedRun(run: WholeRun): Undecided[] {
  const unanswered = causesOf(run.missing).map(
    (cause): Undecided => ({
      code: cause.code,
      reason: sentenceOf(cause),
      cause: cause.reason,
      count: cause.count,
      metrics: Object.fromEntries(cause.metrics),
    }),
  );
  const open = [...unanswered, ...stopped(run), ...gatesOpen(run.gates)];
  return open.length > 0 || run.isRecorded ? open : [nothingThere(run)];
}

function stopped({ missing, sessions, finished, complete }: WholeRun): Undecided[] {
  const left = sessions - finished;
  if (complete || (left === 0 && missing.some(isCut))) return [];
  const what = left === 0 ? '' : `: ${left} of ${sessions} sessions were not evaluated`;
  return [{ code: 'interrupted', reason: `${STOPPED}${what}.`, cause: STOPPED, count: left, metrics: {} }];
}

function gatesOpen(gates: readonly Gate[]): Undecided[] {
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
      reason: ended(`${which}: ${first?.reason}`),
      cause: null,
      count,
      metrics: { [metric]: count },
    };
  });
}

function nothingThere({ sessions }: WholeRun): Undecided {
  const none = { cause: null, count: sessions, metrics: {} };
  return sessions === 0
    ? { code: 'no-session', reason: 'No session was evaluated.', ...none }
    : { code: 'nothing-recorded', reason: 'Nothing of these sessions was recorded.', ...none };
}

/** `3 questions got no answer: faithfulness (2), helpfulness (1): localhost:1234 does not answer.` */
function sentenceOf(cause: Cause): string {
  const { code, count, metrics } = cause;
  const [one, several] = MISSING[code];
  return ended(`${count} ${count === 1 ? one : several}: ${named(metrics)}: ${whyOf(cause)}`);
}

function whyOf({ reason, others }: Cause): string {
  if (reason === null) return `${others} reasons`;
  return others === 0 ? reason : `${others + 1} reasons, such as: ${reason}`;
}

/** Metrics that are named, the others only counted. */
const NAMES = 3;

function named(metrics: ReadonlyMap<string, number>): string {
  if (metrics.size === 1) return [...metrics.keys()].join();
  const names = Array.from(metrics, ([metric, count]) => `${metric} (${count})`);
  const left = names.length - NAMES;
  return left > 1 ? `${names.slice(0, NAMES).join(', ')} and ${left} more` : names.join(', ');
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

const WARNINGS: Readonly<Record<Exclude<UnansweredCode, 'interrupted'>, (count: number) => string>> = {
  'judge-unanswered': (count) =>
    `The judge left ${count === 1 ? '1 question' : `${count} questions`} without an answer`,
  'function-failed': (count) => `${count === 1 ? '1 result' : `${count} results`} of functions failed`,
  'metric-failed': (count) => `${count === 1 ? '1 result' : `${count} results`} could not be computed`,
};
const WARNED = ['judge-unanswered', 'function-failed', 'metric-failed'] as const;

/** What is missing in the sessions of one file. */
export interface MissingIn {
  readonly file: string;
  readonly missing: readonly Missing[];
}

/** Warnings with which a run cannot pass, one of a kind. Each names its file where it is about one only. */
export function warningsOf(found: readonly MissingIn[]): Problem[] {
  return WARNED.flatMap((code) => {
    const concerned = found.filter(({ missing }) => missing.some((one) => one.code === code));
    const [file = '', ...others] = new Set(concerned.map((one) => one.file));
    const causes = causesOf(concerned.flatMap(({ missing }) => missing.filter((one) => one.code === code)));
    const count = causes.reduce((sum, cause) => sum + cause.count, 0);
    if (count === 0) return [];
    const message = `${WARNINGS[code](count)}, so the run cannot pass. ${reasonsOf(causes)}`;
    return [problem('warning', code, others.length === 0 ? file : '', message)];
  });
}

/** A warning of what a stop cut off, at the first place that it did. */
export function interruption(sessions: readonly Session[], finished: number, found: readonly MissingIn[]): Problem[] {
  const cut = found.filter(({ missing }) => missing.some(isCut));
  const file = cut[0]?.file ?? sessions[finished]?.source.file;
  if (file === undefined) return [];
  const left = sessions.length - finished;
  const results = cut.flatMap(({ missing }) => missing.filter(isCut)).reduce((sum, { count }) => sum + count, 0);
  const what = [
    left === 0 ? '' : `${left} of ${sessions.length} sessions were not evaluated`,
    results === 0 ? '' : `${results} ${MISSING.interrupted[results === 1 ? 0 : 1]}`,
  ].filter((part) => part !== '');
  return [problem('warning', 'interrupted', file, `${STOPPED}: ${what.join(', and ')}.`)];
}

function isCut({ code }: Missing): boolean {
  return code === 'interrupted';
}

/** Causes that a warning names. */
const TOLD = 3;

function reasonsOf(causes: readonly Cause[]): string {
  const [only] = causes;
  if (only && causes.length === 1) return ended(whyOf(only));
  const told = causes.slice(0, TOLD).map((cause) => `${cause.count} of them: ${ended(whyOf(cause))}`);
  const left = causes.slice(TOLD).reduce((sum, { count }) => sum + count, 0);
  return [...told, ...(left === 0 ? [] : [`${left} of them for other reasons.`])].join(' ');
}
