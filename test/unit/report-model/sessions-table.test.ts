import { describe, expect, it } from 'vitest';
import type { Headline } from '../../../src/core/report.ts';
import { HEADLINE_KINDS } from '../../../src/core/statuses.ts';
import {
  countKinds,
  countNames,
  filledColumns,
  filterSessions,
  type SessionColumn,
  type SessionEntry,
  sortBySuccess,
  sortSessions,
  WORST_FIRST,
} from '../../../src/report-model/sessions-table.ts';
import { threadTime } from '../../support/time-growth.ts';

function entry(id: string, parts: Partial<SessionEntry> & { kind?: Headline['kind'] } = {}): SessionEntry {
  const { kind = 'clean', ...others } = parts;
  return {
    key: id,
    id,
    fileName: 'a.json',
    task: null,
    headline: { kind, text: `It is ${kind}`, turn: null },
    worst: null,
    problems: 0,
    labels: new Set(),
    rules: new Set(),
    turns: 1,
    calls: null,
    tokens: null,
    cost: null,
    durationMs: null,
    risk: null,
    ...others,
  };
}

const idsOf = (entries: readonly SessionEntry[]) => entries.map(({ id }) => id).join(' ');
const sorted = (entries: readonly SessionEntry[], column: SessionColumn, isReversed = false) =>
  idsOf(sortSessions(entries, { column, isReversed }));

describe('the sort order of sessions', () => {
  it('is the order of headline kinds, then the highest risk first, and sessions without a risk last', () => {
    const entries = [...HEADLINE_KINDS]
      .reverse()
      .flatMap((kind) => [
        entry(`${kind}-none`, { kind }),
        entry(`${kind}-low`, { kind, risk: 0.1 }),
        entry(`${kind}-high`, { kind, risk: 0.9 }),
      ]);
    const expected = HEADLINE_KINDS.flatMap((kind) => ['high', 'low', 'none'].map((risk) => `${kind}-${risk}`));
    expect(idsOf(sortSessions(entries, WORST_FIRST))).toBe(expected.join(' '));
  });

  it('compares numbers in names as numbers', () => {
    const entries = ['task 10', 'task 9', 'task 1'].map((id) => entry(id));
    expect(sorted(entries, 'session')).toBe('task 1 task 9 task 10');
    expect(sorted(entries, 'session', true)).toBe('task 10 task 9 task 1');
  });

  it.each([
    ['turns', 'turns'],
    ['calls', 'calls'],
    ['tokens', 'tokens'],
    ['cost', 'cost'],
    ['duration', 'durationMs'],
    ['risk', 'risk'],
  ] as const)('by %s puts the largest first, and sessions without a value last in both directions', (column, key) => {
    const entries = [1, 3, 0, 2].map((value) => entry(`n${value}`, { [key]: value }));
    const none = key === 'turns' ? [] : [entry('none')];
    const end = key === 'turns' ? '' : ' none';
    expect(sorted([...none, ...entries], column)).toBe(`n3 n2 n1 n0${end}`);
    expect(sorted([...none, ...entries], column, true)).toBe(`n0 n1 n2 n3${end}`);
  });

  it('by problem is by severity, then by the number of problems', () => {
    const problem = (id: string, severity: 'high' | 'low', problems: number) =>
      entry(id, { worst: { severity, title: 'x' }, problems });
    const entries = [entry('none'), problem('low', 'low', 500), problem('one', 'high', 1), problem('two', 'high', 2)];
    expect(sorted(entries, 'problem')).toBe('two one low none');
  });

  it('by outcome puts tasks in the order of the share of their attempts that succeeded', () => {
    const failed = [
      ['3/4', 'a'],
      ['0/2', 'b'],
      ['1/4', 'c'],
      ['0/0', 'd'],
    ] as const;
    const entries = [
      ...failed.map(([, id]) => entry(id, { kind: 'failed' })),
      entry('alone', { kind: 'failed' }),
      entry('open', { kind: 'undecided' }),
      entry('well', { kind: 'succeeded' }),
    ];
    const tasks = new Map(
      failed.map(([share, id]) => {
        const [succeeded = 0, known = 0] = share.split('/').map(Number);
        return [id as string, { succeeded, known }];
      }),
    );
    const order = (isReversed: boolean) =>
      idsOf(
        sortBySuccess(sortSessions(entries, { column: 'outcome', isReversed }), ({ id }) => tasks.get(id), isReversed),
      );
    expect(order(false)).toBe('b alone c d open a well');
    expect(order(true)).toBe('well a open d c b alone');
  });

  it('is stable where sessions are equal', () => {
    const entries = ['c', 'a', 'b'].map((id) => entry(id));
    expect(sorted(entries, 'turns')).toBe('c a b');
  });

  it.each(['outcome', 'session', 'turns'] as const)(
    'by %s of 50,000 sessions does not take quadratic time',
    (column) => {
      const many = Array.from({ length: 50_000 }, (_, index) =>
        entry(`session ${(index * 7919) % 50_000}`, {
          kind: HEADLINE_KINDS[index % HEADLINE_KINDS.length] ?? 'clean',
          risk: (index % 100) / 100,
          turns: index % 37,
        }),
      );
      const few = many.slice(0, 50_000 / 8);
      expect(sortSessions(many, { column, isReversed: false })).toHaveLength(50_000);
      const time = (entries: readonly SessionEntry[]) =>
        threadTime(() => sortSessions(entries, { column, isReversed: false }));
      // Quadratic time grows 64 times.
      expect(time(many) / time(few)).toBeLessThan(40);
    },
  );
});

describe('the filter of sessions', () => {
  const entries = [
    entry('one', { kind: 'failed', labels: new Set(['false information']), rules: new Set(['ungrounded']) }),
    entry('two', { kind: 'problems', labels: new Set(['repetition']), fileName: 'Refund.json' }),
    entry('three', { task: { id: 'buy shoes', trial: '2', dataset: 'retail', agent: null } }),
  ];
  const found = (filter: Parameters<typeof filterSessions>[1]) => idsOf(filterSessions(entries, filter));

  it('matches everything when it is empty', () => expect(found({})).toBe('one two three'));
  it('matches any of the kinds', () => expect(found({ kinds: ['failed', 'clean'] })).toBe('one three'));
  it('matches the label of a problem', () => expect(found({ label: 'repetition' })).toBe('two'));
  it('matches the rule that found a problem', () => expect(found({ rule: 'ungrounded' })).toBe('one'));
  it.each([
    ['refund', 'two'],
    ['SHOES', 'three'],
    ['is failed', 'one'],
    ['repetit', 'two'],
    ['thr', 'three'],
    ['nothing', ''],
  ])('finds "%s" in names, headlines and labels', (text, expected) => expect(found({ text })).toBe(expected));
  it('requires all criteria', () => expect(found({ kinds: ['failed'], text: 'two' })).toBe(''));
});

describe('what a list of sessions adds up to', () => {
  it('counts kinds of headlines', () => {
    const entries = [entry('a', { kind: 'failed' }), entry('b', { kind: 'failed' }), entry('c')];
    expect(countKinds(entries)).toEqual({
      failed: 2,
      undecided: 0,
      problems: 0,
      'not-run': 0,
      clean: 1,
      succeeded: 0,
    });
  });

  it('counts names, the most frequent first', () => {
    const entries = [entry('a', { labels: new Set(['x', 'y']) }), entry('b', { labels: new Set(['y']) })];
    expect(countNames(entries, ({ labels }) => labels)).toEqual([
      { name: 'y', sessions: 2 },
      { name: 'x', sessions: 1 },
    ]);
  });

  it('has only columns with a value', () => {
    expect(filledColumns([entry('a')])).toEqual(['session', 'outcome', 'turns']);
    const full = entry('b', { tokens: 0, cost: 0.1, durationMs: 5, calls: 1, risk: 0, task: null });
    expect(filledColumns([entry('a'), full])).toEqual([
      'session',
      'outcome',
      'turns',
      'calls',
      'tokens',
      'cost',
      'duration',
      'risk',
    ]);
  });
});
