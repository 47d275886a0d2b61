import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCalls } from '../../src/protocol/report.ts';
import type { ComparedCallRow } from '../../src/protocol/report-values.ts';
import { type Standalone, standalone } from './app.ts';
import { recording, sampleReport, session, turn } from './recording.ts';
import { call } from './steps.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const changed = { changes: [{ name: 'amount', before: '370', after: '37' }], changesOmitted: 0, equal: 1 };
const compared = (parts: Partial<ComparedCallRow>): ComparedCallRow => ({
  match: 'same',
  name: 'pay',
  arguments: 'amount: 37',
  turn: 0,
  changes: [],
  changesOmitted: 0,
  equal: 1,
  ...parts,
});

describe('compared calls', () => {
  it('say that a call repeats an earlier one, and what changed in another try', async () => {
    const same = { turn: 0, step: 0, changes: [], changesOmitted: 0, equal: 2 };
    const steps = [call(0, { earlier: same }), call(1, { earlier: { turn: 0, step: 0, ...changed } })];
    await using open = await app.open(recording(sampleReport([turn(0), turn(1, { steps })])));
    const { page } = open;
    await page.getByText('same as in turn 1').waitFor();
    await page.getByRole('button', { name: /tool_2/ }).click();
    await page.getByText('amount before 370 now 37').waitFor();
    await page.getByText('Compared with the call in').getByRole('button', { name: 'turn 1' }).waitFor();
  });

  it('stand beside expected ones, open where they differ', async () => {
    const calls = [
      compared({ match: 'arguments', ...changed }),
      compared({ name: 'close', match: 'missing', turn: null }),
    ];
    const same = turn(1, { expected: { calls: [compared({})], omitted: 0 } });
    await using open = await app.open(recording(sampleReport([turn(0, { expected: { calls, omitted: 0 } }), same])));
    const { page } = open;
    const first = page.getByRole('region', { name: 'Expected calls' }).first();
    await first.getByText('0 of 2 calls made as expected').waitFor();
    await first.getByText('amount expected 370 made 37').waitFor();
    expect(await first.getByRole('listitem').filter({ hasText: 'close' }).textContent()).toContain('not made');
    const second = page.getByRole('region', { name: 'Expected calls' }).nth(1);
    expect(await second.getByRole('button').getAttribute('aria-expanded')).toBe('false');
  });

  it('of the whole session are in the Problems tab and lead to their turns', async () => {
    const expected = { calls: [compared({ match: 'arguments', turn: 1, ...changed })], omitted: 0 };
    const more = [{ method: sessionCalls.method, params: { session }, result: { expected } }];
    await using open = await app.open(recording(sampleReport([turn(0), turn(1)], {}, more)));
    const { page } = open;
    await page.getByRole('tab', { name: 'Problems' }).click();
    const section = page.getByRole('region', { name: 'Expected calls of the session' });
    await section.getByRole('button', { name: 'turn 2' }).click();
    await page.locator('#turn-2[aria-current]').waitFor();
  });
});
