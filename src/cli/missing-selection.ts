import { didYouMean } from '../config/suggest.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { TaskMapping } from '../formats/mapped/task-mapping.ts';
import { isTaskPattern } from '../formats/mapped/task-pattern.ts';
import type { EvalArguments } from './eval-options.ts';

/** A named session, turn or result that does not exist is an error, not an empty result. */
export function missingSelection(
  { sessions, run, problems }: Report,
  args: Pick<EvalArguments, 'session' | 'turn' | 'correctBy'>,
): Problem[] {
  if (!run.complete || problems.some(isError)) return [];
  if (args.session !== undefined && sessions.length === 0) {
    const message = `There is no session "${args.session}" in the input. \`turnwise eval\` without --session prints the ids.`;
    return [createProblem('error', 'no-such-session', '--session', message)];
  }
  if (args.turn !== undefined && sessions.length > 0 && sessions.every(({ turns }) => turns.length === 0)) {
    return [createProblem('error', 'no-such-turn', '--turn', `No session has a turn ${args.turn}.`)];
  }
  const by = args.correctBy;
  if (by !== undefined && by !== 'verdict' && !sessions.some(({ metrics }) => Object.hasOwn(metrics, by))) {
    const names = ['verdict', ...new Set(sessions.flatMap(({ metrics }) => Object.keys(metrics)))];
    const message = `No session has a result "${by}".${didYouMean(by, names)} Use verdict or the name of a metric in the sessions.`;
    return [createProblem('error', 'no-such-metric', '--correct-by', message)];
  }
  return [];
}

/** A session that could have had a task. */
export interface TaskCandidate {
  readonly id: string;
  readonly file: string;
  /** The keys of its metadata. */
  readonly metadata: readonly string[];
}

/** What should name the tasks and names none is an error on the command line, as a missing selection is. */
export function missingTasks(
  {
    sessions,
    run,
  }: {
    readonly sessions: readonly { readonly task?: { readonly declared?: boolean | undefined } | null | undefined }[];
    readonly run: Pick<Report['run'], 'complete'>;
  },
  by: TaskMapping['by'],
  first: TaskCandidate | null,
  { taskBy, settingsFile = '' }: { readonly taskBy: string | undefined; readonly settingsFile: string | undefined },
): Problem[] {
  const texts = typeof by === 'object' ? [by.file, by.session] : [by];
  const sources = texts.filter((text) => text !== undefined);
  const namesTasks = sources.some((text) => !isTaskPattern(text) || text.includes('(?<task>'));
  if (!run.complete || !first || !namesTasks || sessions.some(({ task }) => task?.declared)) return [];
  const names = sources.map((text) => `"${text}"`).join(' or ');
  const message = sources.every(isTaskPattern)
    ? `No file name or session id matches ${names}. The first session is "${first.id}" in ${first.file}.`
    : `No session has a value at ${names}. ${metadataText(first)}`;
  return [
    taskBy === undefined
      ? createProblem('warning', 'no-task', settingsFile, `tasks.by has no effect here: ${message}`)
      : createProblem('error', 'no-task', '--task-by', message),
  ];
}

function metadataText({ id, metadata }: TaskCandidate): string {
  if (metadata.length === 0) return `Session "${id}" has no metadata; name a field of the session in its file.`;
  return `The metadata of session "${id}" has ${metadata.slice(0, MAX_METADATA_KEYS).join(', ')}.`;
}

const MAX_METADATA_KEYS = 12;

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}
