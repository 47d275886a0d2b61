import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/index.ts';
import { sharedData } from '../support/shared-data.ts';

const files = ['tau-bench/gpt-4o-airline.tasks00-12.json', 'tau-bench/gpt-4o-airline.tasks13-24.json'].map(sharedData);

/** Published with the data: gpt-4o, airline, tasks 0 to 24, four trials each. */
describe.skipIf(files.includes(null))('tau-bench airline, where the labelled data is present', () => {
  it('gives pass^1 to pass^4 of tasks 0 to 24', async () => {
    const report = await evaluate(files.flatMap((file) => file ?? []));
    expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.sessions).toHaveLength(100);
    expect(report.scenarios).toHaveLength(25);
    expect(report.attempts).toMatchObject({ estimator: 'unbiased', correctBy: 'outcome', scenarios: 25 });
    expect(report.attempts?.table.map(({ k, passPowK }) => [k, Number(passPowK.toFixed(4))])).toEqual([
      [1, 0.31],
      [2, 0.1933],
      [3, 0.17],
      [4, 0.16],
    ]);
  });
});
