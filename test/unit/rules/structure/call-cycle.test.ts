import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import { evidencePointers, failed, findingIds, findingMessages, ok, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('call-cycle');
type Steps = Parameters<typeof session>[0][number]['steps'] & object;

const search = ok('search', { q: 'refund policy' }, ['doc-1']);
const fetched = ok('fetch', { id: 'doc-1' }, 'Refunds take five days.');
const page = 'Back to Search [SEP] < Prev [SEP] color [SEP] black [SEP] blue [SEP] green '.repeat(3);

function inOneTurn(...steps: Steps) {
  return session([{ user: 'How long does a refund take?', steps, agent: 'Five days.' }]);
}

function rounds(count: number, ...round: Steps): Steps {
  return Array.from({ length: count }, () => round).flat();
}

describe('call-cycle', () => {
  it('names the calls and the number of rounds, and cites the second round before the first', () => {
    const circling = inOneTurn(...rounds(3, search, fetched));
    expect(findingMessages(circling, ALONE)).toEqual([
      '`search` and `fetch` were called one after the other 3 times, with the same arguments and the same results each time.',
    ]);
    expect(evidencePointers(circling, ALONE)).toEqual([2, 3, 0, 1].map((step) => `/turns/0/steps/${step}`));
    const [finding] = collectFindings(circling, { settings: ALONE });
    expect(finding?.severity).toBe('low');
    expect(finding?.calls).toEqual([2, 3, 4, 5].map((step) => `/turns/0/steps/${step}`));
  });

  it.each([
    [4, 'low'],
    [5, 'medium'],
    [20, 'high'],
  ])('has a severity that grows with the number of rounds: %i', (count, severity) => {
    const circling = inOneTurn(...rounds(count, search, fetched));
    expect(collectFindings(circling, { settings: ALONE }).map((finding) => finding.severity)).toEqual([severity]);
  });

  it('counts the calls of an incomplete round, but not the round', () => {
    const circling = inOneTurn(...rounds(3, search, fetched), search);
    expect(findingMessages(circling, ALONE)[0]).toContain('3 times');
    expect(collectFindings(circling, { settings: ALONE })[0]?.calls).toHaveLength(5);
  });

  it('reports one tool with a cycle of arguments', () => {
    const steps = [1, 2, 3].map((number) => ok('get_page', { number }, `page ${number}`));
    expect(findingMessages(inOneTurn(...rounds(4, ...steps)), ALONE)).toEqual([
      'The same 3 calls of `get_page` were made one after the other 4 times, with the same arguments and the same results each time.',
    ]);
  });

  it('reports a cycle among other calls, and two cycles', () => {
    const other = ok('get_order', { id: 1 }, 1);
    const steps = [other, ...rounds(3, search, fetched), other, ...rounds(3, ok('list_a', {}, 1), ok('list_b', {}, 2))];
    expect(findingIds(inOneTurn(...steps), ALONE)).toEqual(['call-cycle@0', 'call-cycle@0']);
  });

  it('only observes a cycle with a tool of unknown effect', () => {
    const circling = inOneTurn(...rounds(3, ok('click', { on: 'Next' }, page), ok('click', { on: 'Prev' }, page)));
    expect(collectFindings(circling, { settings: ALONE })).toMatchObject([{ severity: 'info', label: null }]);
  });

  it.each<[string, Steps]>([
    ['two rounds', rounds(2, search, fetched)],
    ['one call over and over', rounds(9, search)],
    ['another result in the last round', [...rounds(2, search, fetched), search, ok('fetch', { id: 'doc-1' }, 'New.')]],
    [
      'other arguments in the last round',
      [...rounds(2, search, fetched), search, ok('fetch', { id: 'doc-2' }, 'Refunds take five days.')],
    ],
    ['a call in between', [...rounds(2, search, fetched), ok('get_user', {}, 1), search, fetched]],
    ['a change', rounds(3, search, ok('add_item', { id: 1 }, page))],
    ['a failure', rounds(3, search, failed('fetch', { id: 'doc-1' }, 'not found'))],
    ['polling', rounds(3, ok('wait', { seconds: 5 }, ''), ok('get_job_status', { id: 1 }, 'running'))],
    ['receipts of unknown tools', rounds(3, ok('scroll', { by: 1 }, 'ok'), ok('hover', { on: 'x' }, 'ok'))],
  ])('does not report %s', (_, steps) => {
    expect(findingIds(inOneTurn(...steps), ALONE)).toEqual([]);
  });

  it('does not report what a user asks in every turn', () => {
    const turn = { user: 'How long does a refund take?', steps: [search, fetched], agent: 'Five days.' };
    expect(findingIds(session([turn, turn, turn]), ALONE)).toEqual([]);
  });

  it('does not report search trees, and is otherwise the only rule that reports its calls', () => {
    const circling = inOneTurn(...rounds(3, search, fetched));
    const settings = { ...onlyRule('repeated-call'), 'call-cycle': {} };
    expect(findingIds(circling, settings)).toEqual(['call-cycle@0']);
    expect(findingIds({ ...circling, source: { ...circling.source, format: 'toolbench' } }, ALONE)).toEqual([]);
  });

  it('reports any cycle of two to four different calls once, however long', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }),
        fc.integer({ min: 3, max: 9 }),
        fc.nat({ max: 3 }),
        (n, times, rest) => {
          const round = Array.from({ length: n }, (_, id) => ok('get_item', { id }, `item ${id}`));
          const steps = [...rounds(times, ...round), ...round.slice(0, Math.min(rest, n - 1))];
          const findings = collectFindings(inOneTurn(...steps), { settings: ALONE });
          expect(findings).toHaveLength(1);
          expect(findings[0]?.calls).toHaveLength(steps.length - n);
        },
      ),
    );
  });
});
