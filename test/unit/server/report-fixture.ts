import type { FailureGroup, Gate, ProblemOccurrence } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import type { Locator, TextRange } from '../../../src/input/load.ts';
import { report, session } from '../../support/report.ts';

export { report, session };

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
  const own = occurrences.map((occurrence) => ({ ...occurrence, label, severity }));
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
