import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../../src/core/problem.ts';
import type { Report } from '../../../../src/core/report.ts';
import { EvaluatedFile } from '../../../../src/server/results/evaluated-file.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, group, occurrence, report, risk, session } from '../report-fixture.ts';

const A = '/traces/a.json';
const B = '/traces/b.json';
const uri = (path: string) => `file://${path}`;

/** Sessions that each have a turn, with a failure in it, on lines of their own, from `line` on. */
function result(line: number, ...ids: readonly string[]) {
  const at = (id: string) => ids.indexOf(id) * 10 + line;
  const parts: Partial<Report> = {
    sessions: ids.map((id) =>
      session(id, A, { turns: [{ id: 't', index: 0, pointer: `/${id}/t`, line: null, metrics: {} }] }),
    ),
    failures: [
      group('wrong tool', 'high', ...ids.map((id) => occurrence({ session: id, file: A, pointer: `/${id}/x` }))),
    ],
  };
  const places = ids.flatMap((id) => [
    [`/${id}`, [at(id) + 1, 1, at(id) + 5, 1]] as const,
    [`/${id}/t`, [at(id) + 2, 1, at(id) + 4, 1]] as const,
    [`/${id}/x`, [at(id) + 3, 1, at(id) + 3, 5]] as const,
  ]);
  return buildRows(report(parts), new FakeLocator(Object.fromEntries(places)), []);
}

const text = (path: string, hash: string) => new EvaluatedFile(path, { hash, size: 1, modified: 1, at: 1 });
const textsOf = (...texts: readonly EvaluatedFile[]) => new Map(texts.map((text) => [text.path, text]));

/** A line break at the very beginning. */
const LINE = {
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
  lines: 1,
  lastLength: 0,
};

/** Where each session begins, its turn and its failure are, by its id. */
function linesOf(results: EvaluationResults) {
  const shift = results.file(A)?.rangeMapper;
  return Object.fromEntries(
    results.sessionsIn(A).map((view) => {
      const { location } = results.sessionRow(view);
      const [turn, failure] = [view.turnPlaces[0], view.failures[0]];
      return [
        view.row.id,
        [
          location.range.start.line,
          turn && shift?.map(turn.range).start.line,
          failure && results.currentFinding(failure).location.range.start.line,
        ],
      ];
    }),
  );
}

const stateOf = (results: EvaluationResults) =>
  Object.fromEntries(results.sessions(0, 9).rows.map(({ id, state }) => [id, state]));

describe('results in two versions of a file', () => {
  /** Two sessions were evaluated; then the file changed, and a run that evaluated one of them was stopped. */
  function stopped() {
    const results = new EvaluationResults();
    results.replace([A], result(0, 'one', 'two'), textsOf(text(A, 'then')));
    results.updateHash(A, 'now');
    results.merge(result(100, 'two'), textsOf(text(A, 'now')));
    return results;
  }

  it('keep their locations and their own states', () => {
    const results = stopped();
    expect(linesOf(results)).toEqual({ one: [0, 1, 2], two: [100, 101, 102] });
    expect(stateOf(results)).toEqual({ one: 'stale', two: 'fresh' });
    expect(results.files(0, 9).rows).toMatchObject([{ state: 'stale', sessions: 2 }]);
  });

  it('move together with edits, and both become stale', () => {
    const results = stopped();
    results.addEdits(A, [LINE, LINE]);
    expect(linesOf(results)).toEqual({ one: [2, 3, 4], two: [102, 103, 104] });
    expect(stateOf(results)).toEqual({ one: 'stale', two: 'stale' });
    results.updateHash(A, 'now');
    expect(linesOf(results).two).toEqual([100, 101, 102]);
    results.updateHash(A, 'then');
    expect(stateOf(results)).toEqual({ one: 'fresh', two: 'stale' });
    expect(linesOf(results).one).toEqual([0, 1, 2]);
  });

  it('are of one version again when the file is evaluated as a whole', () => {
    const results = stopped();
    results.addEdits(A, [LINE]);
    results.replace([A], result(200, 'one', 'two'), textsOf(text(A, 'later')));
    expect(linesOf(results)).toEqual({ one: [200, 201, 202], two: [210, 211, 212] });
    expect(stateOf(results)).toEqual({ one: 'fresh', two: 'fresh' });
    results.updateHash(A, 'now');
    expect(stateOf(results)).toEqual({ one: 'stale', two: 'stale' });
  });

  it('can be told apart when they are stored', () => {
    const results = stopped();
    const hashes = results.sessionsIn(A).map((view) => [view.row.id, results.versionsOf(view).get(A)?.stamp?.hash]);
    expect(Object.fromEntries(hashes)).toEqual({ one: 'then', two: 'now' });
  });
});

describe('results of a running evaluation', () => {
  it('are removed when it leaves none', () => {
    const results = new EvaluationResults();
    const now = text(A, 'now');
    results.addVersion(now);
    const rows = result(0, 'one').sessions;
    const run = textsOf(now);
    results.showPartial(rows, rows, run);
    expect(linesOf(results)).toEqual({ one: [0, 1, 2] });
    expect(results.paths).toEqual([A]);
    expect(results.endRun(run)).toEqual([A]);
    expect(results.paths).toEqual([]);
    expect(results.sessions(0, 9)).toEqual({ total: 0, rows: [] });
  });

  it('give way to earlier results when it leaves none', () => {
    const results = new EvaluationResults();
    results.replace([A], result(0, 'one'), textsOf(text(A, 'then')));
    const now = text(A, 'now');
    results.addVersion(now);
    results.addEdits(A, [LINE]);
    const rows = result(100, 'one').sessions;
    const run = textsOf(now);
    results.showPartial(rows, rows, run);
    expect(linesOf(results)).toEqual({ one: [101, 102, 103] });
    results.addEdits(A, [LINE]);
    expect(linesOf(results)).toEqual({ one: [102, 103, 104] });
    results.endRun(run);
    expect(linesOf(results)).toEqual({ one: [2, 3, 4] });
  });

  it('stay when another run ends, unless that run has evaluated the same session', () => {
    const results = new EvaluationResults();
    const [inA, inB] = [textsOf(text(A, 'now')), textsOf(text(B, 'now'))];
    const waiting = result(0, 'one', 'two').sessions.map((view) => ({ ...view, row: { ...view.row, turnsDone: 0 } }));
    results.showPartial(waiting, waiting, inA);
    const doneById = () => Object.fromEntries(results.all.map(({ row }) => [row.id, row.turnsDone]));
    results.replace([B], buildRows(report({ sessions: [session('b', B)] }), new FakeLocator(), []), inB);
    results.endRun(inB);
    expect(doneById()).toEqual({ one: 0, two: 0, b: null });
    results.replace([A], result(0, 'one'), textsOf(text(A, 'now')));
    expect(doneById()).toEqual({ one: null, two: 0, b: null });
    expect(results.endRun(inA)).toEqual([A]);
    expect(doneById()).toEqual({ one: null, b: null });
  });

  it('are shown after earlier ones were cleared', () => {
    const results = new EvaluationResults();
    results.replace([B], buildRows(report({ sessions: [session('b', B)] }), new FakeLocator(), []));
    const now = text(A, 'now');
    results.addVersion(now);
    results.clear();
    const rows = result(0, 'one').sessions;
    results.showPartial(rows, rows, textsOf(now));
    results.addEdits(A, [LINE]);
    expect(linesOf(results)).toEqual({ one: [1, 2, 3] });
    results.replace([A], result(0, 'one'), textsOf(now));
    expect(results.paths).toEqual([A]);
  });
});

describe('a session that continues in another file', () => {
  const joined = () => {
    const turns = [{ id: 't', index: 0, pointer: '/t', line: 1, file: B, metrics: {} }];
    return buildRows(
      report({ sessions: [session('joined', A, { turns })] }),
      new FakeLocator({ '/t': [8, 1, 9, 1] }),
      [],
    );
  };

  it('is as stale as its stalest file', () => {
    const results = new EvaluationResults();
    results.replace(['/traces'], joined(), textsOf(text(A, 'a'), text(B, 'b')));
    results.updateHash(B, 'other');
    expect(stateOf(results)).toEqual({ joined: 'stale' });
    results.updateHash(A, null);
    expect(stateOf(results)).toEqual({ joined: 'gone' });
  });

  it('keeps its locations when only that file is evaluated', () => {
    const results = new EvaluationResults();
    results.replace(['/traces'], joined(), textsOf(text(A, 'a'), text(B, 'b')));
    results.addEdits(B, [LINE]);
    const own = buildRows(report({ sessions: [session('b', B)] }), new FakeLocator(), []);
    const now = text(B, 'other');
    results.updateHash(B, 'other');
    results.replace([B], own, textsOf(now));
    expect(stateOf(results)).toEqual({ joined: 'stale', b: 'fresh' });
    const place = results.sessionsIn(A)[0]?.turnPlaces[0];
    expect(place && results.currentLocation(place).range.start.line).toBe(8);
    results.addEdits(B, [LINE]);
    expect(place && results.currentLocation(place).range.start.line).toBe(9);
  });
});

describe('problems of files', () => {
  const run = (file: string, message: string | null) =>
    buildRows(
      report({ problems: message === null ? [] : [createProblem('error', 'x', file, message)] }),
      new FakeLocator(),
      [],
    );

  it('in a configuration are those of its last run, and none when it is fixed', () => {
    const results = new EvaluationResults();
    const configuration = '/traces/turnwise.config.json';
    const messages = () => results.problems.map(({ row }) => row.message);
    results.replace([A], run(configuration, 'Broken.'));
    results.replace([A], run(configuration, 'Broken.'));
    expect(messages()).toEqual(['Broken.']);
    results.replace(['/elsewhere/c.json'], run(configuration, null));
    expect(messages()).toEqual(['Broken.']);
    results.replace([B], run(configuration, null));
    expect(messages()).toEqual([]);
    expect(results.paths).toEqual([]);
  });

  it('in a sidecar are replaced when its trace is evaluated again', () => {
    const results = new EvaluationResults();
    const sidecar = '/traces/a.turnwise.json';
    const messages = () => results.problems.map(({ row }) => row.message);
    results.replace([A], run(sidecar, 'Broken.'));
    results.replace([B], run(sidecar, null));
    expect(messages()).toEqual(['Broken.']);
    results.replace(['/traces'], run(sidecar, null), textsOf(text(A, 'then')));
    expect(messages()).toEqual([]);
    results.replace([A], run(sidecar, 'Broken.'));
    results.replace([A], run(sidecar, null));
    expect(messages()).toEqual([]);
  });

  it('in any other file are listed once', () => {
    const results = new EvaluationResults();
    for (const path of [A, B, A]) results.replace([path], run('/elsewhere.json', 'Broken.'));
    expect(results.problems).toHaveLength(1);
  });
});

describe('a moved file', () => {
  it('keeps everything, with the locations', () => {
    const results = new EvaluationResults();
    results.replace([A], result(0, 'one'), textsOf(text(A, 'then')));
    results.addCandidate(A);
    const moved = results.file(A)?.withPath(B);
    expect(moved && [...results.move(A, moved)].sort()).toEqual([A, B]);
    const [view] = results.sessionsIn(B);
    expect(JSON.stringify(view)).not.toContain('a.json');
    expect([view?.row.key, view?.file, view?.files, view?.detail.report.source.file]).toEqual([
      `${uri(B)}#one`,
      B,
      [B],
      B,
    ]);
    expect(results.files(0, 9).rows).toMatchObject([{ uri: uri(B), sessions: 1, state: 'fresh' }]);
    results.addEdits(B, [LINE]);
    expect(view && results.sessionRow(view).location.range.start.line).toBe(1);
  });

  it('replaces results of its new path', () => {
    const results = new EvaluationResults();
    results.replace([B], buildRows(report({ sessions: [session('old', B)] }), new FakeLocator(), []));
    results.replace([A], result(0, 'one'), textsOf(text(A, 'then')));
    const moved = results.file(A)?.withPath(B);
    if (moved) results.move(A, moved);
    expect(results.sessions(0, 9).rows.map(({ id }) => id)).toEqual(['one']);
  });
});

describe('the list of files', () => {
  it('has the highest risk first, then candidates, then unreadable files, in pages', () => {
    const results = new EvaluationResults();
    const sessions = [
      session('calm', '/calm.json', { metrics: risk(0.1) }),
      session('risky', '/risky.json', { metrics: risk(0.9) }),
    ];
    const problems = [createProblem('error', 'x', '/broken.json', 'Broken.')];
    results.replace(['/'], buildRows(report({ sessions, problems }), new FakeLocator(), []));
    for (const path of ['/new2.json', '/new1.json', '/calm.json']) results.addCandidate(path);
    const names = (offset: number, limit: number) =>
      results.files(offset, limit).rows.map((row) => row.uri.slice(8, -5));
    const all = ['risky', 'calm', 'new1', 'new2', 'broken'];
    expect([names(0, 9), results.files(0, 1).total]).toEqual([all, 5]);
    for (const [from, count] of [
      [0, 2],
      [2, 2],
      [1, 4],
      [3, 1],
      [4, 9],
      [9, 1],
    ] as const) {
      expect(names(from, count)).toEqual(all.slice(from, from + count));
    }
    expect([
      results.removeCandidate('/new1.json'),
      results.removeCandidate('/new1.json'),
      results.removeCandidate('/calm.json'),
    ]).toEqual([true, false, false]);
    expect(names(2, 9)).toEqual(['new2', 'broken']);
  });
});
