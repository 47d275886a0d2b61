import { describe, expect, it } from 'vitest';
import type {
  Gate,
  LocatedEvidence,
  Observation,
  ProblemOccurrence,
  RunInfo,
  RunUsage,
  SessionReport,
  SuppressedFinding,
  TurnReport,
} from '../../../../src/core/report.ts';
import type { Evidence, JudgeProblem, Result } from '../../../../src/core/result.ts';
import { jsonChunks } from '../../../../src/server/results/json-stream.ts';
import {
  omitTraceText,
  type PersistedResults,
  parsePersistedResults,
} from '../../../../src/server/results/persisted-results.ts';
import { rewritePaths } from '../../../../src/server/results/rewrite-paths.ts';
import type { SessionResultsView } from '../../../../src/server/results/session-results-view.ts';
import { githubToken } from '../../../support/github-token.ts';

// `Required`: a key that a schema gets does not compile here until it has a value, also an optional one.

const evidence: Required<Evidence> = { pointer: '/turns/0', note: 'a note', file: '/traces/b.json' };
const problem: Required<JudgeProblem> = { label: 'loop', severity: 'low', reason: 'why', evidence: [evidence] };
const result: Required<Result> = {
  status: 'scored',
  score: 1,
  label: 'loop',
  labels: ['loop'],
  scale: [0, null],
  threshold: 2,
  passed: false,
  band: { name: 'low', meaning: 'few' },
  implied: true,
  judge: 'openai/m',
  reason: 'why',
  source: 'judge',
  failures: [problem],
  evidence: [evidence],
  metadata: {},
};
const metrics = { loop_detection: result, ['__proto__']: result };

const range = { line: 1, column: 2, endLine: 3, endColumn: 4 };
const located: Required<LocatedEvidence> = { file: '/traces/a.json', pointer: '/turns/0', ...range, note: 'a note' };
const at = { session: 's', file: '/traces/a.json', turn: 0, pointer: '/turns/0', ...range, evidence: [located] };
const occurrence: Required<ProblemOccurrence> = {
  ...at,
  label: 'loop',
  severity: 'low',
  metric: 'loop_detection',
  rule: 'repeated-call',
  reason: 'why',
};
const observation: Required<Observation> = { ...at, rule: 'repeated-call', title: 'Loop', reason: 'why' };
const suppressed: Required<SuppressedFinding> = { ...at, rule: 'repeated-call', finding: 'found', reason: 'why' };

const turn: Required<TurnReport> = {
  id: 't',
  index: 0,
  pointer: '/turns/0',
  line: 1,
  file: '/traces/a.json',
  metrics,
  omitted: {},
};
const report: Required<SessionReport> = {
  id: 's',
  source: { file: '/traces/a.json', format: 'turnwise', pointer: '' },
  task: { id: 'task', trial: '1', dataset: 'd', agent: 'a' },
  tags: ['beta'],
  scenario: { file: '/traces/a.sim.ts', line: 3 },
  expectations: ['/traces/a.evalset.json'],
  verdict: 'undecided',
  outcome: { status: 'failed', source: 'recorded', reason: 'reward 0.0 in the trace', disagrees: ['judge'] },
  headline: { kind: 'failed', text: 'Failed: reward 0.0 in the trace', turn: 1 },
  undecided: ['A reason.'],
  metrics,
  omitted: {},
  omittedEverywhere: {},
  turns: [turn],
};
const usage: Required<RunUsage> = {
  judgeCalls: 1,
  judgeCallsCached: 1,
  judgeCallsOf: { 'openai/m': 2 },
  promptTokens: 1,
  completionTokens: 1,
  embeddedTexts: 1,
  cost: 0.5,
};
const run: Required<RunInfo> = {
  id: 'r',
  folder: 'evals',
  shard: { index: 1, of: 2, plan: 'p' },
  startedAt: '2026-01-01T00:00:00Z',
  durationMs: 1,
  complete: true,
  agentVersion: '1',
  judge: { provider: 'openai', model: 'm' },
  embedder: { provider: 'lexical', model: null },
  ownThresholds: ['faithfulness'],
  calibrated: { faithfulness: 'openai/m' },
  namedMetrics: ['helpfulness'],
  questionsPerCall: 4,
  turnsPerCall: 2,
  sinceRun: { id: 'q', leftOut: 3 },
  usage,
};
const gate: Required<Gate> = {
  scope: 'session',
  subject: 's',
  metric: 'severity',
  threshold: 'high',
  actual: 'low',
  scored: 1,
  of: 2,
  met: null,
  reason: 'why',
  alert: true,
};

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const place = { uri: 'file:///traces/a.json', range: START };
const related = [{ ...place, note: 'a note' }];
const session: SessionResultsView = {
  row: {
    key: 'k',
    id: 's',
    title: 'task, attempt 1',
    verdict: 'undecided',
    risk: 0.5,
    riskLevel: 'elevated',
    riskReason: 'why',
    turns: 1,
    problems: 1,
    headline: report.headline,
    outcome: 'failed',
    why: ['A reason.'],
    turnsDone: null,
    location: place,
  },
  file: '/traces/a.json',
  files: ['/traces/a.json'],
  failures: [
    {
      turn: 0,
      title: 'Loop',
      label: 'loop',
      severity: 'low',
      reason: 'why',
      code: 'repeated-call',
      rule: null,
      pointer: '/turns/0',
      location: place,
      related,
    },
  ],
  observations: [
    { turn: 0, rule: 'repeated-call', title: 'Loop', reason: 'why', pointer: '/turns/0', location: place, related },
  ],
  turnPlaces: [{ ...place, lineEnd: START }],
  detail: {
    report,
    gates: [gate],
    run,
    undecided: ['A reason.'],
    correctedShares: [{ metric: 'faithfulness', text: '45 % would pass' }],
    found: {
      groups: [
        { label: 'loop', severity: 'low', count: 1, title: 'Loop', explanation: 'what', occurrences: [occurrence] },
      ],
      observations: [observation],
      suppressed: [suppressed],
    },
  },
};
const results: PersistedResults = {
  sessions: [session],
  problems: [{ row: { severity: 'warning', message: 'text', location: place }, file: '/traces/a.json' }],
  texts: [['/traces/a.json', { hash: 'h', size: 1, modified: null, at: 1 }]],
  beside: [['/traces/a.turnwise.json', 'h']],
  above: [['/turnwise.config.yaml', 'h']],
};

/** As they are stored. */
const store = (stored: unknown, replacing = omitTraceText) => [...jsonChunks(stored, replacing)].join('');

describe('persisted results', () => {
  it('keep every required and optional key of the report and its rows', () => {
    expect(parsePersistedResults(store(results))).toStrictEqual(results);
  });

  it('are restored without metadata', () => {
    const withMetadata = { ...report, metrics: { loop_detection: { ...result, metadata: { quote: 'a text' } } } };
    const stored = store({
      ...results,
      sessions: [{ ...session, detail: { ...session.detail, report: withMetadata } }],
    });
    expect(stored).not.toContain('a text');
    const [restored] = parsePersistedResults(stored)?.sessions ?? [];
    expect(restored?.detail.report.metrics.loop_detection).toStrictEqual(result);
  });

  it('are restored without the arguments of changes, which are compared by their keys', () => {
    const change = { key: 'k', tool: '`cancel_order`', turn: 0, pointer: '/turns/0' };
    const changes = [{ ...change, arguments: [{ key: 'a', text: '`name` "Ann Lee"' }], moreArguments: 2 }];
    const facts = { toolSequence: [], neededHuman: false, calls: 1, tokens: null, durationMs: null, changes };
    const stored = store({ ...results, sessions: [{ ...session, detail: { ...session.detail, facts } }] });
    expect(stored).not.toContain('Ann Lee');
    const [restored] = parsePersistedResults(stored)?.sessions ?? [];
    expect(restored?.detail.facts?.changes).toEqual([{ ...change, arguments: [] }]);
  });

  it('keep the level of the risk, which goes by thirds of the scale where none was stored', () => {
    const restored = (row: object) => {
      const stored = store({ ...results, sessions: [{ ...session, row: { ...session.row, ...row } }] });
      return parsePersistedResults(stored)?.sessions[0]?.row.riskLevel;
    };
    expect(restored({ risk: 0.4, riskLevel: 'high' })).toBe('high');
    expect(restored({ risk: 0.4, riskLevel: undefined })).toBe('elevated');
    expect(restored({ risk: null, riskLevel: null })).toBeNull();
  });

  it('contain no secret that a reason quotes', () => {
    const secret = githubToken(3);
    const quoting = { ...report, metrics: { loop_detection: { ...result, reason: `It repeats ${secret}.` } } };
    const stored = store({ ...results, sessions: [{ ...session, detail: { ...session.detail, report: quoting } }] });
    expect(stored).not.toContain(secret);
    const [restored] = parsePersistedResults(stored)?.sessions ?? [];
    expect(restored?.detail.report.metrics.loop_detection?.reason).toBe('It repeats [REDACTED GitHub token].');
  });

  it('of 0.1.0, which have no columns, are readable', () => {
    const columns = new Set(['column', 'endLine', 'endColumn']);
    const stored = store(results, (key, part) => (columns.has(key) ? undefined : omitTraceText(key, part)));
    const [restored] = parsePersistedResults(stored)?.sessions ?? [];
    const [found] = restored?.detail.found.observations ?? [];
    const { column: _, endLine: __, endColumn: ___, ...without } = observation;
    expect(found).toMatchObject({ ...without, evidence: [{ file: located.file, line: 1 }] });
    expect(found).not.toHaveProperty('column');
  });

  it.each(['{', '[]', '{"sessions":[{}]}'])('are ignored in another shape: %s', (stored) => {
    expect(parsePersistedResults(stored)).toBeNull();
  });

  it('keep their metadata when their file is renamed', () => {
    const quoted = { ...report, metrics: { loop_detection: { ...result, metadata: { quote: 'a text' } } } };
    const rows = { sessions: [{ ...session, detail: { ...session.detail, report: quoted } }], problems: [] };
    const [moved] = rewritePaths(rows, '/traces/a.json', '/traces/c.json').sessions;
    expect(moved?.files).toEqual(['/traces/c.json']);
    expect(moved?.detail.report.metrics).toEqual(quoted.metrics);
    expect(moved?.detail.found.observations[0]).toMatchObject({ file: '/traces/c.json', column: 2 });
  });
});
