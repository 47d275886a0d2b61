import type { ReportHeader } from '../../../src/protocol/report.ts';

/** The header of an empty session. */
export function headerOfNothing(key: string): ReportHeader {
  return {
    revision: 1,
    key,
    id: 'one',
    file: { name: 'a.json', uri: 'file:///t/a.json' },
    format: 'turnwise',
    target: { uri: 'file:///t/a.json', pointer: '' },
    state: 'fresh',
    headline: { kind: 'clean', text: 'No problems found', turn: null },
    outcome: 'unknown',
    verdict: 'undecided',
    risk: null,
    riskLevel: null,
    riskReason: null,
    worst: [],
    problems: 0,
    gates: [],
    coverage: { scored: 0, of: 0 },
    unscored: [],
    scores: [],
    judges: [],
    judgedTasks: null,
    run: {
      startedAt: null,
      durationMs: null,
      complete: true,
      judgeCalls: 0,
      judgeCallsCached: 0,
      promptTokens: 0,
      completionTokens: 0,
      cost: null,
    },
    turnsDone: null,
    strip: { turns: 0, severity: [], problems: [], coverage: [], marks: [] },
    facets: { metrics: [], labels: [], severities: [], statuses: [], belowThreshold: 0 },
    sessionsInFile: 1,
  };
}
