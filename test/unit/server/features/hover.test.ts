import { describe, expect, it } from 'vitest';
import { MarkupContent } from 'vscode-languageserver/node';
import type { Report, TurnReport } from '../../../../src/core/report.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { FileSystem } from '../../../../src/input/file-system.ts';
import type { FilePosition } from '../../../../src/protocol/messages.ts';
import { hoverAt } from '../../../../src/server/features/hover.ts';
import type { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { FileSnapshots } from '../../../../src/server/results/file-snapshots.ts';
import { FileTexts } from '../../../../src/server/results/file-texts.ts';
import { memoryFileSystem, systemError } from '../../input/memory-file-system.ts';
import { group, occurrence, risk, session } from '../report-fixture.ts';
import { createResults, FILE, type Positions, score, URI } from '../results/results-fixture.ts';

const PLACES: Positions = {
  '/s': [1, 1, 60, 2],
  '/t0': [10, 5, 19, 6],
  '/t1': [20, 5, 29, 6],
  '/t2': [30, 5, 39, 6],
  '/call': [24, 9, 26, 10],
  '/argument': [25, 20, 25, 30],
  '/tools': [3, 3, 8, 4],
};

/** Of which the pointer `/evidence/0` is on line 3. */
const TEXT = '{\n  "evidence": [\n    "here"\n  ]\n}';
const FILES = memoryFileSystem({ [FILE]: TEXT });

function turn(index: number, metrics: TurnReport['metrics'] = {}): TurnReport {
  return { id: `t${index}`, index, pointer: `/t${index}`, line: null, metrics };
}

const METRICS: Readonly<Record<string, Result>> = {
  calm: score(0.9, { reason: 'Fine.', band: { name: 'good', meaning: 'as it should be' } }),
  tool_correctness: score(0.25, { reason: 'Wrong.', evidence: [{ pointer: '/evidence/0', note: 'the call' }] }),
  helpfulness: score(0.5, {
    source: 'judge',
    judge: 'openai/gpt-5',
    metadata: { cap: { most: 0.5, judged: 0.9, findings: [] } },
  }),
  loop_detection: score(1, { status: 'vacuous', passed: null }),
  coherence: score(4, { source: 'imported', threshold: null, passed: null, scale: [1, 5] }),
  plan_quality: score(null, { status: 'needs_judge', source: null }),
  plan_adherence: score(null, { status: 'needs_judge', source: null }),
  faithfulness: score(null, { status: 'error', source: null, reason: 'The judge `timed out`.' }),
  answer: score(null, { status: 'not_applicable', source: null }),
  hidden: score(0, { implied: true }),
};

const FOUND: Partial<Report> = {
  sessions: [
    session('conv_42', FILE, {
      verdict: 'failed',
      headline: { kind: 'failed', text: 'Failed: wrong tool (turn 2)', turn: 1 },
      source: { file: FILE, format: 'turnwise', pointer: '/s' },
      metrics: { ...risk(0.71), calm: score(0.9, { source: 'aggregate' }) },
      turns: [turn(0), turn(1, METRICS)],
    }),
  ],
  failures: [
    group(
      'wrong tool',
      'high',
      occurrence({
        session: 'conv_42',
        file: FILE,
        turn: 1,
        pointer: '/call',
        rule: 'unknown-tool',
        reason: 'There is no tool `fetch_order`.',
        evidence: [
          { file: FILE, pointer: '/call', line: null, note: 'the call' },
          { file: FILE, pointer: '/tools', line: null, note: 'the tools' },
        ],
      }),
    ),
    group(
      'wrong arguments',
      'low',
      occurrence({ session: 'conv_42', file: FILE, turn: 1, pointer: '/argument', reason: 'A guess.' }),
    ),
  ],
  observations: [
    {
      session: 'conv_42',
      file: FILE,
      turn: 0,
      pointer: '/tools',
      line: null,
      evidence: [],
      rule: 'broken-tool-schema',
      title: 'Broken tool schema',
      reason: 'It is none.',
    },
  ],
};

/** The Markdown at a position, line and column counted from one. */
async function hover(
  results: EvaluationResults,
  line: number,
  column: number,
  files: FileSystem = FILES,
  uri = URI,
): Promise<string | null> {
  const position: FilePosition = { line: line - 1, character: column - 1 };
  const hover = await hoverAt(uri, position, { results, snapshots: new FileSnapshots(new FileTexts(files).find) });
  if (!hover) return null;
  if (!MarkupContent.is(hover.contents)) throw new Error('It is no Markdown.');
  return hover.contents.value;
}

describe('a hover on the first line of a turn', () => {
  it('shows problems with locations, scores with evidence, and metrics without a score', async () => {
    expect(await hover(createResults(FOUND, PLACES), 20, 5)).toBe(
      [
        '**Turn 2** of conv\\_42: ✗ Failed: wrong tool (turn 2) · risk High',
        '✗ [wrong tool](file:///traces/a.trace.json#L24,9) (high): There is no tool \\`fetch\\_order\\`.',
        '✗ [wrong arguments](file:///traces/a.trace.json#L25,20) (low): A guess.',
        [
          '- ✗ tool\\_correctness **0.25 / 1** (threshold 0.5, by rules): Wrong. ([the call](file:///traces/a.trace.json#L3,5))',
          '- calm **0.90 / 1** (threshold 0.5, good, by rules): Fine.',
          '- helpfulness **0.50 / 1** (threshold 0.5, capped: the judge gave 0.90, judged by openai/gpt-5)',
          '- coherence **4 / 5** (from the file)',
          '- loop\\_detection **1.00 / 1** (threshold 0.5, nothing to judge, by rules)',
        ].join('\n'),
        '*2 need a judge · 1 failed*: The judge \\`timed out\\`.',
      ].join('\n\n'),
    );
  });

  it('says that an edited text has changed, and links to nothing that may have moved', async () => {
    const results = createResults(FOUND, PLACES);
    const at = { line: 22, character: 0 };
    results.addEdits(FILE, [{ range: { start: at, end: at }, lines: 4, lastLength: 0 }]);
    const text = await hover(results, 20, 5);
    expect(text).toContain('\n\n*The file has changed since it was evaluated.*\n\n');
    expect(text).toContain('[wrong tool](file:///traces/a.trace.json#L28,9)');
    expect(text).not.toContain('#L3,5');
  });

  it.each([
    ['is gone', memoryFileSystem({ [FILE]: systemError('ENOENT') })],
    ['is no JSON any more', memoryFileSystem({ [FILE]: '{' })],
    ['does not hold it any more', memoryFileSystem({ [FILE]: '{}' })],
  ])('has no links to evidence where the file %s', async (_what, files) => {
    expect(await hover(createResults(FOUND, PLACES), 20, 5, files)).toContain(
      '- ✗ tool\\_correctness **0.25 / 1** (threshold 0.5, by rules): Wrong.\n',
    );
  });

  it('covers the whole line of a turn that begins there alone', async () => {
    expect(await hover(createResults(FOUND, PLACES), 20, 1)).toMatch(/^\*\*Turn 2\*\*/);
  });

  it("marks only a judge's score as capped", async () => {
    const result = score(0.5, { source: 'imported', metadata: { cap: { judged: 0.9 } } });
    const source = { file: FILE, format: 'turnwise', pointer: '/s' };
    const sessions = [session('s', FILE, { source, turns: [turn(0, { told: result })] })];
    expect(await hover(createResults({ sessions }, PLACES), 10, 5)).toContain(
      'told **0.50 / 1** (threshold 0.5, from the file)',
    );
  });

  it('finds the turn by its column where several begin on the line', async () => {
    const places: Positions = { ...PLACES, '/t0': [1, 10, 1, 20], '/t1': [1, 21, 1, 40], '/s': [1, 1, 1, 50] };
    const results = createResults({ ...FOUND, failures: [], observations: [] }, places);
    expect(await hover(results, 1, 15)).toMatch(/^\*\*Turn 1\*\*/);
    expect(await hover(results, 1, 30)).toMatch(/^\*\*Turn 2\*\*/);
    expect(await hover(results, 1, 45)).toMatch(/^\*\*Session\*\*/);
  });
});

describe('a hover on the line of a session', () => {
  it('shows its headline, the reasons and its own scores', async () => {
    const gates = [
      {
        scope: 'session',
        subject: 'conv_42',
        metric: 'severity',
        threshold: 'critical',
        actual: 'high',
        scored: 1,
        of: 1,
        met: false,
        reason: 'A [failure].',
      } as const,
    ];
    expect(await hover(createResults({ ...FOUND, gates }, PLACES), 1, 1)).toBe(
      [
        '**Session** conv\\_42: ✗ Failed: wrong tool (turn 2) · risk High',
        'A \\[failure\\].',
        '- session\\_risk **0.71 / 1** (by rules): Turn 1 weighs most.',
      ].join('\n\n'),
    );
  });
});

describe('a problem', () => {
  it('is no hover of its own, since the editor shows its diagnostic there', async () => {
    const results = createResults(FOUND, PLACES);
    expect(await hover(results, 24, 12)).toBeNull();
    expect(await hover(results, 4, 1)).toBeNull();
  });

  it('is left out of the hover of its turn where its diagnostic is shown', async () => {
    const results = createResults(FOUND, { ...PLACES, '/argument': [20, 8, 20, 12] });
    expect(await hover(results, 20, 10)).toMatch(/^\*\*Turn 2\*\*/);
    expect(await hover(results, 20, 10)).not.toContain('wrong arguments');
    expect(await hover(results, 20, 10)).toContain('wrong tool');
    expect(await hover(results, 20, 5)).toContain('wrong arguments');
  });
});

describe('a hover', () => {
  it.each([
    [45, 1, URI],
    [20, 5, 'file:///traces/none.json'],
    [20, 5, 'untitled:x'],
  ])('is absent without results (%j, %j, %s)', async (line, column, uri) => {
    expect(await hover(createResults(FOUND, PLACES), line, column, FILES, uri)).toBeNull();
  });

  it('has a limit, and no links or markup of a trace', async () => {
    const evil = `![a](http://evil.com/x.png) [b](command:x) <img src=x> $(bug) \u202E\u0007\n\n# h\n${'x'.repeat(1_000_000)}`;
    const metrics = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `${evil.slice(0, 90)}${index}`,
        score(0.1, {
          reason: evil,
          judge: evil,
          source: 'judge',
          band: { name: evil, meaning: evil },
          evidence: [{ pointer: '/evidence/0', note: evil }],
        }),
      ]),
    );
    const failures = Array.from({ length: 300 }, () =>
      group(
        evil,
        'low',
        occurrence({
          session: evil,
          file: FILE,
          pointer: '/t2',
          reason: evil,
          evidence: [
            { file: FILE, pointer: '/t0', line: null, note: evil },
            { file: FILE, pointer: '/tools', line: null, note: evil },
          ],
        }),
      ),
    );
    const source = { file: FILE, format: 'turnwise', pointer: '/s' };
    const headline = { kind: 'failed', text: evil, turn: null } as const;
    const sessions = [session(evil, FILE, { source, headline, turns: [turn(0, metrics)] })];
    const text = (await hover(createResults({ sessions, failures }, PLACES), 10, 6)) ?? '';
    expect(text.length).toBeLessThan(200_000);
    const targets = [...text.matchAll(/\]\(([^)]*)\)/g)].flatMap(([, target = '']) => target);
    expect(new Set(targets.filter((target) => target !== 'command:x' && !target.startsWith('http')))).toEqual(
      new Set([`${URI}#L3,5`, `${URI}#L30,5`]),
    );
    // What is left of the trace's own brackets is escaped.
    expect(text.replace(/\\./g, '')).not.toMatch(/\]\((?:command|http)|!\[|<|:\/\/evil|^#/m);
    for (const hidden of ['\u202E', '\u0007']) expect(text).not.toContain(hidden);
  });
});
