import type { AttemptMessage, AttemptRow, RunningScenario, ScenarioRow } from '../../../../src/protocol/scenarios.ts';

/** Scenarios and results as the server gives them. */

const NOWHERE = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

export const fileUri = (name: string): string => `file:///workspace/${name}`;

export function scenarioRow(name: string | null, line = 0): ScenarioRow {
  const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
  return { name, range, turns: [], expectedCalls: [] };
}

export function attempt(verdict: AttemptRow['verdict'], own: Partial<AttemptRow> = {}): AttemptRow {
  const kind = verdict === 'passed' ? 'succeeded' : verdict;
  return {
    trial: 1,
    agent: 'shop',
    verdict,
    headline: { kind, text: `It ${verdict}.`, turn: null },
    messages: [],
    uri: null,
    session: null,
    turns: 2,
    tokens: 400,
    durationMs: 10,
    output: '',
    ...own,
  };
}

export function attemptMessage(text: string, own: Partial<AttemptMessage> = {}): AttemptMessage {
  const location = { uri: fileUri('refund.sim.ts'), range: NOWHERE };
  return { text, expected: null, actual: null, location, trace: null, ...own };
}

/** The verdict of the worst attempt. */
export function scenarioResult(
  uri: string,
  name: string,
  attempts: readonly AttemptRow[],
  own: Partial<RunningScenario> = {},
): RunningScenario {
  const verdicts = attempts.map(({ verdict }) => verdict);
  const verdict = (['undecided', 'failed'] as const).find((one) => verdicts.includes(one)) ?? 'passed';
  const numbered = attempts.map((one, index) => ({ ...one, trial: index + 1 }));
  const passed = verdicts.filter((one) => one === 'passed').length;
  return {
    uri,
    name,
    verdict,
    summary: `${passed} of ${attempts.length} succeeded`,
    attempts: numbered,
    run: null,
    finishedAt: '2026-01-01T00:00:00.000Z',
    isStale: false,
    ...own,
  };
}
