import { type ConfigurationProblem, locateIssuesIn } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { type ConfigIssue, configIssue } from '../config/schema-errors.ts';
import { type GatedLabels, isSubject } from '../core/task-gates.ts';
import { listSome } from '../core/text/lists.ts';
import { truncate } from '../core/text/truncate.ts';

/** The code of the warning that no session of a whole run has the pattern of a gate. */
export const UNMATCHED_GATE = 'unmatched-gate';

/**
 * Entries of `gates.for` that are for none of these sessions are likely misspelled: gates are not what they seem.
 *
 * @param sessions all of a run: a part of them says nothing about a pattern.
 * @param file the configuration, relative to `cwd`; null where it is not known.
 */
export async function unmatchedGates(
  sessions: readonly GatedLabels[],
  configuration: Pick<Configuration, 'gates'>,
  { file, cwd }: { readonly file: string | null; readonly cwd: string },
): Promise<ConfigurationProblem[]> {
  return await locateIssuesIn(file, unmatchedEntries(sessions, configuration), cwd);
}

function unmatchedEntries(sessions: readonly GatedLabels[], { gates }: Pick<Configuration, 'gates'>): ConfigIssue[] {
  if (sessions.length === 0) return [];
  return (gates.for ?? []).flatMap((entry, index) => {
    if (sessions.some((session) => isSubject(entry, session))) return [];
    const key = entry.task === undefined ? 'tag' : 'task';
    const pattern = truncate(entry[key] ?? '', MAX_NAME);
    const remedy = key === 'task' ? taskRemedy(sessions) : tagRemedy(sessions);
    const message = `gates.for[${index}].${key} "${pattern}" matches no ${key === 'task' ? 'task' : 'session'} and has no effect. ${remedy}`;
    return [{ ...configIssue(['gates', 'for', index, key], message, 'warning'), code: UNMATCHED_GATE }];
  });
}

function taskRemedy(sessions: readonly GatedLabels[]): string {
  const names = new Set(sessions.flatMap(({ task }) => task?.id ?? []));
  if (names.size === 0) return 'No session has a task: name tasks with "tasks.by" in the configuration.';
  return `Use * for any characters. Tasks: ${listNames(names)}.`;
}

function tagRemedy(sessions: readonly GatedLabels[]): string {
  const names = new Set(sessions.flatMap(({ tags = [] }) => tags));
  if (names.size === 0) return 'No session has a tag: "tags" are in the trace, in its sidecar or in its scenario.';
  return `Use * for any characters. Tags: ${listNames(names)}.`;
}

function listNames(names: ReadonlySet<string>): string {
  return listSome(
    Array.from(names, (name) => truncate(name, MAX_NAME)),
    MAX_NAMES,
  );
}

const MAX_NAMES = 8;
const MAX_NAME = 60;
