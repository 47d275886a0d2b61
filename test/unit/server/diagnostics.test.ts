import { describe, expect, it } from 'vitest';
import { DiagnosticSeverity, type PublishDiagnosticsParams } from 'vscode-languageserver/node';
import type { Observation, Report, TurnReport } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import { DiagnosticsPublisher } from '../../../src/server/diagnostics.ts';
import type { EvaluationResults } from '../../../src/server/results/evaluation-results.ts';
import { buildRows } from '../../../src/server/results/session-results-view.ts';
import { FakeLocator, group, occurrence, report, session } from './report-fixture.ts';
import { createResults, FILE, score, URI } from './results/results-fixture.ts';

const OTHER = '/traces/other.json';
const POSITIONS = { '/x': [3, 5, 3, 9], '/y': [7, 1, 9, 2] } as const;

function observation(parts: Partial<Observation> = {}): Observation {
  return {
    session: 's',
    file: FILE,
    turn: 0,
    pointer: '/x',
    line: null,
    evidence: [],
    rule: 'hedging',
    title: 'Hedging',
    reason: 'It hedges.',
    ...parts,
  };
}

/** A turn with one result. */
function turn(metric: string, source: Result['source']): TurnReport {
  const metrics = { [metric]: { ...score(0), source } };
  return { id: 't', index: 0, pointer: '', line: null, metrics };
}

/** An editor that keeps what it is sent. */
function editor(results: EvaluationResults, rulePages?: string) {
  const sent: PublishDiagnosticsParams[] = [];
  const connection = { sendDiagnostics: async (params: PublishDiagnosticsParams) => void sent.push(params) };
  const diagnostics = new DiagnosticsPublisher(connection, results, () => ({ ...(rulePages ? { rulePages } : {}) }));
  return {
    /** What is sent now. */
    show: async (changed?: readonly string[]) => {
      await diagnostics.publish(changed);
      return sent.splice(0);
    },
  };
}

const FOUND: Partial<Report> = {
  sessions: [session('s', FILE)],
  failures: [
    group(
      'wrong tool',
      'high',
      occurrence({
        session: 's',
        file: FILE,
        pointer: '/x',
        rule: 'unknown-tool',
        evidence: [
          { file: FILE, pointer: '/x', line: null, note: 'the call' },
          { file: OTHER, pointer: '/y', line: null, note: 'the tools\u202E' },
        ],
      }),
    ),
    group('false information', 'critical', occurrence({ session: 's', file: FILE, pointer: '/y', line: 7 })),
    group('missing tool call', 'medium', occurrence({ session: 's', file: FILE, pointer: '/y', rule: 'no-answer' })),
    group('repetition', 'low', occurrence({ session: 's', file: FILE, pointer: '/y', rule: 'repeated-call' })),
  ],
  observations: [observation()],
};

describe('diagnostics', () => {
  it('are on the value that proves the finding, with rule, documentation and further evidence', async () => {
    const [first, ...more] = await editor(createResults(FOUND, POSITIONS), 'file:///ext/docs/rules').show();
    expect(more).toEqual([]);
    expect(first?.uri).toBe(URI);
    expect(first?.diagnostics[0]).toEqual({
      range: { start: { line: 2, character: 4 }, end: { line: 2, character: 8 } },
      message: 'It went wrong.',
      severity: DiagnosticSeverity.Error,
      code: 'unknown-tool',
      codeDescription: { href: 'file:///ext/docs/rules/unknown-tool.md' },
      source: 'Turnwise',
      relatedInformation: [
        {
          location: {
            uri: 'file:///traces/other.json',
            range: { start: { line: 6, character: 0 }, end: { line: 8, character: 1 } },
          },
          message: 'the tools⟨U+202E⟩',
        },
      ],
    });
  });

  it('say which problems only a judge named, with the metric as code', async () => {
    const named = (metric: string, source: Result['source'], reason: string) => ({
      turn: turn(metric, source),
      found: occurrence({ session: 's', file: FILE, pointer: '/y', metric, reason }),
    });
    const judged = named('policy_adherence', 'judge', 'It refunded twice.');
    const own = named('my_check', 'rules', 'It took too long.');
    const bare = named('from_file', 'imported', 'no greeting');
    const all = [judged, own, bare].map(({ turn: { metrics } }) => metrics);
    const turns = [{ ...judged.turn, metrics: Object.assign({}, ...all) }];
    const results = createResults({
      sessions: [session('s', FILE, { turns })],
      failures: [
        group('failed to follow policy', 'high', judged.found),
        group('too slow', 'medium', own.found),
        group('no greeting', 'low', bare.found),
      ],
    });
    const [sent] = await editor(results, 'file:///ext/docs/rules').show();
    expect(sent?.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['policy_adherence', 'failed to follow policy: A judge says: It refunded twice.'],
      ['my_check', 'too slow: It took too long.'],
      ['from_file', 'no greeting'],
    ]);
    for (const diagnostic of sent?.diagnostics ?? []) expect(diagnostic).not.toHaveProperty('codeDescription');
  });

  it('are errors, warnings and information by severity, name the label where no rule proved it, and leave out observations', async () => {
    const [sent] = await editor(createResults(FOUND, POSITIONS)).show();
    expect(sent?.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['unknown-tool', DiagnosticSeverity.Error],
      ['false information', DiagnosticSeverity.Error],
      ['no-answer', DiagnosticSeverity.Warning],
      ['repeated-call', DiagnosticSeverity.Information],
    ]);
  });

  it('have no documentation link without a documentation folder or a rule', async () => {
    const unknown = group('odd', 'low', occurrence({ session: 's', file: FILE, pointer: '/y', rule: '../../etc' }));
    const results = createResults({ ...FOUND, failures: [...(FOUND.failures ?? []), unknown] }, POSITIONS);
    const hrefs = async (pages?: string) =>
      (await editor(results, pages).show())[0]?.diagnostics.map((diagnostic) => diagnostic.codeDescription?.href);
    expect(new Set(await hrefs())).toEqual(new Set([undefined]));
    expect(await hrefs('https://docs.example/rules/')).toEqual([
      'https://docs.example/rules/unknown-tool.md',
      undefined,
      'https://docs.example/rules/no-answer.md',
      'https://docs.example/rules/repeated-call.md',
      undefined,
    ]);
  });

  it('are not sent again while nothing has changed', async () => {
    const { show } = editor(createResults(FOUND, POSITIONS));
    expect(await show()).toHaveLength(1);
    expect(await show()).toEqual([]);
    expect(await show([URI])).toEqual([]);
  });

  it('are sent again only for files with changes', async () => {
    const results = createResults(FOUND, POSITIONS);
    const inOther = {
      sessions: [session('o', OTHER)],
      failures: [group('wrong tool', 'low', occurrence({ session: 'o', file: OTHER, pointer: '/x' }))],
    };
    results.replace([OTHER], buildRows(report(inOther), new FakeLocator(POSITIONS), []));
    const { show } = editor(results);
    expect((await show()).map(({ uri }) => uri).sort()).toEqual([URI, 'file:///traces/other.json']);
    const at = { line: 0, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 1, lastLength: 0 }]);
    const again = await show();
    expect(again.map(({ uri }) => uri)).toEqual([URI]);
    expect(again[0]?.diagnostics[0]?.range.start).toEqual({ line: 3, character: 4 });
  });

  it('of a stale file stay, and move with edits', async () => {
    const results = createResults(FOUND, POSITIONS);
    const { show } = editor(results);
    const [before] = await show();
    const at = { line: 5, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 2, lastLength: 0 }]);
    const [after] = await show([URI]);
    const lines = (sent?: PublishDiagnosticsParams) => sent?.diagnostics.map(({ range }) => range.start.line);
    expect(lines(before)).toEqual([2, 6, 6, 6]);
    expect(lines(after)).toEqual([2, 8, 8, 8]);
  });

  it('are checked only in the named files', async () => {
    const results = createResults(FOUND, POSITIONS);
    const { show } = editor(results);
    await show();
    const at = { line: 0, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 1, lastLength: 0 }]);
    expect(await show(['file:///traces/other.json'])).toEqual([]);
    expect(await show([URI])).toHaveLength(1);
  });

  it("are in the file with the evidence, even when it is not the session's", async () => {
    const turns = [{ id: 't', index: 0, pointer: '', line: 1, file: OTHER, metrics: {} }];
    const failures = [group('wrong tool', 'low', occurrence({ session: 's', file: OTHER, pointer: '/x' }))];
    const { show } = editor(createResults({ sessions: [session('s', FILE, { turns })], failures }, POSITIONS));
    expect((await show()).map(({ uri }) => uri)).toEqual(['file:///traces/other.json']);
  });

  it('are removed when results are cleared', async () => {
    const results = createResults(FOUND, POSITIONS);
    const { show } = editor(results);
    await show();
    results.clear();
    expect(await show()).toEqual([{ uri: URI, diagnostics: [] }]);
  });

  it('are removed once when nothing is found any more', async () => {
    const results = createResults(FOUND, POSITIONS);
    const { show } = editor(results);
    await show();
    results.replace([FILE], buildRows(report({ sessions: [session('s', FILE)] }), new FakeLocator(), []));
    expect(await show()).toEqual([{ uri: URI, diagnostics: [] }]);
    expect(await show()).toEqual([]);
    results.clear();
    expect(await show()).toEqual([]);
  });

  it('are not sent for files without findings', async () => {
    expect(await editor(createResults({ sessions: [session('s', FILE)] })).show()).toEqual([]);
  });

  it('are one line with a limit and no hidden characters, whatever a judge says', async () => {
    const reason = `\u202Eesrever\u0007 [a](command:b)\n\n<img src=x> ${'x'.repeat(1_000_000)}`;
    const failures = [group('wrong\ntool', 'low', occurrence({ session: 's', file: FILE, reason }))];
    const [sent] = await editor(createResults({ ...FOUND, failures, observations: [] })).show();
    const [diagnostic] = sent?.diagnostics ?? [];
    expect(diagnostic?.message).toMatch(/^⟨U\+202E⟩esrever⟨U\+0007⟩ \[a\]\(command:b\) <img src=x> x+…$/);
    expect(String(diagnostic?.message).length).toBeLessThan(1100);
    expect(diagnostic?.code).toBe('wrong tool');
  });

  it('are the most severe thousand, with the number of the others', async () => {
    const many = Array.from({ length: 3000 }, (_, turn) =>
      group('repetition', 'low', occurrence({ session: 's', file: FILE, pointer: '/y', turn, rule: 'repeated-call' })),
    );
    const failures = [...many, ...(FOUND.failures ?? [])];
    const [sent] = await editor(createResults({ ...FOUND, failures }, POSITIONS)).show();
    expect(sent?.diagnostics).toHaveLength(1000);
    expect(sent?.diagnostics.slice(0, 4).map(({ code }) => code)).toEqual([
      'false information',
      'unknown-tool',
      'no-answer',
      'repeated-call',
    ]);
    expect(sent?.diagnostics.at(-1)).toMatchObject({
      message: '2005 more problems in this file. The report shows them.',
      range: { start: { line: 0, character: 0 } },
    });
  });
});
