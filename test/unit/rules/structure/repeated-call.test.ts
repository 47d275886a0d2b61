import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { sessionsOf } from '../public-data.ts';
import { evidencePointers, failed, findingMessages, ok, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('repeated-call');
const order = { id: 'A-1001', status: 'shipped' };
const look = ok('get_order', { order_id: 'A-1001' }, order);
const page = 'Back to Search [SEP] < Prev [SEP] color [SEP] black [SEP] blue [SEP] green '.repeat(3);
const next = ok('click', { button: 'Next >' }, page);
const read = ok('Read', { file_path: 'a.ts' }, page);
const edit = ok('Edit', { file_path: 'b.ts' }, 'ok');

function inOneTurn(...steps: Parameters<typeof session>[0][number]['steps'] & object) {
  return session([{ user: 'Where is A-1001?', steps, agent: 'It has shipped.' }]);
}

/** The severities of the findings. */
function levels(of: Session): string[] {
  return collectFindings(of, { settings: ALONE }).map(({ severity }) => severity);
}

describe('repeated-call', () => {
  it('states the repeated call, and cites the repetition before the original', () => {
    const repeated = inOneTurn(look, look);
    expect(levels(repeated)).toEqual(['low']);
    expect(findingMessages(repeated, ALONE)).toEqual([
      '`get_order` was called again with `order_id` "A-1001" and returned the same as before; nothing had changed in between.',
    ]);
    expect(evidencePointers(repeated, ALONE)).toEqual(['/turns/0/steps/1', '/turns/0/steps/0']);
    expect(collectFindings(repeated, { settings: ALONE })[0]?.calls).toEqual(['/turns/0/steps/1']);
  });

  it.each([
    [4, 'low', 'info'],
    [5, 'medium', 'low'],
    [19, 'medium', 'low'],
    [20, 'high', 'medium'],
    [95, 'high', 'medium'],
  ])('is more severe the more often the call is repeated: %i equal calls', (count, severity, ofUnknownEffect) => {
    expect(levels(inOneTurn(...Array.from({ length: count }, () => look)))).toEqual([severity]);
    expect(levels(inOneTurn(...Array.from({ length: count }, () => next)))).toEqual([ofUnknownEffect]);
  });

  it('counts equal calls of earlier turns, until something changes or the user says something else', () => {
    const asking = { user: 'And now?', steps: [look], agent: 'It has shipped.' };
    const five = Array.from({ length: 5 }, () => asking);
    expect(levels(session(five))).toEqual(['info', 'info', 'info', 'low']);
    const changed = { ...asking, steps: [ok('cancel_order', { order_id: 'A-1001' })] };
    expect(levels(session([...five.slice(0, 4), changed, asking]))).toEqual(['info', 'info', 'info']);
    const other = five.map((turn, index) => ({ ...turn, user: `And now, ${index}?` }));
    expect(levels(session(other))).toEqual(['info', 'info', 'info', 'info']);
  });

  it('groups the repetitions of a turn and names an earlier turn', () => {
    const repeated = session([
      { user: 'Where is A-1001?', steps: [look], agent: 'It has shipped.' },
      { user: 'And when does it arrive?', steps: [look, look, look], agent: 'On Friday.' },
    ]);
    expect(findingMessages(repeated, ALONE)).toEqual([
      '`get_order` was called 3 more times with `order_id` "A-1001" and returned the same as in turn 1; nothing had changed in between.',
    ]);
    expect(levels(repeated)).toEqual(['low']);
    expect(evidencePointers(repeated, ALONE)).toEqual([
      '/turns/1/steps/0',
      '/turns/1/steps/1',
      '/turns/1/steps/2',
      '/turns/0/steps/0',
    ]);
  });

  it('only observes a repetition in a later turn, since its user may have asked for it', () => {
    const again = session([
      { user: 'Where is A-1001?', steps: [look], agent: 'It has shipped.' },
      { user: 'Please double-check.', steps: [look], agent: 'It has.' },
    ]);
    expect(levels(again)).toEqual(['info']);
    expect(collectFindings(again, { settings: ALONE })[0]?.label).toBe(null);
  });

  it('groups the repetitions of a tool, whatever its arguments', () => {
    const other = ok('get_order', { order_id: 'A-1002' }, order);
    const repeated = inOneTurn(look, other, look, other, ok('get_user', {}, 1), ok('get_user', {}, 1));
    expect(findingMessages(repeated, ALONE)).toEqual([
      '`get_order` was called 2 more times, always with the arguments of an earlier call, and returned the same each time; nothing had changed in between.',
      '`get_user` was called again without arguments and returned the same as before; nothing had changed in between.',
    ]);
    expect(evidencePointers(repeated, ALONE)).toEqual([2, 3, 0, 1].map((step) => `/turns/0/steps/${step}`));
  });

  it.each(['think', 'sequentialThinking', 'log_thought'])('ignores notes made with %s', (name) => {
    const note = ok(name, { thought: 'The amounts must add up.' }, 'Your thought has been logged.'.repeat(9));
    expect(levels(inOneTurn(note, note, note))).toEqual([]);
  });

  it.each([
    ['the order of keys', [ok('find_user', { a: 1, b: 2 }, 7), ok('find_user', { b: 2, a: 1 }, 7)]],
    ['reading in between', [look, ok('search_products', { q: 'cup' }, []), look]],
    [
      'a refused change in between',
      [look, failed('refund_order', { order_id: 'A-1001' }, 'amount exceeds total'), look],
    ],
    ['a change that the user rejected', [look, { ...ok('cancel_order'), outcome: 'rejected' as const }, look]],
  ])('is not prevented by %s', (_, steps) => {
    expect(levels(inOneTurn(...steps))).toEqual(['low']);
  });

  it.each([
    ['other arguments', [look, ok('get_order', { order_id: 'A-1002' }, order)]],
    ['another result', [look, ok('get_order', { order_id: 'A-1001' }, { ...order, status: 'delivered' })]],
    ['another tool', [look, ok('get_invoice', { order_id: 'A-1001' }, order)]],
    ['a change in between', [look, ok('cancel_order', { order_id: 'A-1001' }), look]],
    ['a change in between that timed out', [look, failed('cancel_order', {}, 'Request timed out'), look]],
    ['a tool of unknown effect in between', [look, ok('frobnicate', { what: 'all' }), look]],
    ['a tool that changes something', [ok('add_to_cart', { sku: 7 }, page), ok('add_to_cart', { sku: 7 }, page)]],
    ['a tool of unknown effect, twice', [next, next]],
    ['polling', [ok('get_job_status', { job: 1 }, 'running'), ok('get_job_status', { job: 1 }, 'running')]],
    [
      'calls without a result',
      [
        { ...look, result: undefined },
        { ...look, result: undefined },
      ],
    ],
  ])('does not report %s', (_, steps) => {
    expect(levels(inOneTurn(...steps))).toEqual([]);
  });

  it('trusts the annotation more than the name', () => {
    const twice = [{ user: 'Go', steps: [ok('frobnicate', {}, 1), ok('frobnicate', {}, 1)], agent: 'Gone.' }];
    expect(levels(session(twice, [{ name: 'frobnicate', changesState: false }]))).toEqual(['low']);
    const reads = [{ user: 'Go', steps: [ok('get_ticket', {}, 1), ok('get_ticket', {}, 1)], agent: 'Gone.' }];
    expect(levels(session(reads, [{ name: 'get_ticket', changesState: true }]))).toEqual([]);
  });
});

describe('repeated-call, for tools of unknown effect', () => {
  it('observes the third call in a turn, and does not claim that nothing had changed', () => {
    const repeated = inOneTurn(next, look, next, next);
    expect(levels(repeated)).toEqual(['info']);
    expect(findingMessages(repeated, ALONE)).toEqual([
      '`click` was called 2 more times with `button` "Next >" and returned the same each time.',
    ]);
    expect(evidencePointers(repeated, ALONE)).toEqual(['/turns/0/steps/2', '/turns/0/steps/3', '/turns/0/steps/0']);
  });

  it('can be configured to report earlier', () => {
    const settings = { ...ALONE, 'repeated-call': { often: 2 } };
    expect(collectFindings(inOneTurn(next, next), { settings })).toHaveLength(1);
  });

  it.each([
    ['receipts', [1, 2, 3].map(() => ok('scroll', { by: 1 }, { success: true }))],
    ['another result in between', [next, next, ok('click', { button: 'Next >' }, `${page}!`), next]],
    ['a change in between', [next, next, ok('cancel_order'), next]],
    ['three hand-overs', [1, 2, 3].map(() => ok('Finish', { type: 'restart' }, page))],
  ])('does not report %s', (_, steps) => {
    expect(levels(inOneTurn(...steps))).toEqual([]);
  });

  it('does not report three calls in three turns', () => {
    const turn = { user: 'Next.', steps: [next], agent: 'Here you are.' };
    expect(levels(session([turn, turn, turn]))).toEqual([]);
  });

  it('treats file reads of a coding agent in the same way', () => {
    expect(levels(inOneTurn(edit, read, read))).toEqual([]);
    expect(levels(inOneTurn(edit, read, read, read))).toEqual(['info']);
    expect(levels(inOneTurn(read, read, edit, read))).toEqual([]);
  });
});

describe('repeated-call, in a search tree', () => {
  /** A search at every place of the tree, in the order in which they were made. */
  function tree(...places: string[]): Session {
    const flat = inOneTurn(...places.map(() => look));
    const [turn] = flat.turns;
    if (!turn) throw new Error('A turn is missing.');
    const steps = turn.steps.map((step, index) => ({ ...step, pointer: places[index] ?? '' }));
    return { ...flat, source: { ...flat.source, format: 'toolbench' }, turns: [{ ...turn, steps }] };
  }

  it('reports a repetition of a call above it', () => {
    expect(evidencePointers(tree('/0', '/0/0', '/0/1', '/0/1/0'), ALONE)).toEqual(['/0/0', '/0/1', '/0/1/0', '/0']);
  });

  it('does not report calls on separate branches', () => {
    expect(levels(tree('/0/0', '/0/1', '/0/10', '/1'))).toEqual([]);
  });
});

describe('repeated-call, on real traces', () => {
  it.skipIf(!sessionsOf('tau-bench/gpt-4o-airline.tasks00-12.json'))(
    'reports repeated look-ups, and not the thought that an agent noted three times (shared data)',
    async () => {
      const sessions = (await sessionsOf('tau-bench/gpt-4o-airline.tasks00-12.json')?.()) ?? [];
      expect(
        sessions.flatMap((session) => findingMessages(session, ALONE).map((message) => `${session.id}: ${message}`)),
      ).toEqual([
        'task-3-trial-1: `search_onestop_flight` was called again with `origin` "DEN", `destination` "IAH" and 1 more and returned the same as in turn 4; nothing had changed in between.',
      ]);
    },
  );

  it.skipIf(!sessionsOf('mini-swe-agent'))('does not report coding agents (shared data)', async () => {
    const sessions = (await sessionsOf('mini-swe-agent')?.()) ?? [];
    expect(sessions).not.toEqual([]);
    expect(sessions.flatMap(levels)).toEqual([]);
  });
});
