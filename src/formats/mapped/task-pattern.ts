import { isCubicPattern } from '../../core/text/bounded-pattern.ts';

/** The names of groups in a regular expression. */
const GROUP_NAME = /\(\?<([A-Za-z_$][\w$]*)>/g;

/** Whether `tasks.by` is a regular expression and not a field: it names a group. */
export function isTaskPattern(text: string): boolean {
  return text.search(GROUP_NAME) >= 0;
}

const GROUPS = ['task', 'trial', 'agent'];

/** Why a regular expression cannot say what a task is, as a message that starts with "must"; null if it can. */
export function taskPatternProblem(text: string): string | null {
  try {
    new RegExp(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /s, '') : String(error);
    return `must be a regular expression: ${reason}`;
  }
  const names = [...text.matchAll(GROUP_NAME)].flatMap(([, name]) => name ?? []);
  const unknown = names.find((name) => !GROUPS.includes(name));
  if (unknown !== undefined) return `must name its groups task, trial and agent; it has "${unknown}"`;
  if (names.length === 0) return 'must have a group named task, trial or agent, such as "(?<task>\\w+)"';
  return isCubicPattern(text) ? null : SLOW;
}

const SLOW =
  'must be quick to match: begin it with "^", use few of "*" and "+", and repeat nothing that is itself repeated';
