import { describe, expect, it } from 'vitest';
import type { TurnReport } from '../../../../src/core/report.ts';
import { buildInlayHints } from '../../../../src/server/features/inlay-hints.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { FakeLocator, group, occurrence, report, session } from '../report-fixture.ts';
import { createResults, FILE, type Positions, score, URI } from '../results/results-fixture.ts';

function turn(index: number, metrics: TurnReport['metrics'] = {}): TurnReport {
  return { id: `t${index}`, index, pointer: `/t${index}`, line: null, metrics };
}

const PLACES: Positions = { '/t0': [10, 5, 19, 6], '/t1': [20, 5, 29, 6], '/t2': [30, 5, 39, 6] };

const PARTS = {
  run: { ...report({}).run, ownThresholds: ['tool_correctness'] },
  sessions: [session('s', FILE, { turns: [turn(0), turn(1, { tool_correctness: score(0.25) }), turn(2)] })],
  failures: [group('wrong tool', 'high' as const, occurrence({ session: 's', file: FILE, turn: 2 }))],
};

const all = [0, 1000] as const;
const shown = (results: EvaluationResults, from: number, to: number): string[] =>
  buildInlayHints(URI, results, from, to).map(
    ({ position, label }) => `${position.line + 1}:${position.character + 1} ${label}`,
  );

describe('inlay hints', () => {
  it('are at the end of the first line of a turn with problems, and nowhere else', () => {
    // The locator of these tests says that lines end where values do.
    const ends = new FakeLocator(PLACES).locate(FILE, ['/t1', '/t2']);
    expect(Array.from(ends.values(), ({ line, lineEnd }) => [line, lineEnd])).toEqual([
      [20, 6],
      [30, 6],
    ]);
    expect(shown(createResults(PARTS, PLACES), ...all)).toEqual([
      '20:6 ✗ below its threshold · tool_correctness 0.25 / 1',
      '30:6 ✗ wrong tool',
    ]);
  });

  it('cover the requested lines', () => {
    const results = createResults(PARTS, PLACES);
    expect(shown(results, 19, 19)).toHaveLength(1);
    expect(shown(results, 20, 28)).toEqual([]);
    expect(shown(results, 29, 29)).toHaveLength(1);
  });

  it('move with edits', () => {
    const results = createResults(PARTS, PLACES);
    const at = { line: 24, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 3, lastLength: 0 }]);
    expect(shown(results, ...all)).toEqual([
      '20:6 ✗ below its threshold · tool_correctness 0.25 / 1',
      '33:6 ✗ wrong tool',
    ]);
  });

  it('are absent on a line where several turns begin', () => {
    expect(shown(createResults(PARTS, { ...PLACES, '/t2': [20, 9, 30, 9] }), ...all)).toEqual([]);
  });

  it('are absent for files without results', () => {
    expect(buildInlayHints(URI, new EvaluationResults(), ...all)).toEqual([]);
    expect(buildInlayHints('untitled:a.trace.json', createResults(PARTS, PLACES), ...all)).toEqual([]);
  });

  it('are plain text, whatever a label contains', () => {
    const failures = [group('$(bug)\n\u202E[x](command:y)', 'low', occurrence({ session: 's', file: FILE, turn: 2 }))];
    const [hint] = buildInlayHints(URI, createResults({ ...PARTS, failures }, PLACES), 29, 29);
    expect(hint).toMatchObject({ label: '✗ $ (bug) ⟨U+202E⟩[x](command:y)' });
  });
});
