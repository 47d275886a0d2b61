import { describe, expect, it } from 'vitest';
import { createSessionModel } from '../../../../src/panel/panel-session.ts';
import { SessionRevisions } from '../../../../src/server/report/revisions.ts';
import type { SessionResultsView } from '../../../../src/server/results/session-results-view.ts';
import { group, occurrence } from '../report-fixture.ts';
import { createSession, FILE, type SessionSpec, scored, turn } from './session-fixture.ts';

const TURNS = 4;

/** As another evaluation leaves it: nothing of it is the same object. */
function storedResults(
  change: SessionSpec['report'] = {},
  scores: Readonly<Record<number, number>> = {},
): SessionResultsView {
  const turns = Array.from({ length: TURNS }, (_, index) => [turn(), { a: scored(scores[index] ?? 1) }] as const);
  return createSession({ turns, report: change }).results;
}

const at = (index: number, reason = 'It failed.') => occurrence({ session: 's', file: FILE, turn: index, reason });

describe("revisions of a session's results", () => {
  it('stay the same while nothing changes', () => {
    const revisions = new SessionRevisions(createSessionModel);
    const view = storedResults();
    const revision = revisions.current(view, 'text');
    expect(revisions.current(view, 'text')).toBe(revision);
    expect(revisions.since(view, 'text', revision)).toEqual({ revision, turns: [] });
  });

  it('name the turns that have changed, and only those', () => {
    const revisions = new SessionRevisions(createSessionModel);
    const first = revisions.current(storedResults(), 'text');
    const second = revisions.since(storedResults({}, { 2: 0 }), 'text', first);
    expect(second).toEqual({ revision: first + 1, turns: [2] });
    const failures = [group('repetition', 'low', at(1))];
    expect(revisions.since(storedResults({ failures }, { 2: 0 }), 'text', second.revision)).toEqual({
      revision: first + 2,
      turns: [1],
    });
    expect(revisions.since(storedResults({ failures }, { 2: 0 }), 'text', first).turns).toEqual([1, 2]);
  });

  it('name a turn whose problem has another reason', () => {
    const revisions = new SessionRevisions(createSessionModel);
    const first = revisions.current(storedResults({ failures: [group('x', 'low', at(3))] }), 't');
    expect(
      revisions.since(storedResults({ failures: [group('x', 'low', at(3, 'Otherwise.'))] }), 't', first).turns,
    ).toEqual([3]);
  });

  it('name turns as they arrive', () => {
    const revisions = new SessionRevisions(createSessionModel);
    const done = storedResults();
    const landed = (count: number): SessionResultsView => {
      const report = { ...done.detail.report, turns: done.detail.report.turns.slice(TURNS - count) };
      return { ...done, detail: { ...done.detail, report } };
    };
    const first = revisions.current(landed(0), 't');
    const second = revisions.since(landed(1), 't', first);
    expect(second.turns).toEqual([3]);
    expect(revisions.since(landed(3), 't', second.revision).turns).toEqual([1, 2]);
  });

  it.each([
    ['another text was read', 'other', storedResults()],
    ['there are more turns', 'text', createSession({ turns: [[turn(), {}]] }).results],
  ])('do not tell turns apart when %s', (_, text, now) => {
    const revisions = new SessionRevisions(createSessionModel);
    const first = revisions.current(storedResults(), 'text');
    expect(revisions.since(now, text, first).turns).toBeNull();
  });

  it('ignore revisions of another server, and forgotten ones', () => {
    const revisions = new SessionRevisions(createSessionModel);
    const first = revisions.current(storedResults(), 't');
    expect(revisions.since(storedResults(), 't', 3).turns).toBeNull();
    expect(revisions.since(storedResults(), 't', first + 1000).turns).toBeNull();
    for (let change = 0; change < 300; change += 1) revisions.current(storedResults(), 't');
    expect(revisions.since(storedResults(), 't', first).turns).toBeNull();
  });
});
