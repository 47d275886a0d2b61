import { describe, expect, it } from 'vitest';
import { SessionRevisions } from '../../../../src/server/report/revisions.ts';
import type { SessionResultsView } from '../../../../src/server/results/session-view.ts';
import { createSessionModel } from '../../../../src/server/results/session-view.ts';
import { group, occurrence } from '../report-fixture.ts';
import { createSession, FILE, type SessionSpec, scored, turn } from './session-fixture.ts';

const TURNS = 4;

/** As another evaluation leaves it: nothing of it is the same object. */
function held(change: SessionSpec['report'] = {}, scores: Readonly<Record<number, number>> = {}): SessionResultsView {
  const turns = Array.from({ length: TURNS }, (_, index) => [turn(), { a: scored(scores[index] ?? 1) }] as const);
  return createSession({ turns, report: change }).held;
}

const at = (index: number, reason = 'It failed.') => occurrence({ session: 's', file: FILE, turn: index, reason });

describe('editions of what is held', () => {
  it('are one as long as nothing changes', () => {
    const editions = new SessionRevisions(createSessionModel);
    const one = held();
    const edition = editions.current(one, 'text');
    expect(editions.current(one, 'text')).toBe(edition);
    expect(editions.since(one, 'text', edition)).toEqual({ edition, turns: [] });
  });

  it('tell the turns that are not as they were, and only those', () => {
    const editions = new SessionRevisions(createSessionModel);
    const first = editions.current(held(), 'text');
    const second = editions.since(held({}, { 2: 0 }), 'text', first);
    expect(second).toEqual({ edition: first + 1, turns: [2] });
    const failures = [group('repetition', 'low', at(1))];
    expect(editions.since(held({ failures }, { 2: 0 }), 'text', second.edition)).toEqual({
      edition: first + 2,
      turns: [1],
    });
    expect(editions.since(held({ failures }, { 2: 0 }), 'text', first).turns).toEqual([1, 2]);
  });

  it('tell a turn whose failure has another reason', () => {
    const editions = new SessionRevisions(createSessionModel);
    const first = editions.current(held({ failures: [group('x', 'low', at(3))] }), 't');
    expect(editions.since(held({ failures: [group('x', 'low', at(3, 'Otherwise.'))] }), 't', first).turns).toEqual([3]);
  });

  it('tell turns as they land', () => {
    const editions = new SessionRevisions(createSessionModel);
    const done = held();
    const landed = (count: number): SessionResultsView => {
      const report = { ...done.detail.report, turns: done.detail.report.turns.slice(TURNS - count) };
      return { ...done, detail: { ...done.detail, report } };
    };
    const first = editions.current(landed(0), 't');
    const second = editions.since(landed(1), 't', first);
    expect(second.turns).toEqual([3]);
    expect(editions.since(landed(3), 't', second.edition).turns).toEqual([1, 2]);
  });

  it.each([
    ['another text was read', 'other', held()],
    ['there are more turns', 'text', createSession({ turns: [[turn(), {}]] }).held],
  ])('say that any turn may be another when %s', (_, text, now) => {
    const editions = new SessionRevisions(createSessionModel);
    const first = editions.current(held(), 'text');
    expect(editions.since(now, text, first).turns).toBeNull();
  });

  it('know nothing of editions that another server has counted, nor of those that were long ago', () => {
    const editions = new SessionRevisions(createSessionModel);
    const first = editions.current(held(), 't');
    expect(editions.since(held(), 't', 3).turns).toBeNull();
    expect(editions.since(held(), 't', first + 1000).turns).toBeNull();
    for (let change = 0; change < 300; change += 1) editions.current(held(), 't');
    expect(editions.since(held(), 't', first).turns).toBeNull();
  });
});
