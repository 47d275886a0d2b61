import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../../src/core/problem.ts';
import type { Report } from '../../../../src/core/report.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { buildFileView, problemsIn } from '../../../../src/server/results/file-view.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, group, occurrence, report, risk, session } from '../report-fixture.ts';

const headline = (kind: 'failed' | 'undecided') => ({ headline: { kind, text: kind, turn: null } }) as const;
const A = '/traces/a.json';
const B = '/traces/deep/b.json';

function storedResults(
  ...runs: readonly { readonly paths: readonly string[]; readonly report: Partial<Report> }[]
): EvaluationResults {
  const results = new EvaluationResults();
  for (const run of runs) results.replace(run.paths, buildRows(report(run.report), new FakeLocator(), []));
  return results;
}

const ids = (results: EvaluationResults): string[] => results.sessions(0, 100).rows.map(({ id }) => id);

describe('evaluation results', () => {
  it('list failed sessions first, then undecided ones, then by risk and input order', () => {
    const sessions = [
      session('unknown', A),
      session('calm', A, { metrics: risk(0.1) }),
      session('undecided', A, headline('undecided')),
      session('risky', A, { metrics: risk(0.9) }),
      session('failed', A, headline('failed')),
      session('also unknown', A),
    ];
    const results = storedResults({ paths: [A], report: { sessions } });
    expect(ids(results)).toEqual(['failed', 'undecided', 'risky', 'calm', 'unknown', 'also unknown']);
  });

  it('give a page of a list with its length', () => {
    const sessions = ['a', 'b', 'c', 'd'].map((id) => session(id, A));
    const results = storedResults({ paths: [A], report: { sessions } });
    expect(results.sessions(1, 2)).toMatchObject({ total: 4, rows: [{ id: 'b' }, { id: 'c' }] });
    expect(results.sessions(4, 2)).toEqual({ total: 4, rows: [] });
  });

  it('give the sessions of one file, also of one with part of them', () => {
    const turns = [{ id: 't', index: 0, pointer: '', line: 1, file: B, metrics: {} }];
    const sessions = [session('a', A), session('joined', A, { turns }), session('b', B)];
    const results = storedResults({ paths: [A, B], report: { sessions } });
    const idsIn = (file: string) => results.sessions(0, 10, file).rows.map(({ id }) => id);
    expect(idsIn(A)).toEqual(['a', 'joined']);
    expect(idsIn(B)).toEqual(['joined', 'b']);
    expect(results.sessions(0, 1, B)).toMatchObject({ total: 2, rows: [{ id: 'joined' }] });
    expect(idsIn('/traces/none.json')).toEqual([]);
  });

  it('keep what a run did not evaluate', () => {
    const results = storedResults(
      { paths: [A], report: { sessions: [session('a', A)] } },
      { paths: [B], report: { sessions: [session('b', B)] } },
    );
    expect(ids(results)).toEqual(['a', 'b']);
  });

  it.each([
    ['the file', [B]],
    ['its folder', ['/traces/deep']],
    ['a folder above', ['/traces']],
  ])('of a file are replaced when %s is evaluated again', (_, paths) => {
    const results = storedResults(
      { paths: [B], report: { sessions: [session('old', B)], problems: [createProblem('error', 'x', B, 'Old.')] } },
      { paths, report: { sessions: [session('new', B)] } },
    );
    expect(ids(results)).toEqual(['new']);
    expect(results.problems).toEqual([]);
  });

  it('of a file are removed when it is no longer in an evaluated folder', () => {
    const results = storedResults(
      { paths: [B], report: { sessions: [session('old', B)] } },
      { paths: ['/traces'], report: {} },
    );
    expect(ids(results)).toEqual([]);
  });

  it('do not take a path for the folder of a file that only begins with it', () => {
    const results = storedResults(
      { paths: ['/traces/ab.json'], report: { sessions: [session('ab', '/traces/ab.json')] } },
      { paths: ['/traces/a'], report: {} },
    );
    expect(ids(results)).toEqual(['ab']);
  });

  it('keep the problems of a session until it is removed', () => {
    const failures = [
      group('wrong tool', 'high', ...[0, 1, 2].map((turn) => occurrence({ session: 'a', file: A, turn }))),
    ];
    const results = storedResults({ paths: [A], report: { sessions: [session('a', A)], failures } });
    const key = results.sessions(0, 1).rows[0]?.key ?? '';
    expect(results.failures(key, 1, 1)).toMatchObject({ total: 3, rows: [{ turn: 1 }] });
    expect(problemsIn('file:///traces/a.json', results)).toHaveLength(3);
    results.clear();
    expect(results.failures(key, 0, 1)).toEqual({ total: 0, rows: [] });
    expect(buildFileView('file:///traces/a.json', results)).toBeNull();
  });

  it('keep errors of files, not warnings', () => {
    const problems = [createProblem('error', 'x', A, 'Broken.'), createProblem('warning', 'x', B, 'Odd.')];
    const results = storedResults({ paths: [A, B], report: { problems } });
    expect(results.problems.map(({ row }) => row.message)).toEqual(['Broken.']);
  });
});

describe('results of a folder with another group of files', () => {
  it('keep those of that group', () => {
    const results = new EvaluationResults();
    const rows = (...files: string[]) =>
      buildRows(report({ sessions: files.map((file) => session(file, file)) }), new FakeLocator(), []);
    results.replace(['/a'], rows('/a/one.json', '/a/b/two.json', '/a/c/three.json'));
    results.replace(['/a'], rows('/a/one.json'), new Map(), new Set(['/a/b']));
    expect(ids(results).sort()).toEqual(['/a/b/two.json', '/a/one.json']);
  });
});
