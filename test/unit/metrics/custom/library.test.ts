import { describe, expect, it } from 'vitest';
import { type ConfigurationInput, evaluate, type Report, type Session } from '../../../../src/index.ts';
import { sessionOf } from '../views.ts';

const SESSION: Session = sessionOf([{ output: 'Hello.' }, { output: 'Good day to you.' }, { output: null }]);

const results = ({ sessions }: Report, name: string) => sessions[0]?.turns.map(({ metrics }) => metrics[name]) ?? [];

describe('functions passed to the library', () => {
  it("run in the caller's process, in turn order, with the results they use", async () => {
    const received: [string, number][] = [];
    const configuration: ConfigurationInput = {
      custom: [
        {
          name: 'short',
          scale: 'binary',
          threshold: 1,
          evaluate: (turn, { index }) => {
            received.push([turn.id, index]);
            return turn.output === null ? null : turn.output.length < 10;
          },
        },
        {
          name: 'all_short',
          scope: 'session',
          scale: 'binary',
          uses: ['short'],
          evaluate: async (session, { turnResults }) =>
            session.turns.length === turnResults.short?.filter((result) => result?.passed).length,
        },
      ],
      gates: { thresholds: { short: 1 } },
    };
    const report = await evaluate([SESSION], configuration);
    expect(received).toEqual([
      ['t1', 0],
      ['t2', 1],
      ['t3', 2],
    ]);
    expect(results(report, 'short').map((result) => result?.score)).toEqual([1, 0, null]);
    expect(report.sessions[0]?.metrics.all_short).toMatchObject({ status: 'scored', score: 0 });
    expect(report).toMatchObject({ verdict: 'failed', gates: [{ metric: 'short', actual: 0.5, met: false }, {}] });
  });

  it('do not block the run if they never finish', async () => {
    const custom = [{ name: 'never', timeoutMs: 20, evaluate: () => new Promise<number>(() => {}) }];
    const report = await evaluate([SESSION, { ...SESSION, id: 's2' }], { custom });
    expect(results(report, 'never').map((result) => result?.status)).toEqual(['error', 'error', 'error']);
    expect(report.sessions[1]?.turns[0]?.metrics.never?.reason).toBe(
      'The function of never is no longer called in this run, because 3 of its calls were lost.',
    );
  });

  it('can abort themselves with the run', async () => {
    const stop = new AbortController();
    const custom = [
      {
        name: 'never',
        evaluate: () => {
          stop.abort();
          return new Promise<number>(() => {});
        },
      },
    ];
    const report = await evaluate([SESSION], { custom }, { signal: stop.signal });
    expect(report.run.complete).toBe(false);
    expect(results(report, 'never').map((result) => result?.status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('are validated with a clear message', async () => {
    const custom = [{ name: 'helpfulness', evaluate: () => 3 }];
    await expect(evaluate([SESSION], { custom })).rejects.toThrow(
      'custom[0].name is "helpfulness", which is a built-in metric; choose another name.',
    );
  });
});
