import type { Profiler } from 'node:inspector';
import { describe, expect, it } from 'vitest';
import { computeSpread } from '../../bench/editor/figures.ts';
import { profileTime } from '../../bench/editor/profile-time.ts';
import { withFigures } from '../../bench/editor/section.ts';
import { formatTable, type Group } from '../../bench/editor/table.ts';

describe('spreadOf', () => {
  it.each([
    [[3, 1, 2], { median: 2, least: 1, most: 3 }],
    [[4, 1], { median: 2.5, least: 1, most: 4 }],
    [[7, Number.NaN], { median: 7, least: 7, most: 7 }],
  ])('of %j is %j', (values, expected) => {
    expect(computeSpread(values)).toEqual(expected);
  });

  it('is nothing where nothing was measured', () => {
    expect(computeSpread([Number.NaN])).toBeNull();
  });
});

describe('tableOf', () => {
  const group: Group = {
    title: 'Opening',
    rows: [
      { title: 'first lens', unit: 'ms', of: ({ lens }) => lens, aim: 1000 },
      { title: 'more than without', unit: 'ms', of: ({ lens = 0, plain = 0 }) => lens - plain, aim: 50 },
      { title: 'as it is', unit: 'MB', of: ({ memory }) => memory },
      { title: 'not measured', unit: 'ms', of: ({ nothing }) => nothing, aim: 1 },
    ],
  };
  const runs = [
    { lens: 1200, plain: 1190, memory: 9.04 },
    { lens: 900, plain: 840, memory: 9.96 },
    { lens: 1034, plain: 1000, memory: 9.5 },
  ];

  it('says of each row its median, its spread, and how far it is from its aim', () => {
    expect(formatTable(group, runs).split('\n')).toEqual([
      '| Opening | median | from – to | target | |',
      '|---|---|---|---|---|',
      '| first lens | 1,034 ms | 900 – 1,200 | ≤ 1,000 ms | **missed** by 34 ms |',
      '| more than without | 34 ms | 10 – 60 | ≤ 50 ms | met |',
      '| as it is | 9.5 MB | 9 – 10 |  |  |',
      '| not measured | not measured | | ≤ 1 ms | |',
    ]);
  });

  it('has no spread of one run', () => {
    expect(formatTable(group, [{ lens: 1000 }])).toContain('| first lens | 1,000 ms |  | ≤ 1,000 ms | met |');
  });
});

describe('withFigures', () => {
  it('adds a section at the end of a document, and changes the same one after that', () => {
    const once = withFigures('# Benchmarks\n\nThese.\n', 'one');
    expect(once).toMatch(/^# Benchmarks\n\nThese\.\n\n## In the editor\n\n<!-- .* -->\n\none\n\n<!-- .* -->\n$/);
    expect(withFigures(once, 'one')).toBe(once);
    expect(withFigures(once, 'two')).toBe(once.replace('\none\n', '\ntwo\n'));
  });

  it('leaves what people wrote around the figures', () => {
    const written = `${withFigures('', 'one').replace('## In the editor\n', '## In the editor\n\nWhy.\n')}\nMore.\n\n## Next\n`;
    expect(withFigures(written, 'two')).toBe(written.replace('\none\n', '\ntwo\n'));
  });
});

describe('ownTime', () => {
  const node = (id: number, functionName: string, url = '', children: number[] = []): Profiler.ProfileNode => ({
    id,
    callFrame: { functionName, url, scriptId: '', lineNumber: 0, columnNumber: 0 },
    children,
  });
  const nodes = [
    node(1, '(root)', '', [2, 3, 5, 6]),
    node(2, '(idle)'),
    node(3, 'show', 'file:///ours.cjs', [4]),
    node(4, 'set', 'file:///theirs.js'),
    node(5, '(garbage collector)'),
    node(6, 'open', 'file:///theirs.js'),
  ];
  /** Each sample stands for the milliseconds after it. */
  const profile = (...samples: readonly (readonly [id: number, milliseconds: number])[]): Profiler.Profile => ({
    nodes,
    startTime: 0,
    endTime: 0,
    samples: [...samples.map(([id]) => id), 2],
    timeDeltas: [0, ...samples.map(([, milliseconds]) => milliseconds * 1000)],
  });
  const isOurs = (url: string) => url.endsWith('/ours.cjs');

  it('counts what a file calls as its own', () => {
    expect(profileTime(profile([3, 1], [4, 2], [6, 8], [4, 4]), isOurs)).toEqual({ total: 7, longest: 4 });
  });

  it('counts a collection only while the file is at work', () => {
    expect(profileTime(profile([5, 16], [3, 1], [5, 2], [4, 1], [6, 8], [5, 32]), isOurs)).toEqual({
      total: 4,
      longest: 4,
    });
  });

  it('is nothing of a file that never ran', () => {
    expect(profileTime(profile([6, 8], [5, 2]), isOurs)).toEqual({ total: 0, longest: 0 });
  });
});
