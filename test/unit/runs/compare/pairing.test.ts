import { expect, it } from 'vitest';
import type { RecordedSession } from '../../../../src/core/run-record.ts';
import { pairRuns } from '../../../../src/runs/compare/pairing.ts';
import { attemptRow, sessionRow } from '../../../support/recorded-runs.ts';

const namesOf = (before: readonly RecordedSession[], after: readonly RecordedSession[]) =>
  pairRuns(before, after).tasks.flatMap(({ pairs, pairedBy }) =>
    pairs.map((pair) => `${pair.before.id} ${pair.after.id} by ${pairedBy}`),
  );

it('pairs attempts of a task by their numbers, in whatever order they come', () => {
  const before = [attemptRow('a', 0, true), attemptRow('a', 1, false)];
  const after = [attemptRow('a', 1, true), attemptRow('a', 0, true)];
  expect(namesOf(before, after)).toEqual(['a-1 a-1 by task', 'a-0 a-0 by task']);
});

it('keeps an attempt that only one run has with its task, without a partner', () => {
  const { tasks, only } = pairRuns([attemptRow('a', 0, true)], [attemptRow('a', 0, true), attemptRow('a', 1, true)]);
  expect(tasks.map(({ before, after, pairs }) => [before.length, after.length, pairs.length])).toEqual([[1, 2, 1]]);
  expect(only).toEqual([[], []]);
});

it('pairs attempts without a number by their content, then in their order', () => {
  const task = { id: 'a', trial: null, dataset: null, agent: null };
  const before = ['x', 'y', 'z'].map((content) => sessionRow({ id: `old-${content}`, task, content }));
  const after = ['z', 'new', 'x'].map((content) => sessionRow({ id: `new-${content}`, task, content }));
  expect(namesOf(before, after)).toEqual(['old-z new-z by task', 'old-y new-new by task', 'old-x new-x by task']);
});

it('follows a renamed task by what its user writes', () => {
  const row = (id: string) => sessionRow({ id, inputs: 'refund my order' });
  const { tasks, renamed, only } = pairRuns(
    [row('refund'), sessionRow({ id: 'b' })],
    [row('refunds'), sessionRow({ id: 'b' })],
  );
  expect(renamed).toEqual([{ before: 'refund', after: 'refunds' }]);
  expect(tasks.map(({ task }) => task)).toEqual(['refunds', 'b']);
  expect(only).toEqual([[], []]);
});

it('does not guess which of two tasks with the same user messages was renamed', () => {
  const row = (id: string) => sessionRow({ id, inputs: 'hello' });
  const { tasks, only } = pairRuns([row('a'), row('b')], [row('c')]);
  expect(tasks).toEqual([]);
  expect(only.map((unpaired) => unpaired.map(({ task }) => task))).toEqual([['a', 'b'], ['c']]);
});

it('pairs sessions without a task by what their users write, else by their ids', () => {
  const row = (id: string, inputs: string) => sessionRow({ id, task: null, inputs });
  const before = [row('s1', 'hello'), row('s2', 'old words'), row('s3', '')];
  const after = [row('s9', 'hello'), row('s2', 'new words'), row('s3', '')];
  expect(namesOf(before, after)).toEqual(['s1 s9 by inputs', 's2 s2 by session', 's3 s3 by session']);
});

it('tells tasks apart by agent only where a run has several agents', () => {
  const row = (id: string, agent: string) => sessionRow({ id, task: { id: 'a', trial: null, dataset: null, agent } });
  expect(namesOf([row('old', 'x')], [row('new', 'y')])).toEqual(['old new by task']);
  const { tasks, only } = pairRuns([row('old-x', 'x'), row('old-y', 'y')], [row('new-y', 'y')]);
  expect(tasks.map(({ before }) => before.map(({ id }) => id))).toEqual([['old-y']]);
  expect(only[0].map(({ task }) => task)).toEqual(['a · x']);
});

it('does not pair a task of the same name whose scripted user writes something else', () => {
  const before = ['a', 'b', 'c'].map((id) => sessionRow({ id }));
  const after = before.map((row) => (row.id === 'b' ? { ...row, inputs: 'another question' } : row));
  const { tasks, changed, only } = pairRuns(before, after);
  expect(changed).toEqual(['b']);
  expect(tasks.map(({ task }) => task)).toEqual(['a', 'c']);
  expect(only).toEqual([[], []]);
});

it('pairs tasks of a simulated user, who writes something else every time', () => {
  const rows = (run: string) =>
    ['a', 'b'].flatMap((task) =>
      [0, 1].map((trial) => attemptRow(task, trial, true, { inputs: `${run} ${task} ${trial}` })),
    );
  const { tasks, changed } = pairRuns(rows('first'), rows('second'));
  expect(changed).toEqual([]);
  expect(tasks.map(({ pairs }) => pairs.length)).toEqual([2, 2]);
});
