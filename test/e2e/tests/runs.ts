import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configured, type UserTests } from '../window-tests.ts';

const TRACE = 'orders.trace.json';

/** A judge that fails everything, and says so. */
const JUDGE = `export default {
  metrics: ['faithfulness'],
  gates: { thresholds: { faithfulness: 4 } },
  judge: { provider: 'function', name: 'weak', model: 'v1', ask: () => ({
    faithfulness: { evidence: [], reason: 'The judge says so.', score: 2 },
  }) },
};
`;

/** Recorded runs: their view, and the pages that compare them. */
export const recordedRunTests: UserTests = {
  'a run of a terminal appears, becomes the baseline, and is compared with the next one down to the step that changed':
    {
      files: { [TRACE]: attempts(true), ...configured({}) },
      async use(window) {
        await window.turnwise('eval', TRACE, '--with-transcripts', '--agent-version', '1.0', '--name', 'first');
        await window.command('Turnwise: Focus on Runs View');
        const first = window.run(/^first, /);
        await first.waitFor();
        await window.chooseFromMenu(first, 'Set Run as Baseline…');
        await window.input('Set first as Baseline', 'Released.');
        await window.run(/^first, .*\bbaseline\b/).waitFor();

        await window.write(TRACE, attempts(false));
        await window.turnwise('eval', TRACE, '--agent-version', '1.1', '--name', 'second');
        const second = window.run(/^second, .*1 of 2 failed/);
        await second.waitFor();
        await window.picture('runs view');
        await second.hover();
        await second.getByRole('button', { name: 'Compare with Previous Run' }).click();
        await window.page.mouse.move(0, 0);

        const page = window.report();
        const flip = page.getByRole('row').filter({ hasText: 'refund' });
        await flip.waitFor();
        await window.picture('runs comparison');
        await flip.click();
        await page.getByRole('heading', { name: 'Compared Transcripts' }).waitFor();
        await page.getByText('I cannot do that.').waitFor();
        await page.getByText('It is refunded.').waitFor();
        await window.picture('runs transcripts');
      },
    },

  'results of a judge are labelled by keys, blind, into the file that the command line counts': {
    files: {
      'questions.trace.json': JSON.stringify({
        turnwise: 1,
        sessions: [1, 2, 3].map((number) => ({
          id: `s${number}`,
          turns: [{ input: `Where is order ${number}?`, output: 'On its way.' }],
        })),
      }),
      'turnwise.config.mjs': JUDGE,
    },
    async use(window) {
      await window.turnwise('eval', 'questions.trace.json');
      await window.command('Turnwise: Label Results');
      const page = window.report();
      await page.getByText(/^Where is order \d\?$/).waitFor();
      assert.equal(await page.getByText('The judge says so.').count(), 0);
      await window.picture('labels');
      await page.getByRole('heading', { name: 'Label Results' }).click();
      await window.page.keyboard.press('f');
      await page.getByText('You agree').waitFor();
      await page.getByText('The judge says so.').waitFor();
      await window.page.keyboard.press('Enter');
      await page.getByText('The judge says so.').waitFor({ state: 'detached' });
      await window.page.keyboard.press('p');
      await page.getByText('You disagree').waitFor();
      await window.picture('labels given');
      const { labels } = JSON.parse(await readFile(join(window.folder, 'turnwise.judge.json'), 'utf8'));
      assert.deepEqual(labels.map(({ label }: { label: string }) => label).sort(), ['fail', 'pass']);
    },
  },
};

/** An attempt of each of two tasks. @param refunded whether that of the refund succeeded */
function attempts(refunded: boolean): string {
  const session = (task: string, input: string, output: string, succeeded: boolean) => ({
    id: task,
    task: { id: task },
    turns: [{ input, output }],
    outcome: { status: succeeded ? 'succeeded' : 'failed', reason: `reward ${Number(succeeded)}` },
  });
  const sessions = [
    session('cancel', 'Cancel my order.', 'It is cancelled.', true),
    session('refund', 'Refund my order.', refunded ? 'It is refunded.' : 'I cannot do that.', refunded),
  ];
  return JSON.stringify({ turnwise: 1, sessions }, null, 2);
}
