import { asText } from '../../core/json.ts';
import { pointerTokens } from '../../core/pointer.ts';
import type { Session, Task } from '../../core/session.ts';
import { type MappedValue, type MappingPath, parsePaths, valueAt } from './path.ts';
import type { TaskMapping } from './task-mapping.ts';
import { isTaskPattern } from './task-pattern.ts';

/** What a person says of the task of a session. */
export type DeclaredTask = Partial<Pick<Task, 'id' | 'trial' | 'agent'>>;

/** Finds the task of a session. @param value the parsed file that the session was read from. */
export type TaskMapper = (session: Session, value: unknown) => DeclaredTask;

/** Adds the declared parts of a task, which win over those in the trace. Without any id there is no task. */
export function withDeclaredTask(session: Session, { id, trial, agent }: DeclaredTask): Session {
  const own = session.task;
  const taskId = id ?? own?.id;
  if (taskId === undefined) return session;
  return {
    ...session,
    task: {
      ...own,
      id: taskId,
      trial: trial ?? own?.trial,
      agent: agent ?? own?.agent,
      declared: id === undefined ? own?.declared : true,
    },
  };
}

/** @param absolutePath of a file, so that a pattern with folders matches from any working directory. */
export function createTaskMapper(mapping: TaskMapping, absolutePath: (file: string) => string): TaskMapper {
  const { by } = mapping;
  const trialFields = fieldsOf(mapping.trial);
  const agentFields = fieldsOf(mapping.agent);
  const taskOf = typeof by === 'string' && !isTaskPattern(by) ? byField(by) : byPattern(by ?? {}, absolutePath);
  return (session, value) => {
    const { id, trial, agent } = taskOf(session, value);
    return {
      id,
      trial: trial ?? fieldText(trialFields, session, value),
      agent: agent ?? fieldText(agentFields, session, value),
    };
  };
}

function byField(field: string): TaskMapper {
  const paths = fieldsOf(field);
  return (session, value) => ({ id: fieldText(paths, session, value) });
}

function byPattern(
  by: string | { readonly file?: string | undefined; readonly session?: string | undefined },
  absolutePath: (file: string) => string,
): TaskMapper {
  const patterns = typeof by === 'string' ? { file: by, session: by } : by;
  const matchFile = patterns.file === undefined ? null : matcher(patterns.file);
  const matchSession = patterns.session === undefined ? null : matcher(patterns.session);
  // A folder can be meant only by a pattern that has one.
  const hasFolder = patterns.file?.includes('/') ?? false;
  const fileText = (file: string) => {
    const path = absolutePath(file).replaceAll('\\', '/');
    return hasFolder ? path : path.slice(path.lastIndexOf('/') + 1);
  };
  return ({ id, source }) => {
    const ofFile = matchFile?.(fileText(source.file));
    // The same pattern is for one of the two.
    if (ofFile && typeof by === 'string') return ofFile;
    return { ...definedParts(matchSession?.(id)), ...definedParts(ofFile) };
  };
}

/** Longer names are cut from the left, which bounds the time of a match. */
const MAX_NAME_LENGTH = 200;

function matcher(pattern: string): (text: string) => DeclaredTask | undefined {
  const regex = new RegExp(pattern);
  return (text) => {
    const match = regex.exec(text.slice(-MAX_NAME_LENGTH));
    if (!match) return undefined;
    const { task, trial, agent } = match.groups ?? {};
    return { id: task || undefined, trial: trial || undefined, agent: agent || undefined };
  };
}

function definedParts(task: DeclaredTask | undefined): DeclaredTask {
  return Object.fromEntries(Object.entries(task ?? {}).filter(([, part]) => part !== undefined));
}

function fieldsOf(field: string | undefined): readonly MappingPath[] {
  return field === undefined ? [] : parsePaths(field);
}

/** The value of a field in the metadata of the session, else in the session, else in the JSON that it was read from. */
function fieldText([path]: readonly MappingPath[], session: Session, value: unknown): string | undefined {
  if (!path) return undefined;
  const written = valueAt(rootOf(value), pointerTokens(session.source.pointer));
  for (const root of [rootOf(session.metadata), rootOf(session), written]) {
    const found = root && valueAt(root, path.tokens)?.value;
    const text = typeof found === 'object' ? '' : asText(found);
    if (text !== '') return text;
  }
  return undefined;
}

function rootOf(value: unknown): MappedValue {
  return { value, pointer: '', isInText: false };
}
