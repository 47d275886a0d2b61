import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../../src/core/problem.ts';
import type { Report } from '../../../../src/core/report.ts';
import { HeldFile } from '../../../../src/server/held/held-file.ts';
import { Results } from '../../../../src/server/held/results.ts';
import { rowsOf } from '../../../../src/server/held/rows.ts';
import { FakeLocator, group, occurrence, report, risk, session } from '../report.ts';

const A = '/traces/a.json';
const B = '/traces/b.json';
const uri = (path: string) => `file://${path}`;

/** Sessions that each have a turn, with a failure in it, on lines of their own, from `line` on. */
function found(line: number, ...ids: readonly string[]) {
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
  return rowsOf(report(parts), new FakeLocator(Object.fromEntries(places)), []);
}

const text = (path: string, hash: string) => new HeldFile(path, { hash, size: 1, modified: 1, at: 1 });
const textsOf = (...texts: readonly HeldFile[]) => new Map(texts.map((one) => [one.path, one]));

/** A line break at the very beginning. */
const LINE = {
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
  lines: 1,
  lastLength: 0,
};

/** Where each session begins, its turn and its failure are, by its id. */
function linesOf(results: Results) {
  const shift = results.file(A)?.shift;
  return Object.fromEntries(
    results.sessionsIn(A).map((held) => {
      const { place } = results.rowOf(held);
      const [turn, failure] = [held.turnPlaces[0], held.failures[0]];
      return [
        held.row.id,
        [
          place.range.start.line,
          turn && shift?.range(turn.range).start.line,
          failure && results.now(failure).place.range.start.line,
        ],
      ];
    }),
  );
}

const stateOf = (results: Results) =>
  Object.fromEntries(results.sessions(0, 9).rows.map(({ id, state }) => [id, state]));

describe('results of two texts of a file', () => {
  /** Two sessions were evaluated; then the file changed, and a run that evaluated one of them was stopped. */
  function stopped() {
    const results = new Results();
    results.replace([A], found(0, 'one', 'two'), textsOf(text(A, 'then')));
    results.seen(A, 'now');
    results.merge(found(100, 'two'), textsOf(text(A, 'now')));
    return results;
  }

  it('stand each where it was found, and each in its own state', () => {
    const results = stopped();
    expect(linesOf(results)).toEqual({ one: [0, 1, 2], two: [100, 101, 102] });
    expect(stateOf(results)).toEqual({ one: 'stale', two: 'fresh' });
    expect(results.files(0, 9).rows).toMatchObject([{ state: 'stale', sessions: 2 }]);
  });

  it('move together with what is typed, and are both stale then', () => {
    const results = stopped();
    results.edited(A, [LINE, LINE]);
    expect(linesOf(results)).toEqual({ one: [2, 3, 4], two: [102, 103, 104] });
    expect(stateOf(results)).toEqual({ one: 'stale', two: 'stale' });
    results.seen(A, 'now');
    expect(linesOf(results).two).toEqual([100, 101, 102]);
    results.seen(A, 'then');
    expect(stateOf(results)).toEqual({ one: 'fresh', two: 'stale' });
    expect(linesOf(results).one).toEqual([0, 1, 2]);
  });

  it('are of one again when the file is evaluated as a whole', () => {
    const results = stopped();
    results.edited(A, [LINE]);
    results.replace([A], found(200, 'one', 'two'), textsOf(text(A, 'later')));
    expect(linesOf(results)).toEqual({ one: [200, 201, 202], two: [210, 211, 212] });
    expect(stateOf(results)).toEqual({ one: 'fresh', two: 'fresh' });
    results.seen(A, 'now');
    expect(stateOf(results)).toEqual({ one: 'stale', two: 'stale' });
  });

  it('can be told apart by who keeps them', () => {
    const results = stopped();
    const hashes = results.sessionsIn(A).map((held) => [held.row.id, results.textsOf(held).get(A)?.stamp?.hash]);
    expect(Object.fromEntries(hashes)).toEqual({ one: 'then', two: 'now' });
  });
});

describe('results of an evaluation that goes on', () => {
  it('give way to nothing when it leaves nothing', () => {
    const results = new Results();
    const now = text(A, 'now');
    results.read(now);
    const rows = found(0, 'one').sessions;
    results.show(rows, rows, textsOf(now));
    expect(linesOf(results)).toEqual({ one: [0, 1, 2] });
    expect(results.paths).toEqual([A]);
    expect(results.over([now], true)).toEqual([A]);
    expect(results.paths).toEqual([]);
    expect(results.sessions(0, 9)).toEqual({ total: 0, rows: [] });
  });

  it('show what was held before again when it leaves nothing', () => {
    const results = new Results();
    results.replace([A], found(0, 'one'), textsOf(text(A, 'then')));
    const now = text(A, 'now');
    results.read(now);
    results.edited(A, [LINE]);
    const rows = found(100, 'one').sessions;
    results.show(rows, rows, textsOf(now));
    expect(linesOf(results)).toEqual({ one: [101, 102, 103] });
    results.edited(A, [LINE]);
    expect(linesOf(results)).toEqual({ one: [102, 103, 104] });
    results.over([now], true);
    expect(linesOf(results)).toEqual({ one: [2, 3, 4] });
  });

  it('are shown beside those that were cleared meanwhile', () => {
    const results = new Results();
    results.replace([B], rowsOf(report({ sessions: [session('b', B)] }), new FakeLocator(), []));
    const now = text(A, 'now');
    results.read(now);
    results.clear();
    const rows = found(0, 'one').sessions;
    results.show(rows, rows, textsOf(now));
    results.edited(A, [LINE]);
    expect(linesOf(results)).toEqual({ one: [1, 2, 3] });
    results.replace([A], found(0, 'one'), textsOf(now));
    expect(results.paths).toEqual([A]);
  });
});

describe('a session that goes on in another file', () => {
  const joined = () => {
    const turns = [{ id: 't', index: 0, pointer: '/t', line: 1, file: B, metrics: {} }];
    return rowsOf(report({ sessions: [session('joined', A, { turns })] }), new FakeLocator({ '/t': [8, 1, 9, 1] }), []);
  };

  it('is as stale as the worst of them', () => {
    const results = new Results();
    results.replace(['/traces'], joined(), textsOf(text(A, 'a'), text(B, 'b')));
    results.seen(B, 'other');
    expect(stateOf(results)).toEqual({ joined: 'stale' });
    results.seen(A, null);
    expect(stateOf(results)).toEqual({ joined: 'gone' });
  });

  it('stands where it was found in it when that one alone is evaluated again', () => {
    const results = new Results();
    results.replace(['/traces'], joined(), textsOf(text(A, 'a'), text(B, 'b')));
    results.edited(B, [LINE]);
    const own = rowsOf(report({ sessions: [session('b', B)] }), new FakeLocator(), []);
    const now = text(B, 'other');
    results.seen(B, 'other');
    results.replace([B], own, textsOf(now));
    expect(stateOf(results)).toEqual({ joined: 'stale', b: 'fresh' });
    const place = results.sessionsIn(A)[0]?.turnPlaces[0];
    expect(place && results.placeNow(place).range.start.line).toBe(8);
    results.edited(B, [LINE]);
    expect(place && results.placeNow(place).range.start.line).toBe(9);
  });
});

describe('problems', () => {
  const run = (file: string, message: string | null) =>
    rowsOf(
      report({ problems: message === null ? [] : [createProblem('error', 'x', file, message)] }),
      new FakeLocator(),
      [],
    );

  it('of a configuration are those of the last run under it, and none when it is mended', () => {
    const results = new Results();
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

  it('of a sidecar are those of the last run of its trace', () => {
    const results = new Results();
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

  it('of any other file are told once', () => {
    const results = new Results();
    for (const path of [A, B, A]) results.replace([path], run('/elsewhere.json', 'Broken.'));
    expect(results.problems).toHaveLength(1);
  });
});

describe('a file that moves', () => {
  it('takes everything with it, and the places of what was found', () => {
    const results = new Results();
    results.replace([A], found(0, 'one'), textsOf(text(A, 'then')));
    results.appeared(A);
    const moved = results.file(A)?.renamed(B);
    expect(moved && [...results.move(A, moved)].sort()).toEqual([A, B]);
    const [held] = results.sessionsIn(B);
    expect(JSON.stringify(held)).not.toContain('a.json');
    expect([held?.row.key, held?.file, held?.files, held?.detail.report.source.file]).toEqual([
      `${uri(B)}#one`,
      B,
      [B],
      B,
    ]);
    expect(results.files(0, 9).rows).toMatchObject([{ uri: uri(B), sessions: 1, state: 'fresh' }]);
    results.edited(B, [LINE]);
    expect(held && results.rowOf(held).place.range.start.line).toBe(1);
  });

  it('takes the place of what was held of its new name', () => {
    const results = new Results();
    results.replace([B], rowsOf(report({ sessions: [session('old', B)] }), new FakeLocator(), []));
    results.replace([A], found(0, 'one'), textsOf(text(A, 'then')));
    const moved = results.file(A)?.renamed(B);
    if (moved) results.move(A, moved);
    expect(results.sessions(0, 9).rows.map(({ id }) => id)).toEqual(['one']);
  });
});

describe('the list of files', () => {
  it('is what could not be read, then the riskiest, then what was never evaluated, in pages', () => {
    const results = new Results();
    const sessions = [
      session('calm', '/calm.json', { metrics: risk(0.1) }),
      session('risky', '/risky.json', { metrics: risk(0.9) }),
    ];
    const problems = [createProblem('error', 'x', '/broken.json', 'Broken.')];
    results.replace(['/'], rowsOf(report({ sessions, problems }), new FakeLocator(), []));
    for (const path of ['/new2.json', '/new1.json', '/calm.json']) results.appeared(path);
    const names = (offset: number, limit: number) =>
      results.files(offset, limit).rows.map((row) => row.uri.slice(8, -5));
    const all = ['broken', 'risky', 'calm', 'new1', 'new2'];
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
    expect([results.vanished('/new1.json'), results.vanished('/new1.json'), results.vanished('/calm.json')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(names(3, 9)).toEqual(['new2']);
  });
});
