import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { createTaskMapper, withDeclaredTask } from '../../../../src/formats/mapped/task-mapper.ts';
import type { TaskMapping } from '../../../../src/formats/mapped/task-mapping.ts';

const VALUE = [{ task: { name: 'in the file' }, run: 3 }];

function session(input: Partial<Session> = {}): Session {
  return { id: 'refund-2', source: { file: 'runs/a.json', format: 'x', pointer: '/0' }, turns: [], ...input };
}

function taskOf(mapping: TaskMapping, input?: Partial<Session>, absolutePath = (file: string) => `/work/${file}`) {
  return createTaskMapper(mapping, absolutePath)(session(input), VALUE);
}

function inFile(file: string): Partial<Session> {
  return { source: { file, format: 'x', pointer: '' } };
}

const PATTERN = 'run-(?<task>[a-z]+)-(?<trial>\\d+)';
const NOTHING = { id: undefined, trial: undefined, agent: undefined };

describe('a field', () => {
  it.each<[string, string, Partial<Session>, string | undefined]>([
    ['of the metadata', 'case', { metadata: { case: 'refund' } }, 'refund'],
    ['of the metadata, with its full path', 'metadata.case.id', { metadata: { case: { id: 7 } } }, '7'],
    ['of the session', 'goal', { goal: 'a refund' }, 'a refund'],
    ['of the JSON that the session was read from', 'task.name', {}, 'in the file'],
    ['as a JSON pointer', '/task/name', {}, 'in the file'],
    ['that has an object', 'task', {}, undefined],
    ['that is not there', 'nothing', {}, undefined],
  ])('%s names the task', (_, by, input, id) => {
    expect(taskOf({ by }, input)).toEqual({ ...NOTHING, id });
  });

  it('prefers the metadata to the session, and that to the file', () => {
    expect(taskOf({ by: 'run' }, { metadata: { run: 'm' } }).id).toBe('m');
    expect(taskOf({ by: 'goal' }, { goal: 'a refund', metadata: { goal: 'm' } }).id).toBe('m');
    expect(taskOf({ by: 'id' }).id).toBe('refund-2');
  });

  it('names trial and agent too', () => {
    expect(taskOf({ trial: 'run', agent: 'model' }, { metadata: { model: 'v2' } })).toEqual({
      id: undefined,
      trial: '3',
      agent: 'v2',
    });
  });
});

describe('a pattern', () => {
  it('reads the file name without its folders', () => {
    expect(taskOf({ by: `^${PATTERN}` }, inFile('run-x-9/run-refund-2.json'))).toEqual({
      ...NOTHING,
      id: 'refund',
      trial: '2',
    });
  });

  it('with a folder reads the path, of any system and any working directory', () => {
    const by = '(?<task>\\w+)/trial-(?<trial>\\d+)[.]json$';
    const expected = { ...NOTHING, id: 'refund', trial: '4' };
    expect(taskOf({ by }, inFile('trial-4.json'), () => '/work/refund/trial-4.json')).toEqual(expected);
    expect(taskOf({ by }, inFile('trial-4.json'), () => 'C:\\work\\refund\\trial-4.json')).toEqual(expected);
  });

  it('reads the session id where the file name does not match', () => {
    const by = '(?<task>[a-z]+)-(?<trial>\\d+)';
    expect(taskOf({ by }, inFile('log.json'))).toMatchObject({ id: 'refund', trial: '2' });
    expect(taskOf({ by }, inFile('cancel-1.json'))).toMatchObject({ id: 'cancel', trial: '1' });
    const optional = '^(?<task>[a-z]+)(?:-(?<trial>\\d+))?';
    expect(taskOf({ by: optional }, inFile('cancel.json'))).toEqual({ ...NOTHING, id: 'cancel' });
  });

  it('reads only what it is for', () => {
    const session = '(?<task>[a-z]+)-(?<trial>\\d+)';
    expect(taskOf({ by: { session } }, inFile('cancel-1.json'))).toMatchObject({ id: 'refund', trial: '2' });
    expect(taskOf({ by: { file: session } }, inFile('log.json'))).toEqual(NOTHING);
  });

  it('of the file joins one of the session', () => {
    const by = { file: '^agent-(?<agent>\\w+)', session: '(?<task>[a-z]+)-(?<trial>\\d+)' };
    expect(taskOf({ by }, inFile('agent-v2.json'))).toEqual({ id: 'refund', trial: '2', agent: 'v2' });
  });

  it('wins over a field', () => {
    const by = '(?<task>\\w+)-(?<trial>\\d+)';
    expect(taskOf({ by, trial: 'run', agent: 'run' })).toEqual({ id: 'refund', trial: '2', agent: '3' });
  });

  it('takes no long time on a long name', () => {
    const by = '^(?<task>.+)-(?<trial>.+)-(?<agent>.+)!$';
    const startedAt = performance.now();
    expect(taskOf({ by }, inFile('-'.repeat(4000)))).toEqual(NOTHING);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('a declared task', () => {
  const own = { id: '5', trial: '1', dataset: 'airline', agent: 'v1' };

  it('wins part by part over that of the trace', () => {
    expect(withDeclaredTask(session({ task: own }), { id: 'refund', agent: 'v2' }).task).toEqual({
      id: 'refund',
      trial: '1',
      dataset: 'airline',
      agent: 'v2',
      declared: true,
    });
  });

  it('is that of the trace where only its agent is declared', () => {
    expect(withDeclaredTask(session({ task: own }), { agent: 'v2' }).task).toEqual({
      ...own,
      agent: 'v2',
      declared: undefined,
    });
  });

  it('needs an id from somewhere', () => {
    expect(withDeclaredTask(session(), { trial: '1' }).task).toBeUndefined();
  });
});
