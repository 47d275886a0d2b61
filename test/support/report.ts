import type { Report, SessionReport } from '../../src/core/report.ts';
import { UNKNOWN_OUTCOME } from '../../src/report-model/agent-outcome.ts';

/** A report without sessions, and what a test adds. */
export function report(parts: Partial<Report> = {}): Report {
  return {
    schemaVersion: 1,
    tool: { name: 'turnwise', version: '0.0.0' },
    run: {
      id: 'run',
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 1,
      complete: true,
      agentVersion: null,
      judge: null,
      embedder: null,
      questionsPerCall: 1,
      usage: { judgeCalls: 0, judgeCallsCached: 0, promptTokens: 0, completionTokens: 0, embeddedTexts: 0 },
    },
    verdict: 'passed',
    outcomes: { succeeded: 0, failed: 0, unknown: 0 },
    undecided: [],
    metrics: {},
    gates: [],
    sessions: [],
    scenarios: [],
    attempts: null,
    failures: [],
    observations: [],
    suppressed: [],
    problems: [],
    ...parts,
  };
}

const NO_PROBLEMS = { kind: 'clean', text: 'No problems found', turn: null } as const;

/** A session without turns or problems, and what a test adds. */
export function session(id: string, file: string, parts: Partial<SessionReport> = {}): SessionReport {
  const source = { file, format: 'openai-chat', pointer: `/${id}` };
  return {
    id,
    source,
    task: null,
    verdict: 'passed',
    outcome: UNKNOWN_OUTCOME,
    headline: NO_PROBLEMS,
    metrics: {},
    turns: [],
    ...parts,
  };
}
