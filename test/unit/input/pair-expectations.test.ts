import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/session.ts';
import { type LocatedExpectation, pairExpectations } from '../../../src/input/pair-expectations.ts';

function session(file: string, id: string, inputs: readonly (string | null)[]): Session {
  return {
    id,
    source: { file, format: 'run', pointer: '' },
    turns: inputs.map((input, index) => ({ id: `t${index}`, pointer: `/${index}`, input, output: 'out', steps: [] })),
  };
}

function expected(file: string, id: string, inputs: readonly (string | null)[]): LocatedExpectation {
  return {
    id,
    file,
    format: 'evalset',
    pointer: `/cases/${id}`,
    turns: inputs.map((input, index) => ({
      pointer: `/cases/${id}/${index}`,
      input,
      reference: { response: `${id} ${index}` },
    })),
  };
}

const references = (sessions: readonly Session[]) =>
  sessions.map(({ id, turns }) => [id, ...turns.map(({ reference }) => reference?.response)]);

describe('pairExpectations', () => {
  it('leaves cases without a run out of a set with other runs, with one warning', () => {
    const cases = ['a', 'b', 'c', 'd', 'e'].map((id) => expected('all.evalset.json', id, [id]));
    const { sessions, problems } = pairExpectations([session('x.json', 'b', ['b'])], cases);
    expect(references(sessions)).toEqual([['b', 'b 0']]);
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        code: 'unpaired-case',
        file: 'all.evalset.json',
        pointer: '/cases/a',
        message: '4 of 5 cases have no run among the inputs and are left out: "a", "c", "d" and 1 more.',
      },
    ]);
  });

  it('makes several runs of one case attempts of it, unless they name their task', () => {
    const runs = [session('1.json', 'one', ['a']), session('2.json', 'two', ['a'])];
    const other = [session('3.json', 'three', ['b']), { ...session('4.json', 'four', ['a']), task: { id: 'own' } }];
    const cases = [expected('all.evalset.json', 'case-a', ['a']), expected('all.evalset.json', 'case-b', ['b'])];
    const { sessions } = pairExpectations([...runs, ...other], cases);
    expect(sessions.map(({ task }) => task?.id)).toEqual(['case-a', 'case-a', undefined, 'own']);
  });

  it('lists each case of a set without any run, beside a set with runs', () => {
    const cases = [expected('x.test.json', 'a', ['a']), expected('y.test.json', 'b', ['b'])];
    const { sessions, problems } = pairExpectations([session('x.json', 'a', ['a'])], cases);
    expect(references(sessions)).toEqual([
      ['a', 'a 0'],
      ['b', 'b 0'],
    ]);
    expect(problems).toMatchObject([{ code: 'unpaired-case', file: 'y.test.json' }]);
  });

  it('matches by id first', () => {
    const { sessions, problems } = pairExpectations(
      [session('x.json', 'one', ['a', 'b'])],
      [expected('x.test.json', 'two', ['a', 'b']), expected('elsewhere.json', 'one', ['other', 'texts'])],
    );
    expect(references(sessions)).toEqual([
      ['one', 'one 0', 'one 1'],
      ['two', 'two 0', 'two 1'],
    ]);
    expect(problems.map(({ code }) => code)).toEqual(['unpaired-case']);
  });

  it('prefers the file with the same name when several cases have the id', () => {
    const { sessions } = pairExpectations(
      [session('b/x.session.json', 's', ['a'])],
      [
        expected('a/x.evalset.json', 's', ['a']),
        { ...expected('b/x.evalset.json', 's', ['a']), turns: expected('', 'near', ['a']).turns },
      ],
    );
    expect(references(sessions)[0]).toEqual(['s', 'near 0']);
  });

  it('then matches by file name', () => {
    const { sessions, problems } = pairExpectations(
      [session('dir/x.session.json', 's-1', ['live text']), session('dir/y.session.json', 's-2', ['a'])],
      [expected('dir/x.evalset.json', 'case', ['scripted text'])],
    );
    expect(references(sessions)).toEqual([
      ['s-1', 'case 0'],
      ['s-2', undefined],
    ]);
    expect(problems).toEqual([]);
  });

  it('distinguishes the cases of one file by their user texts', () => {
    const { sessions, problems } = pairExpectations(
      [session('x.session.json', 's-1', ['second ']), session('x.session.json', 's-2', ['unknown'])],
      [expected('x.evalset.json', 'case-1', ['first']), expected('x.evalset.json', 'case-2', ['second'])],
    );
    expect(references(sessions)).toEqual([
      ['s-1', 'case-2 0'],
      ['s-2', undefined],
    ]);
    expect(problems.map(({ code }) => code)).toEqual(['unpaired-case']);
  });

  it('matches by user texts last, with a warning', () => {
    const { sessions, problems } = pairExpectations(
      [session('run.json', 's', [null, 'hello', 'bye']), session('run2.json', 'reordered', ['bye', 'hello'])],
      [expected('evals.json', 'case', ['hello', 'bye'])],
    );
    expect(references(sessions)).toEqual([
      ['s', undefined, 'case 0', 'case 1'],
      ['reordered', undefined, undefined],
    ]);
    expect(problems).toMatchObject([
      { file: 'evals.json', pointer: '/cases/case', severity: 'warning', code: 'paired-by-text' },
    ]);
  });

  it('adds one case to all its attempts', () => {
    const { sessions } = pairExpectations(
      [session('1.json', 'case', ['a']), session('2.json', 'case', ['a'])],
      [expected('evals.json', 'case', ['a'])],
    );
    expect(references(sessions)).toEqual([
      ['case', 'case 0'],
      ['case', 'case 0'],
    ]);
  });

  it('warns when the numbers of turns differ', () => {
    const { sessions, problems } = pairExpectations(
      [session('1.json', 'short', ['a']), session('2.json', 'long', ['a', 'b'])],
      [expected('evals.json', 'short', ['a', 'b']), expected('evals.json', 'long', ['a'])],
    );
    expect(references(sessions)).toEqual([
      ['short', 'short 0'],
      ['long', 'long 0', undefined],
    ]);
    expect(problems.map(({ code }) => code)).toEqual(['turns-differ', 'turns-differ']);
    expect(problems[0]?.message).toContain('expects 2 turns and session "short" has 1: 1 are compared');
  });

  it('keeps the references of the trace', () => {
    const run = session('1.json', 'case', ['a']);
    const own = run.turns.map((turn) => ({ ...turn, reference: { response: 'own', orderMatters: false } }));
    const [paired] = pairExpectations([{ ...run, turns: own }], [expected('e.json', 'case', ['a'])]).sessions;
    expect(paired?.turns[0]?.reference).toEqual({ response: 'own', orderMatters: false });
  });

  it('makes an unrecorded session of a case without a run', () => {
    const { sessions } = pairExpectations([], [expected('e.json', 'case', ['a', null])]);
    expect(sessions).toEqual([
      {
        id: 'case',
        source: { file: 'e.json', format: 'evalset', pointer: '/cases/case' },
        metadata: { unpaired: true },
        turns: [
          {
            id: 't1',
            pointer: '/cases/case/0',
            input: 'a',
            output: null,
            captured: false,
            steps: [],
            reference: { response: 'case 0' },
          },
          expect.objectContaining({ id: 't2', input: null, output: null, captured: false }),
        ],
      },
    ]);
  });

  it('takes linear time', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => [`text ${index}`]);
    const { sessions } = pairExpectations(
      many.map((inputs, index) => session('x.session.json', `s${index}`, inputs)),
      many.map((inputs, index) => expected('x.evalset.json', `c${index}`, inputs)),
    );
    expect(sessions).toHaveLength(20_000);
  });
});
