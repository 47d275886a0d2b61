import { describe, expect, test } from 'vitest';
import { leaderboardSchema } from '../../../../src/core/schemas/run-trend.ts';
import { leaderboardOf } from '../../../../src/runs/trend/leaderboards.ts';
import { attemptRow, recordedRun, sessionRow } from '../../../support/recorded-runs.ts';

describe('the leaderboards', () => {
  test('list the sessions of the newest run by headline, severity and risk', () => {
    const old = recordedRun([attemptRow('old', 0, false)], { id: 'old' });
    const newest = recordedRun(
      [
        sessionRow({ id: 'calm', scores: { session_risk: 0.1 } }),
        sessionRow({ id: 'risky', scores: { session_risk: 0.8 } }),
        sessionRow({ id: 'unrated' }),
        sessionRow({ id: 'low', headline: { kind: 'problems', text: '1 problem', turn: 0 }, severity: 'low' }),
        sessionRow({ id: 'medium', headline: { kind: 'problems', text: '1 problem', turn: 0 }, severity: 'medium' }),
        attemptRow('failed', 0, false),
        attemptRow('succeeded', 0, true),
      ],
      { id: 'new' },
    );
    const board = leaderboardOf([old, newest]);
    expect(leaderboardSchema.safeParse(board).success).toBe(true);
    expect(board.sessions.map(({ id, run, risk }) => [id, run, risk])).toEqual([
      ['failed-0', 'new', null],
      ['medium', 'new', null],
      ['low', 'new', null],
      ['risky', 'new', 0.8],
      ['calm', 'new', 0.1],
    ]);
  });

  test('list tasks by how unreliable they are known to be, over all runs', () => {
    const first = recordedRun(
      [
        ...[0, 1, 2, 3].map((trial) => attemptRow('often', trial, trial === 0)),
        attemptRow('once', 0, false),
        ...[0, 1].map((trial) => attemptRow('never', trial, true)),
      ],
      { id: 'first' },
    );
    const second = recordedRun(
      [...[0, 1, 2, 3].map((trial) => attemptRow('often', trial, false)), attemptRow('once', 0, true)],
      { id: 'second' },
    );
    const { tasks } = leaderboardOf([first, second]);
    expect(tasks).toMatchObject([
      { task: 'often', runs: 2, attempts: 8, correct: 1, flaky: true, example: { run: 'second', id: 'often-3' } },
      { task: 'once', runs: 2, attempts: 2, correct: 1, flaky: false, example: { run: 'first', id: 'once-0' } },
    ]);
  });

  test('are empty without runs', () => {
    expect(leaderboardOf([])).toEqual({ schemaVersion: 1, sessions: [], tasks: [] });
  });
});
