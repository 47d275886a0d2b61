import type { FailureGroup, Gate, ProblemOccurrence, Report, SessionReport } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import type { Locator, TextRange } from '../../../src/input/load.ts';
import { UNKNOWN_OUTCOME } from '../../../src/report-model/agent-outcome.ts';

/** A report that says nothing but what a test is about. */
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

export function risk(score: number | null): { session_risk: Result } {
  return {
    session_risk: {
      status: score === null ? 'needs_judge' : 'scored',
      score,
      label: null,
      labels: [],
      scale: [0, 1],
      threshold: null,
      passed: null,
      band: null,
      reason: score === null ? 'Nothing was scored.' : 'Turn 1 weighs most.',
      source: 'rules',
      evidence: [],
      metadata: {},
    },
  };
}

export function occurrence(
  parts: Partial<ProblemOccurrence> & Pick<ProblemOccurrence, 'session' | 'file'>,
): ProblemOccurrence {
  return {
    turn: 0,
    label: 'false information',
    severity: 'high',
    metric: null,
    rule: null,
    reason: 'It went wrong.',
    pointer: '',
    line: null,
    evidence: [],
    ...parts,
  };
}

export function group(
  label: string,
  severity: FailureGroup['severity'],
  ...occurrences: ProblemOccurrence[]
): FailureGroup {
  const own = occurrences.map((one) => ({ ...one, label, severity }));
  return { label, severity, count: own.length, title: label, explanation: '', occurrences: own };
}

export function sessionGate(subject: string, met: boolean | null, reason: string): Gate {
  return {
    scope: 'session',
    subject,
    metric: 'severity',
    threshold: 'high',
    actual: null,
    scored: 0,
    of: 0,
    met,
    reason,
  };
}

/** Finds the pointers that it was given, on one line each, and counts how often it was asked. */
export class FakeLocator implements Locator {
  readonly asked: string[] = [];
  readonly #positions: ReadonlyMap<string, TextRange>;

  /** Pointers to `[line, column, endLine, endColumn]`, one-based. */
  constructor(positions: Readonly<Record<string, readonly [number, number, number, number]>> = {}) {
    this.#positions = new Map(
      Object.entries(positions).map(([pointer, [line, column, endLine, endColumn]]) => [
        pointer,
        { offset: 0, length: 0, line, column, endLine, endColumn, lineEnd: endColumn },
      ]),
    );
  }

  locate(file: string, pointers: Iterable<string>): ReadonlyMap<string, TextRange> {
    this.asked.push(file);
    return new Map(
      [...pointers].flatMap((pointer): [string, TextRange][] => {
        const position = this.#positions.get(pointer);
        return position ? [[pointer, position]] : [];
      }),
    );
  }
}
