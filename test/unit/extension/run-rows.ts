import type { RunRow, RunSession } from '../../../src/protocol/runs.ts';

/** A complete run, with the given properties. */
export function runRow(parts: Partial<RunRow> = {}): RunRow {
  return {
    id: '20261123T090000000Z-0000000a',
    name: null,
    project: null,
    startedAt: '2026-11-23T09:00:00.000Z',
    durationMs: 1000,
    state: 'complete',
    isLive: false,
    isGone: false,
    baseline: null,
    alerts: [],
    verdict: 'passed',
    sessions: 1,
    succeeded: 0,
    failed: 0,
    undecided: 0,
    stoppedBy: null,
    git: null,
    agent: { name: null, version: null },
    judge: null,
    ...parts,
  };
}

/** A session of a run, with the given properties. */
export function runSession(parts: Partial<RunSession> = {}): RunSession {
  return {
    id: 's',
    file: 'a.json',
    line: 1,
    verdict: 'passed',
    headline: { kind: 'clean', text: 'No problems found', turn: null },
    task: null,
    uri: 'file:///workspace/a.json',
    key: null,
    ...parts,
  };
}
