import assert from 'node:assert/strict';
import { ended } from '../../support/vscode/processes.ts';
import { within } from '../../support/vscode/within.ts';
import type { UserTests } from '../window.ts';

/** From the Explorer to the line at fault. */
export const evaluateTests: UserTests = {
  async 'the empty view says what to press'(window) {
    await window.page.getByRole('tab', { name: 'Turnwise' }).click();
    await window.page.getByText('Right-click a trace file in the Explorer').waitFor();
    await window.page.getByRole('button', { name: 'Evaluate Trace' }).waitFor();
    assert.deepEqual(window.servers(), []);
  },

  async 'a right-click on a trace leads to its failures, and a click on a failure to its line'(window) {
    await window.evaluate('refund.json');
    await window.session('refund').waitFor();
    await window.page.getByRole('treeitem', { name: /^Turn 2, repeated tool call/ }).click();
    await window.page.locator('.editor-instance .squiggly-warning').first().waitFor();
    assert.match(await window.page.title(), /refund\.json/);
  },

  'a file that is no JSON is explained in a sentence': {
    files: { 'broken.json': '[\n  { "role": "user", "content": "Hel' },
    async use(window) {
      await window.evaluate('broken.json');
      await window.page
        .getByRole('treeitem', { name: /^broken\.json/ })
        .nth(1)
        .waitFor();
      const notification = await window.notification('broken.json');
      await notification.getByText('The JSON ends on line 2').waitFor();
      await notification.getByText('Open File').click();
      await window.page.getByRole('tab', { name: 'broken.json' }).waitFor();
    },
  },

  async 'the language server ends with its extension host'(window) {
    await window.evaluate('delivery.json');
    await window.session('delivery').waitFor();
    const [server] = window.servers();
    assert.ok(server !== undefined);
    await window.page.reload();
    await within(20_000, 'the language server to end', ended(server));
  },
};
