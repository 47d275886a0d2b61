import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { failed, ok, session } from '../session-builder.ts';

const FLIGHTS = [{ flight_number: 'HAT136' }, { flight_number: 'HAT072' }];
const SEARCH = ok('search_direct_flight', { origin: 'SFO' }, FLIGHTS);

function chosen(of: Session) {
  return collectFindings(of).filter(({ rule }) => rule === 'selection-from-search');
}

function booking(user: string, search = SEARCH, flight = 'HAT136'): Session {
  return session([
    { user: 'I need a flight from San Francisco.', steps: [search], agent: 'There are two.' },
    { user, steps: [ok('book_reservation', { flight_number: flight })], agent: 'It is booked.' },
  ]);
}

describe('selection-from-search', () => {
  it('reports a change with a value that the agent selected from a list', () => {
    const [finding] = chosen(booking('Book the cheaper one.'));
    expect(finding).toMatchObject({
      severity: 'info',
      label: null,
      turn: 1,
      message:
        '`book_reservation` changed state with "HAT136", which the agent took from what `search_direct_flight` found; no user had named it.',
      calls: ['/turns/1/steps/0'],
    });
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/1/steps/0', '/turns/0/steps/0/result']);
  });

  it('names two values, and cites once the search that returned both', () => {
    const steps = [ok('book_reservation', { flights: ['HAT136', 'HAT072'] })];
    const two = session([{ user: 'Book both legs.', steps: [SEARCH, ...steps], agent: 'Done.' }]);
    const [finding] = chosen(two);
    expect(finding?.message).toBe(
      '`book_reservation` changed state with "HAT136" and "HAT072", which the agent took from what `search_direct_flight` found; no user had named them.',
    );
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/1', '/turns/0/steps/0/result']);
  });

  it('reads a list inside a text', () => {
    expect(chosen(booking('Book it.', ok('search_direct_flight', {}, JSON.stringify(FLIGHTS))))).toHaveLength(1);
  });

  it.each<[why: string, of: Session]>([
    ['the user named it', booking('Book HAT136, please.')],
    ['there was nothing to choose', booking('Book it.', ok('search_direct_flight', {}, FLIGHTS.slice(0, 1)))],
    ['the search failed', booking('Book it.', failed('search_direct_flight', {}, 'Error: no such airport'))],
    ['it was looked up and not searched for', booking('Book it.', ok('get_flights', {}, FLIGHTS))],
    ['one thing was found by its key', booking('Book it.', ok('find_flights_by_number', {}, FLIGHTS))],
    ['it is from nowhere in the list', booking('Book it.', SEARCH, 'HAT999')],
    ['it is a date', booking('Book it.', ok('search_flights', {}, ['2024-05-01', '2024-05-02']), '2024-05-01')],
  ])('does not report when %s', (_, of) => {
    expect(chosen(of)).toEqual([]);
  });

  it('does not report a value that another tool had returned as well, such as a flight of the booking', () => {
    const details = ok('get_reservation', { id: 'R1' }, { id: 'R1', flights: ['HAT136'] });
    const change = ok('update_reservation', { id: 'R1', flights: ['HAT136', 'HAT072'] });
    for (const steps of [
      [details, SEARCH],
      [SEARCH, details],
    ]) {
      const kept = session([{ user: 'Change my second flight.', steps: [...steps, change], agent: 'Done.' }]);
      expect(chosen(kept).map(({ message }) => message)).toEqual([expect.stringContaining('with "HAT072", which')]);
    }
  });

  it('reports a value that was looked up after the search', () => {
    const lookUp = ok('get_flight', { flight_number: 'HAT136' }, FLIGHTS[0]);
    const turns = [{ user: 'Book one.', steps: [SEARCH, lookUp, ok('book_reservation', FLIGHTS[0])], agent: 'Done.' }];
    expect(chosen(session(turns))).toHaveLength(1);
  });

  it('skips failed calls and coding agents', () => {
    const { turns, ...rest } = booking('Book the cheaper one.');
    const [first, second] = turns;
    if (!first || !second) throw new Error('There are two turns.');
    const broken = failed('book_reservation', { flight_number: 'HAT136' }, 'Error: sold out');
    expect(chosen(session([{ user: 'Book.', steps: [SEARCH, broken], agent: 'Sorry.' }]))).toEqual([]);
    expect(chosen({ ...rest, coding: true, turns })).toEqual([]);
  });

  it('is unaffected by later user messages', () => {
    fc.assert(
      fc.property(fc.string(), (message) => {
        const before = booking('Book the cheaper one.');
        const [later] = session([{ user: `${message} HAT136`, agent: 'Yes.' }]).turns;
        if (!later) throw new Error('There is a turn.');
        expect(chosen({ ...before, turns: [...before.turns, later] })).toHaveLength(1);
      }),
    );
  });
});
