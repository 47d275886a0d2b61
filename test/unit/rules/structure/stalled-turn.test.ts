import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import { sessionsOf } from '../public-data.ts';
import { evidencePointers, failed, findingIds, findingMessages, ok, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('stalled-turn');
type Steps = Parameters<typeof session>[0][number]['steps'] & object;

const DAYS = ['2025-11-12', '2025-11-13', '2025-11-14', '2025-11-15', '2025-11-16', '2025-11-17'];

function flights(result: unknown): Steps {
  return DAYS.map((date) => ok('search_direct_flight', { from: 'SFO', date }, result));
}

function inOneTurn(...steps: Steps) {
  return session([{ user: 'Find me a flight.', steps, agent: 'There is none.' }]);
}

describe('stalled-turn', () => {
  it('states how the turn ended, and cites the last results first', () => {
    const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'];
    const steps = files.map((path) => failed('open_document', { path }, `No such document: ${path}`));
    const stalled = inOneTurn(...steps);
    expect(findingMessages(stalled, ALONE)).toEqual([
      'The turn ended with 5 calls of `open_document` that failed as before, each with other arguments.',
    ]);
    expect(evidencePointers(stalled, ALONE)).toEqual([5, 4, 3, 2, 1].map((step) => `/turns/0/steps/${step}/result`));
    const [finding] = collectFindings(stalled, { settings: ALONE });
    expect(finding).toMatchObject({ severity: 'low', label: null });
    expect(finding?.calls).toEqual([1, 2, 3, 4, 5].map((step) => `/turns/0/steps/${step}`));
  });

  it.each([
    ['[]'],
    [[]],
    [{}],
    [{ results: [], count: 0, next: null }],
    [{ query: 'SFO', flights: [] }],
    ['No results found.'],
    ['0 matches'],
  ])('only observes look-ups that find nothing: %j', (result) => {
    const [finding] = collectFindings(inOneTurn(...flights(result)), { settings: ALONE });
    expect(finding).toMatchObject({
      severity: 'info',
      message: 'The turn ended with 6 calls of `search_direct_flight` that found nothing, each with other arguments.',
    });
  });

  it('ignores thoughts and exact repetitions in between', () => {
    const known = ok('get_airport', { city: 'San Francisco' }, 'SFO');
    const full = failed('get_seats', { flight: 'HAT001' }, 'all seats are taken');
    const steps = flights([]).flatMap((step, day) => [
      step,
      ok('think', { thought: `day ${day}` }, ''),
      step,
      known,
      full,
    ]);
    expect(findingMessages(inOneTurn(known, full, ...steps), ALONE)).toEqual([
      'The turn ended with 6 calls of `search_direct_flight` that found nothing, each with other arguments.',
    ]);
  });

  it('names at most three tools', () => {
    const steps = ['list_a', 'list_b', 'list_c', 'list_d', 'list_e'].map((name) => ok(name, {}, []));
    expect(findingMessages(inOneTurn(...steps), ALONE)).toEqual([
      'The turn ended with 5 calls of `list_a`, `list_b` and 3 other tools that found nothing, each with other arguments.',
    ]);
  });

  it('can be configured to report earlier', () => {
    const settings = { ...ALONE, 'stalled-turn': { calls: 2 } };
    expect(collectFindings(inOneTurn(...flights([]).slice(0, 2)), { settings })).toHaveLength(1);
  });

  it.each<[string, Steps]>([
    ['four calls', flights([]).slice(0, 4)],
    ['one call five times', Array.from({ length: 5 }, () => ok('search_x', { q: 1 }, []))],
    ['something found at last', [...flights([]), ok('search_direct_flight', { from: 'OAK' }, ['HAT001'])]],
    ['a change at last', [...flights([]), ok('cancel_booking', { id: 1 }, {})]],
    ['the same answer to different questions', flights({ available: true })],
    ['a figure beside the empty list', flights({ results: [], cheapest: 120 })],
    ['checks that found no fault', DAYS.map((file) => ok('validate_document', { file }, []))],
    ['sentences that say more', flights('No results on that day, but HAT001 leaves the day after. '.repeat(20))],
    ['waiting for something', DAYS.map((since) => ok('list_notifications', { since }, []))],
    ['empty answers of tools of unknown effect', DAYS.map((command) => ok('frobnicate', { command }, []))],
    ['failures that differ', DAYS.map((path, n) => failed('open_document', { path }, `line ${n * 7} is wrong`))],
    ['timeouts', DAYS.map((path) => failed('open_document', { path }, 'Request timed out'))],
    ['rejections', DAYS.map((path) => ({ ...ok('get_document', { path }, []), outcome: 'rejected' as const }))],
  ])('does not report %s', (_, steps) => {
    expect(findingIds(inOneTurn(...steps), ALONE)).toEqual([]);
  });

  it('trusts an annotation that a search changes something', () => {
    const turns = [{ user: 'Find me a flight.', steps: flights([]), agent: 'There is none.' }];
    expect(findingIds(session(turns, [{ name: 'search_direct_flight', changesState: true }]), ALONE)).toEqual([]);
  });

  it('starts over in every turn, and skips search trees', () => {
    const halves = [flights([]).slice(0, 3), flights([]).slice(3)];
    const turns = halves.map((steps) => ({ user: 'Look.', steps, agent: 'Nothing.' }));
    expect(findingIds(session(turns), ALONE)).toEqual([]);
    const tree = inOneTurn(...flights([]));
    expect(findingIds({ ...tree, source: { ...tree.source, format: 'toolbench' } }, ALONE)).toEqual([]);
  });

  it.skipIf(!sessionsOf('tau2-bench'))('reports the searches in a year without flights (shared data)', async () => {
    const sessions = (await sessionsOf('tau2-bench/toolorchestra-airline.tasks000-024.json')?.()) ?? [];
    expect(sessions.flatMap((session) => findingMessages(session, ALONE))).toEqual([
      'The turn ended with 16 calls of `search_direct_flight` and `search_onestop_flight` that found nothing, each with other arguments.',
    ]);
  });
});
