import { describe, expect, it } from 'vitest';
import type { CodeLens } from 'vscode-languageserver/node';
import type { Report, TurnReport } from '../../../../src/core/report.ts';
import { DEFAULT_TRACES, type InitializationSettings } from '../../../../src/protocol/settings.ts';
import { CodeLensProvider } from '../../../../src/server/features/code-lens.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, group, occurrence, report, risk, session } from '../report-fixture.ts';
import { createResults, FILE, type Positions, score, URI } from '../results/results-fixture.ts';

const SETTINGS: InitializationSettings = {
  client: 'vscode',
  traces: DEFAULT_TRACES,
  lenses: true,
  inlayHints: true,
  evaluateOnSave: true,
  editorModelsOnSave: false,
  evaluateOnChange: 'evaluated',
  livePort: 4318,
  liveMaxSize: 500,
  liveKeepDays: 30,
  liveNotify: true,
  trusted: true,
};

function lenses(results: EvaluationResults, settings: Partial<InitializationSettings> = {}): CodeLensProvider {
  return new CodeLensProvider({ results, folders: new Set(['/x']), settings: () => ({ ...SETTINGS, ...settings }) });
}

/** `line: title`, lines counted from one. */
function shown(all: readonly CodeLens[]): string[] {
  return all.map(({ range, command }) => `${range.start.line + 1}: ${command?.title}`);
}

function turn(index: number, metrics: TurnReport['metrics'] = {}, file?: string): TurnReport {
  return { id: `t${index}`, index, pointer: `/t${index}`, line: null, metrics, ...(file ? { file } : {}) };
}

const PLACES: Positions = { '/s': [2, 3, 40, 4], '/t0': [10, 5, 19, 6], '/t1': [20, 5, 29, 6], '/t2': [30, 5, 39, 6] };

/** The user sets these thresholds, so a score below one is a problem. */
const OWN: Pick<Report, 'run'> = {
  run: { ...report({}).run, ownThresholds: ['tool_correctness', 'counted', 'least', 'most', 'hidden'] },
};

const THREE_TURNS: Partial<Report> = {
  ...OWN,
  sessions: [
    session('s', FILE, {
      headline: { kind: 'failed', text: 'Failed: wrong tool (turn 3)', turn: 2 },
      metrics: risk(0.714),
      turns: [turn(0, { turn_risk: score(0.04) }), turn(1, { tool_correctness: score(0.25) }), turn(2)],
    }),
  ],
  failures: [
    group('repeated tool call', 'low', occurrence({ session: 's', file: FILE, turn: 2 })),
    group('wrong tool', 'high', occurrence({ session: 's', file: FILE, turn: 2 })),
  ],
};

describe('lenses', () => {
  it('are above a session, and above its turns that have problems', () => {
    expect(shown(lenses(createResults(THREE_TURNS, PLACES)).provide(URI))).toEqual([
      '2: ✗ Failed: wrong tool (turn 3) · risk High · Report',
      '20: ✗ below its threshold · tool_correctness 0.25 / 1',
      '30: ✗ wrong tool, repeated tool call',
    ]);
  });

  it.each([
    ['failed', '✗'],
    ['undecided', '?'],
    ['problems', '!'],
    ['not-run', '–'],
    ['clean', '○'],
    ['succeeded', '✓'],
  ] as const)('have a mark of their own for %s', (kind, mark) => {
    const all = { sessions: [session('s', FILE, { headline: { kind, text: 'The headline', turn: null } })] };
    expect(shown(lenses(createResults(all, PLACES)).provide(URI))).toEqual([`2: ${mark} The headline · Report`]);
  });

  it('have headlines as inert text', () => {
    const text = `Undecided: $(answer)\u202E${' and'.repeat(50)}.`;
    const all = { sessions: [session('s', FILE, { headline: { kind: 'undecided', text, turn: null } })] };
    const [only = ''] = shown(lenses(createResults(all, PLACES)).provide(URI));
    expect(only).toMatch(/^2: \? Undecided: \$ \(answer\)⟨U\+202E⟩ and.*… · Report$/);
    expect(only.length).toBeLessThan(190);
  });

  it('open the report of the session at the turn', () => {
    const [ofSession, ...ofTurns] = lenses(createResults(THREE_TURNS, PLACES)).provide(URI);
    const argument = { session: `${URI}#s`, turn: null };
    expect(ofSession?.command).toMatchObject({ command: 'turnwise.openReport', arguments: [argument] });
    expect(ofTurns.map(({ command }) => command?.arguments?.[0].turn)).toEqual([1, 2]);
  });

  it('have no command in an editor without reports', () => {
    const all = lenses(createResults(THREE_TURNS, PLACES), { client: 'other' }).provide(URI);
    expect(new Set(all.map(({ command }) => command?.command))).toEqual(new Set(['']));
  });

  it.each([
    ['vscode', URI, ['1: Evaluate with Turnwise']],
    ['other', 'file:///x/.agentest/results.json', ['1: Evaluate with Turnwise']],
    ['vscode', 'file:///x/package.json', []],
    ['vscode', 'untitled:a.trace.json', []],
  ] as const)('offer to evaluate what is a trace by its name alone (%s, %s)', (client, uri, titles) => {
    expect(shown(lenses(new EvaluationResults(), { client }).provide(uri))).toEqual(titles);
  });

  it('offer to evaluate files that match the globs, relative to a folder or anywhere', () => {
    const traces = ['runs/*.json'];
    expect(shown(lenses(new EvaluationResults(), { traces }).provide('file:///x/runs/a.json'))).toHaveLength(1);
    expect(shown(lenses(new EvaluationResults(), { traces }).provide('file:///x/.vscode/runs/a.json'))).toHaveLength(0);
    expect(shown(lenses(new EvaluationResults(), { traces }).provide(URI))).toHaveLength(0);
  });

  it('evaluate their file', () => {
    const [lens] = lenses(new EvaluationResults()).provide(URI);
    expect(lens?.command).toMatchObject({ command: 'turnwise.evaluate', arguments: [URI] });
  });

  it('are absent when they are turned off', () => {
    expect(lenses(createResults(THREE_TURNS, PLACES), { lenses: false }).provide(URI)).toEqual([]);
  });

  it('move with edits, say that results are outdated, and offer to evaluate beside the others', () => {
    const results = createResults(THREE_TURNS, PLACES);
    const at = { line: 14, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 2, lastLength: 0 }]);
    expect(shown(lenses(results).provide(URI))).toEqual([
      '2: ✗ Failed: wrong tool (turn 3) · risk High · outdated: file changed · Report',
      '22: ✗ below its threshold · tool_correctness 0.25 / 1',
      '32: ✗ wrong tool, repeated tool call',
      '2: Evaluate Again',
    ]);
  });

  it('of a file on one line are that of its session and one that formats a copy', () => {
    const places: Positions = {
      '/s': [1, 1, 1, 90],
      '/t0': [1, 5, 1, 20],
      '/t1': [1, 21, 1, 40],
      '/t2': [1, 41, 1, 50],
    };
    const results = createResults(THREE_TURNS, places);
    const [only] = THREE_TURNS.sessions ?? [];
    const short = createResults({ sessions: only ? [{ ...only, turns: [turn(0)] }] : [] }, places);
    expect(shown(lenses(short).provide(URI))).toEqual([
      '1: ✗ Failed: wrong tool (turn 3) · risk High · Report',
      '1: Format Copy',
    ]);
    expect(shown(lenses(results).provide(URI))).toEqual([
      '1: ✗ Failed: wrong tool (turn 3) · risk High · Report',
      '1: Format Copy',
    ]);
    expect(shown(lenses(results, { client: 'other' }).provide(URI))).toEqual([
      '1: ✗ Failed: wrong tool (turn 3) · risk High',
    ]);
  });

  it('of a line with several show the most severe and the number of the others', () => {
    const parts = {
      ...THREE_TURNS,
      sessions: [...(THREE_TURNS.sessions ?? []), session('calm', FILE), session('also', FILE)],
    };
    const places: Positions = { ...PLACES, '/calm': [2, 1, 2, 2], '/t1': [10, 20, 10, 30], '/t2': [10, 40, 11, 30] };
    expect(shown(lenses(createResults(parts, places)).provide(URI))).toEqual([
      '1: ○ No problems found · Report',
      '2: ✗ Failed: wrong tool (turn 3) · risk High · Report · 1 more on this line',
      '10: ✗ wrong tool, repeated tool call · 1 more on this line',
    ]);
  });

  it('begin where the first on their line begins', () => {
    const sessions = [...(THREE_TURNS.sessions ?? []), session('calm', FILE)];
    const results = createResults({ ...THREE_TURNS, sessions }, { ...PLACES, '/calm': [2, 1, 2, 2] });
    const [first] = lenses(results).provide(URI);
    expect(first).toMatchObject({
      range: { start: { line: 1, character: 0 } },
      command: { title: expect.stringMatching(/^✗/) },
    });
  });

  it('are not above a turn whose score is only below a built-in threshold', () => {
    const { run: _, ...parts } = THREE_TURNS;
    expect(shown(lenses(createResults(parts, PLACES)).provide(URI))).toEqual([
      '2: ✗ Failed: wrong tool (turn 3) · risk High · Report',
      '30: ✗ wrong tool, repeated tool call',
    ]);
  });

  it('have changed when a title has, and neither when they move nor when nothing shows them', () => {
    const results = createResults(THREE_TURNS, PLACES);
    const provider = lenses(results);
    expect(provider.haveChanged(undefined)).toBe(false);
    provider.provide(URI);
    expect([provider.haveChanged(undefined), provider.haveChanged([URI])]).toEqual([false, false]);
    const at = { line: 14, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 2, lastLength: 0 }]);
    expect([provider.haveChanged([URI]), provider.haveChanged(['file:///x/other.json'])]).toEqual([true, false]);
    provider.provide(URI);
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 2, lastLength: 0 }]);
    expect(provider.haveChanged(undefined)).toBe(false);
  });

  it('name the score farthest below its threshold, without implied ones', () => {
    const metrics = {
      counted: score(2, { scale: [0, null], threshold: 4, passed: false }),
      least: score(0.4),
      most: score(0.1),
      turn_risk: score(0.9, { threshold: 9, passed: false }),
      hidden: score(0, { implied: true, threshold: 9 }),
    };
    const sessions = [session('s', FILE, { turns: [turn(0, metrics)] })];
    expect(shown(lenses(createResults({ ...OWN, sessions }, PLACES)).provide(URI))[1]).toBe(
      '10: ✗ below its threshold · counted 2',
    );
  });

  it('of turns appear once all are evaluated, and then show the progress', () => {
    const rows = buildRows(report({ ...OWN, sessions: THREE_TURNS.sessions ?? [] }), new FakeLocator(PLACES), []);
    const partial = (turns: number) =>
      rows.sessions.map((session) => ({ ...session, row: { ...session.row, turns, turnsDone: 3 } }));
    const results = new EvaluationResults();
    results.replace([FILE], { sessions: partial(5), problems: [] });
    expect(shown(lenses(results).provide(URI))).toEqual(['2: evaluating: 3 of 5 turns · Report']);
    results.replace([FILE], { sessions: partial(3), problems: [] });
    expect(shown(lenses(results).provide(URI))).toHaveLength(2);
  });

  it('of a session and its only turn on one line are side by side', () => {
    const sessions = [session('s', FILE, { turns: [turn(0, { tool_correctness: score(0.25) })] })];
    const places: Positions = { '/s': [3, 1, 3, 90], '/t0': [3, 1, 4, 90] };
    expect(shown(lenses(createResults({ ...OWN, sessions }, places)).provide(URI))).toEqual([
      '3: ○ No problems found · Report',
      '3: ✗ below its threshold · tool_correctness 0.25 / 1',
    ]);
  });

  it("are in a file with turns of another file's session", () => {
    const other = '/traces/b.trace.json';
    const sessions = [session('s', FILE, { turns: [turn(0), turn(1, { tool_correctness: score(0.25) }, other)] })];
    expect(shown(lenses(createResults({ ...OWN, sessions }, PLACES)).provide('file:///traces/b.trace.json'))).toEqual([
      '20: ✗ below its threshold · tool_correctness 0.25 / 1',
    ]);
  });

  it('offer to evaluate an unreadable file again', () => {
    const problems = [
      { file: FILE, pointer: null, line: 3, severity: 'error', code: 'x', message: 'Broken.' } as const,
    ];
    expect(shown(lenses(createResults({ problems })).provide(URI))).toEqual(['1: Evaluate Again']);
  });

  it('show no icons and hide no characters of names', () => {
    const label = '$(bug) \u202Eevil\u0007\n\nname'.padEnd(300, 'x');
    const failures = [group(label, 'low', occurrence({ session: 's', file: FILE }))];
    const sessions = [session('s', FILE, { turns: [turn(0, { 'm$(x)': score(0.1) })] })];
    const [, lens] = lenses(createResults({ sessions, failures }, PLACES)).provide(URI);
    expect(lens?.command?.title).toMatch(/^✗ \$ \(bug\) ⟨U\+202E⟩evil⟨U\+0007⟩ namex+… · m\$ \(x\) 0\.10 \/ 1$/);
  });

  it('name a limited number of labels', () => {
    const failures = ['a', 'b', 'c', 'd', 'e', 'f'].map((label) =>
      group(label, 'low', occurrence({ session: 's', file: FILE })),
    );
    const sessions = [session('s', FILE, { turns: [turn(0)] })];
    expect(shown(lenses(createResults({ sessions, failures }, PLACES)).provide(URI))[1]).toBe(
      '10: ✗ a, b, c, d, 2 more',
    );
  });
});

describe('thousands of lenses', () => {
  const count = 10_000;
  const turns = Array.from({ length: count }, (_, index) =>
    turn(index, { tool_correctness: score(index % 2 === 0 ? 0 : 0.1) }),
  );
  const places = Object.fromEntries([
    ['/s', [1, 1, 30_001, 1]] as const,
    ...turns.map(({ pointer, index }) => [pointer, [3 * index + 2, 5, 3 * index + 4, 6]] as const),
  ]);
  const results = createResults({ ...OWN, sessions: [session('s', FILE, { turns })] }, places);

  it('are sent without titles, which are resolved when they are shown', () => {
    const code = lenses(results);
    const all = code.provide(URI);
    expect(all).toHaveLength(count + 1);
    expect(all.every(({ command }) => command === undefined)).toBe(true);
    // As JSON over the wire, there and back.
    const sent: CodeLens[] = JSON.parse(JSON.stringify(all));
    const [ofSession, first, second] = sent.slice(0, 3).map((lens) => code.resolve(lens));
    expect(ofSession?.command).toMatchObject({
      title: '○ No problems found · Report',
      arguments: [{ session: `${URI}#s`, turn: null }],
    });
    expect(first?.command?.title).toBe('✗ below its threshold · tool_correctness 0.00 / 1');
    expect(second).toMatchObject({ range: sent[2]?.range, command: { arguments: [{ turn: 1 }] } });
  });

  it('are less than half as large without titles', () => {
    const code = lenses(results);
    const deferred = code.provide(URI);
    const complete = deferred.map((lens) => ({ range: lens.range, command: code.resolve(lens).command }));
    expect(JSON.stringify(complete).length).toBeGreaterThan(2 * JSON.stringify(deferred).length);
  });

  it('are complete for editors that may not resolve them', () => {
    expect(
      lenses(results, { client: 'other' })
        .provide(URI)
        .every(({ command }) => command !== undefined),
    ).toBe(true);
  });

  it('say when their session is gone', () => {
    const gone = createResults({ ...OWN, sessions: [session('s', FILE, { turns })] }, places);
    const code = lenses(gone);
    const [lens] = code.provide(URI);
    gone.clear();
    expect(lens && code.resolve(lens).command?.title).toBe('no longer evaluated');
  });

  it('ignore unknown lens data', () => {
    const lens = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, data: { evil: true } };
    expect(lenses(results).resolve(lens)).toBe(lens);
  });
});
