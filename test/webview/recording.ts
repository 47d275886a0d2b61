import {
  explanations,
  problemGroups,
  type ReportHeader,
  type ReportRunDetails,
  type ReportSignal,
  sessionCalls,
  sessionFeedback,
  sessionReport,
  sessionRun,
  signals,
} from '../../src/protocol/report.ts';
import type { ReportProblem, ReportScore } from '../../src/protocol/report-values.ts';
import { type TurnRow, turns } from '../../src/protocol/turn-rows.ts';
import type { RecordedRequest } from '../../webview/recording.ts';

/** The session key in the standalone page. */
export const session = 'recorded';

export interface Parts {
  readonly header: ReportHeader;
  readonly rows: readonly TurnRow[];
  /** Additional recorded responses. */
  readonly more: readonly RecordedRequest[];
}

/** Records the responses that make up a report. */
export function recording({ header, rows, more }: Parts): RecordedRequest[] {
  return [
    { method: sessionReport.method, params: { session }, result: { header } },
    { method: turns.method, params: { session }, rows },
    ...more,
  ];
}

/** The response if the server has no results. */
export const NO_REPORT: readonly RecordedRequest[] = [
  { method: sessionReport.method, params: { session }, result: { header: null } },
];

const FILE = 'file:///traces/made.json';
export const target = (pointer: string) => ({ uri: FILE, pointer });

export function quote(text: string, pointer: string, omitted = 0) {
  return { text, omitted, target: target(pointer) };
}

/** A minimal turn, with the given properties. */
export function turn(index: number, parts: Partial<TurnRow> = {}): TurnRow {
  return {
    index,
    line: index + 1,
    target: target(`/${index}`),
    recorded: true,
    input: quote(`Question ${index + 1}`, `/${index}/input`),
    steps: [],
    stepsOmitted: 0,
    output: quote(`Answer ${index + 1}`, `/${index}/output`),
    expected: null,
    durationMs: null,
    tokens: null,
    problems: [],
    problemsOmitted: 0,
    observations: [],
    suppressed: [],
    scores: [],
    unscored: [],
    feedback: null,
    ...parts,
  };
}

export function failure(index: number, parts: Partial<ReportProblem> = {}): ReportProblem {
  return {
    title: 'Wrong tool',
    turn: index,
    label: 'wrong tool',
    severity: 'high',
    reason: '`pay` was called, and there is no such tool.',
    rule: 'unknown-tool',
    metric: null,
    target: target('/failing'),
    evidence: [{ note: 'the call', target: target('/failing'), citation: null }],
    evidenceOmitted: 0,
    feedback: null,
    ...parts,
  };
}

/** A problem, with the given properties. */
export function failingTurn(index: number, ...failures: readonly Partial<ReportProblem>[]): TurnRow {
  return turn(index, { problems: (failures.length === 0 ? [{}] : failures).map((parts) => failure(index, parts)) });
}

export function score(metric: string, value: number | string, parts: Partial<ReportScore> = {}): ReportScore {
  return {
    metric,
    status: 'scored',
    value,
    labels: [],
    scale: [0, 1],
    threshold: 0.5,
    passed: typeof value === 'number' ? value >= 0.5 : null,
    lowerIsBetter: false,
    band: null,
    reason: `This is why ${metric} is ${value}.`,
    source: 'rules',
    judge: null,
    cap: null,
    evidence: [],
    evidenceOmitted: 0,
    hasPrompt: false,
    feedback: null,
    ...parts,
  };
}

export const NO_FACETS = { metrics: [], labels: [], severities: [], statuses: [], belowThreshold: 0 } as const;

/** A report of turns, with what the header derives from their problems. */
export function sampleReport(
  rows: readonly TurnRow[],
  parts: Partial<ReportHeader> = {},
  more: readonly RecordedRequest[] = [],
): Parts {
  const problems = rows.map((row) => row.problems.length + row.problemsOmitted);
  const total = problems.reduce((sum, count) => sum + count, 0);
  const result = rows.flatMap((row) =>
    row.problems.map(({ title, severity }, position) => ({ title, turn: row.index, position, severity })),
  );
  const header: ReportHeader = {
    revision: 1,
    key: session,
    id: 'made',
    file: { name: 'made.json', uri: FILE },
    format: 'openai-chat',
    target: target(''),
    state: 'fresh',
    headline:
      total === 0
        ? { kind: 'clean', text: 'No problems found', turn: null }
        : { kind: 'problems', text: `${total} problems`, turn: result[0]?.turn ?? null },
    outcome: 'unknown',
    verdict: 'passed',
    risk: 0.1,
    riskLevel: 'low',
    riskReason: 'Nothing was found.',
    worst: result.slice(0, 3),
    problems: total,
    gates: [],
    coverage: { scored: 0, of: 0 },
    unscored: [],
    scores: [],
    judges: [],
    judgedTasks: null,
    run: {
      startedAt: '2026-01-02T03:04:05.000Z',
      durationMs: 4100,
      complete: true,
      judgeCalls: 0,
      judgeCallsCached: 0,
      promptTokens: 0,
      completionTokens: 0,
      cost: null,
    },
    turnsDone: null,
    strip: {
      turns: rows.length,
      severity: rows.map((row) => row.problems[0]?.severity ?? null),
      problems,
      coverage: rows.map(() => 'rules' as const),
      marks: result.map(({ turn: index, severity }) => ({ turn: index, severity })),
    },
    facets: NO_FACETS,
    sessionsInFile: 1,
    ...parts,
  };
  return { header, rows, more: [signalsOf([]), ...NOTHING_ELSE, ...more] };
}

/** A response with signals over the turns. */
export function signalsOf(input: readonly ReportSignal[]): RecordedRequest {
  const available = input.map(({ metric }) => metric);
  return { method: signals.method, params: { session }, result: { signals: input, available } };
}

export const RUN_DETAILS: ReportRunDetails = {
  configurations: [],
  companions: [],
  embedder: null,
  questionsPerCall: 17,
  turnsPerCall: 1,
  agentVersion: null,
  tools: null,
  toolsOmitted: 0,
  outcome: { status: 'unknown', source: null, reason: 'Nothing says whether the agent did its job.', disagrees: [] },
  warnings: [],
  warningsOmitted: 0,
};

const NOTHING_ELSE: readonly RecordedRequest[] = [
  { method: explanations.method, params: { session }, result: { metrics: [], quadrant: null, means: [] } },
  { method: problemGroups.method, params: { session }, result: { groups: [], groupsOmitted: 0 } },
  { method: sessionRun.method, params: { session }, result: { run: RUN_DETAILS } },
  {
    method: sessionFeedback.method,
    params: { session },
    result: { feedback: null, isCounted: true, isRecorded: false },
  },
  { method: sessionCalls.method, params: { session }, result: { expected: null } },
];
