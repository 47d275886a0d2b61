import type { BaselineResult } from '../../../src/core/baseline.ts';
import type { Problem } from '../../../src/core/problem.ts';
import type {
  FailureGroup,
  Gate,
  ProblemOccurrence,
  Report,
  ResultsByMetric,
  RunAlert,
  SessionReport,
  TaskSummary,
  TurnReport,
} from '../../../src/core/report.ts';
import { type MetricOutcome, type Result, type Status, toResult } from '../../../src/core/result.ts';
import type { Session } from '../../../src/core/session.ts';
import { report as emptyReport, session as emptySession } from '../../support/report.ts';

const UNIT = { range: [0, 1], threshold: 0.5, bands: [], lowerIsBetter: false, implied: false } as const;

export function scored(score: number, frame: Partial<Parameters<typeof toResult>[1]> = {}): Result {
  return toResult({ status: 'scored', score, source: 'rules', reason: null }, { ...UNIT, ...frame });
}

export function vacuous(score: number): Result {
  return toResult({ status: 'vacuous', score, source: 'rules', reason: 'There was nothing to judge.' }, UNIT);
}

export function unscored(status: Exclude<Status, 'scored' | 'vacuous'>, reason = 'That is how it is.'): Result {
  return toResult({ status, reason } satisfies MetricOutcome, UNIT);
}

export function turn(index: number, metrics: ResultsByMetric = {}): TurnReport {
  return { id: `t${index + 1}`, index, pointer: `/messages/${index}`, line: index + 2, metrics };
}

export function session(id: string, turns: readonly TurnReport[], rest: Partial<SessionReport> = {}): SessionReport {
  const file = `traces/${id}.json`;
  return emptySession(id, file, { source: { file, format: 'openai-chat', pointer: '' }, turns, ...rest });
}

/** The session that a report speaks of, as far as a report needs it. */
export function evaluated(id: string, inputs: readonly (string | null)[]): Session {
  return {
    id,
    source: { file: `traces/${id}.json`, format: 'openai-chat', pointer: '' },
    turns: inputs.map((input, index) => ({ id: `t${index + 1}`, pointer: '', input, output: 'Done.', steps: [] })),
  };
}

export function occurrence(session: string, turnIndex: number, reason: string): ProblemOccurrence {
  const place = {
    file: `traces/${session}.json`,
    pointer: `/messages/${turnIndex}`,
    line: 10 + turnIndex,
    evidence: [],
  };
  const kind = { label: 'repeated tool call', severity: 'low', metric: null, rule: 'repeated-call' } as const;
  return { session, turn: turnIndex, ...kind, reason, ...place };
}

export function failures(
  label: string,
  severity: FailureGroup['severity'],
  occurrences: readonly ProblemOccurrence[],
): FailureGroup {
  const own = occurrences.map((occurrence) => ({ ...occurrence, label, severity }));
  return { label, severity, count: own.length, title: label, explanation: 'What it proves.', occurrences: own };
}

/** An early warning that fails nothing. */
export function alert(message: string): RunAlert {
  const figures = { value: 0.5, reference: 0.9, runs: ['r0'] };
  return { metric: 'correct', kind: 'persistent', direction: 'falls', message, ...figures, gate: false };
}

/** A baseline that the run is worse than. */
export const BASELINE: BaselineResult = {
  file: 'turnwise.baseline.json',
  run: 'r0',
  accepted: '2026-01-01',
  answer: 'worse',
  gates: [
    {
      name: 'correct',
      kind: 'passed',
      answer: 'worse',
      finding: 'regression',
      before: { value: 0.9, count: 9, of: 10 },
      after: { value: 0.2, count: 2, of: 10 },
      tasks: 1,
      p: 0.001,
      pAdjusted: 0.002,
      reason: '9 of 10 before, 2 of 10 now.',
      settle: null,
    },
  ],
  tasks: [
    { task: 'refund', gate: 'correct', finding: 'regression', flaky: false, before: [3, 3], after: [0, 3], p: 0.05 },
  ],
  flaky: [],
  quarantined: [],
  missing: [],
  added: [],
  undecided: [],
  notes: [],
};

/** What the attempts at a task came to. */
export function task(name: string, rest: Partial<TaskSummary> = {}): TaskSummary {
  const attempts = { attempts: 1, correct: 1, leftOut: 0, passAtK: [], passPowK: [] };
  const base = { name, file: '', line: null, verdict: 'passed', assessment: null, ...attempts } as const;
  return { ...base, metrics: {}, sessions: [], traceFiles: [], ...rest };
}

export function gate(rest: Partial<Gate> = {}): Gate {
  const base = {
    scope: 'run',
    subject: null,
    metric: 'loop_detection',
    threshold: 0.5,
    actual: 0.8,
    scored: 2,
    of: 2,
  } as const;
  return { ...base, met: true, reason: '0.80, at least 0.50 was asked for', ...rest };
}

const RUN: Report['run'] = {
  ...emptyReport().run,
  id: 'r1',
  durationMs: 412,
  embedder: { provider: 'lexical', model: null },
  usage: { judgeCalls: 0, judgeCallsCached: 0, promptTokens: 0, completionTokens: 0, embeddedTexts: 4 },
};

/** The error that a file is not JSON. */
export function unread(file = 'a.json'): Problem {
  return { file, pointer: null, line: 3, severity: 'error', code: 'json', message: 'Broken.' };
}

export function report(rest: Partial<Report> = {}): Report {
  return emptyReport({ run: RUN, ...rest });
}
