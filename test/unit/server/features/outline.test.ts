import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../../src/core/problem.ts';
import type { Report, SessionReport } from '../../../../src/core/report.ts';
import {
  buildOutline,
  listSessions,
  sessionsStartingIn,
  sessionsWithHeadline,
} from '../../../../src/server/features/outline.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, report, risk, session } from '../report-fixture.ts';
import { score } from '../results/results-fixture.ts';

const A = '/traces/a.json';
const B = '/traces/b.json';
const C = '/traces/c.json';
const continued = [{ id: 't', index: 0, pointer: '', line: 1, file: C, metrics: {} }];

const headline = (kind: SessionReport['headline']['kind']): Partial<SessionReport> => ({
  headline: { kind, text: kind, turn: null },
});

function storedResults(...runs: readonly Partial<Report>[]): EvaluationResults {
  const results = new EvaluationResults();
  for (const run of runs) results.replace([], buildRows(report(run), new FakeLocator(), []));
  return results;
}

describe('buildOutline', () => {
  it('has a row per file, with its session where it has only one', () => {
    const sessions = [
      session('calm', A, { metrics: risk(0.1) }),
      session('risky', A, { metrics: risk(0.9) }),
      session('only', B, { metrics: risk(0.5) }),
    ];
    expect(buildOutline(storedResults({ sessions }), { offset: 0, limit: 10 })).toMatchObject({
      total: 2,
      rows: [
        { file: { uri: `file://${A}`, sessions: 2 }, session: null },
        { file: { uri: `file://${B}`, sessions: 1 }, session: { id: 'only' } },
      ],
    });
  });

  it("leaves out a file that only continues another's session, unless it has problems", () => {
    const joined = { sessions: [session('joined', A, { turns: continued })] };
    const uris = (results: EvaluationResults) =>
      buildOutline(results, { offset: 0, limit: 10 }).rows.map(({ file }) => file.uri);
    expect(uris(storedResults(joined))).toEqual([`file://${A}`]);
    expect(uris(storedResults({ ...joined, problems: [createProblem('error', 'x', C, 'Broken.')] }))).toEqual([
      `file://${A}`,
      `file://${C}`,
    ]);
  });

  it('gives a page of the rows, and counts each session once', () => {
    const sessions = [
      session('failed', A, { ...headline('failed'), turns: continued }),
      session('clean', B),
      session('undecided', B, headline('undecided')),
      session('also undecided', C, headline('undecided')),
    ];
    const outline = buildOutline(storedResults({ sessions }), { offset: 1, limit: 1 });
    expect(outline.total).toBe(3);
    expect(outline.rows).toHaveLength(1);
    expect(outline.headlines).toMatchObject({ failed: 1, undecided: 2, clean: 1, pending: 0 });
  });

  it('counts sessions that are evaluated for the first time separately', () => {
    const results = storedResults({ sessions: [session('known', A, { metrics: risk(0.5) })] });
    const rows = buildRows(
      report({ sessions: [session('first', B), session('again', C, { metrics: risk(0.5) })] }),
      new FakeLocator(),
      [],
    );
    const partial = rows.sessions.map((session) => ({ ...session, row: { ...session.row, turnsDone: 1 } }));
    results.showPartial(partial, partial, new Map());
    expect(buildOutline(results, { offset: 0, limit: 10 }).headlines).toMatchObject({
      failed: 0,
      undecided: 0,
      clean: 2,
      pending: 1,
    });
  });

  it('names every judge once, and none for rules', () => {
    const by = (model: string | null, file: string): Partial<Report> => ({
      run: { ...report().run, judge: model === null ? null : { provider: 'ollama', model } },
      sessions: [
        session(file, file, { metrics: { helpfulness: score(1, model === null ? {} : { judge: `ollama/${model}` }) } }),
      ],
    });
    expect(
      buildOutline(storedResults(by('qwen3', A), by('qwen3', B), by(null, C)), { offset: 0, limit: 10 }).judges,
    ).toEqual(['qwen3']);
    expect(buildOutline(storedResults(by('qwen3', A), by(null, C)), { offset: 0, limit: 10 }).judged).toBe(1);
    expect(buildOutline(storedResults(by(null, C)), { offset: 0, limit: 10 }).judges).toEqual([]);
    // One that was asked and gave no answer judged nothing.
    const away = { ...by('qwen3', A), sessions: [session(A, A)] };
    expect(buildOutline(storedResults(away), { offset: 0, limit: 10 }).judges).toEqual([]);
  });
});

describe('the listed sessions', () => {
  const sessions = [
    session('calm', A, { metrics: risk(0.1) }),
    session('risky', A, { metrics: risk(0.9), turns: continued }),
    session('failed', A, { metrics: risk(0.2), ...headline('failed') }),
    session('other', C, { metrics: risk(0.5), ...headline('problems') }),
  ];
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

  it('of a file are those that begin in it, the worst first', () => {
    expect(ids(sessionsStartingIn(`file://${A}`, storedResults({ sessions })))).toEqual(['failed', 'risky', 'calm']);
    expect(ids(sessionsStartingIn(`file://${C}`, storedResults({ sessions })))).toEqual(['other']);
  });

  it('of a kind of headline come from all files', () => {
    expect(ids(sessionsWithHeadline('clean', storedResults({ sessions })))).toEqual(['risky', 'calm']);
    expect(sessionsWithHeadline('undecided', storedResults({ sessions }))).toEqual([]);
  });

  it('are sorted by risk or name, and can be limited to those with problems', () => {
    const rows = sessionsStartingIn(`file://${A}`, storedResults({ sessions }));
    expect(ids(listSessions(rows, { sort: 'risk' }))).toEqual(['risky', 'failed', 'calm']);
    expect(ids(listSessions(rows, { sort: 'name' }))).toEqual(['calm', 'failed', 'risky']);
    expect(ids(listSessions(rows, { problemsOnly: true }))).toEqual(['failed']);
    const outline = buildOutline(storedResults({ sessions, problems: [createProblem('error', 'x', B, 'Broken.')] }), {
      offset: 0,
      limit: 10,
      problemsOnly: true,
    });
    expect(outline.rows.map(({ file }) => file.uri)).toEqual([A, C, B].map((path) => `file://${path}`));
  });
});
