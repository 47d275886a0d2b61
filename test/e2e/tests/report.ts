import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { ATTEMPTS, REFUND } from '../traces.ts';
import type { UserTests } from '../window-tests.ts';

/** The report panel. */
export const reportTests: UserTests = {
  async 'a report opens at its first problem, and its turns reveal their lines'(window) {
    await window.evaluate('refund.json');
    const report = await window.openReport('refund');
    await report.getByRole('heading', { name: 'refund', exact: true }).waitFor();
    await report.getByRole('button', { name: /^Turn 2, \d problems?$/ }).click();
    const turn = report.getByRole('article', { name: 'Turn 2' });
    await turn.getByText('Please write to the shop.').waitFor();

    await turn.getByRole('button', { name: 'Turn 2', exact: true }).click();
    await window.activeLine(44);
    assert.equal(await report.locator('article:focus-within').getAttribute('id'), 'turn-2');
    await report.locator('body').press('k');
    await report.locator('article:focus').press('Enter');
    await window.activeLine(30);
    await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  },

  'editor and report follow the selection of each other, without a loop': {
    files: { 'returned.trace.json': REFUND },
    async use(window) {
      await window.open('returned.trace.json');
      await window.lens('Evaluate with Turnwise').click();
      await window.lens('risk Elevated').waitFor();
      await window.command('Turnwise: Open Report to the Side');
      const report = window.report();
      const current = (turn: number) => report.locator(`#turn-${turn}[aria-current]`).waitFor();
      await report.getByRole('article', { name: 'Turn 2' }).waitFor();
      await report.locator('body').evaluate(RECORD);

      await report.getByRole('button', { name: /^Turn 2, \d problem/ }).click();
      await window.activeLine(44);
      await window.clickLine('Where is my order A-1001?');
      await window.activeLine(30);
      await current(1);
      await report.getByRole('button', { name: /^Turn 2, \d problem/ }).click();
      await window.activeLine(44);
      // A line inside the turn, after its first.
      await window.clickLine('"id": "call_1"');
      await current(1);
      await window.activeLine(36);
      const turns = await report.locator('body').getAttribute('data-selected');
      assert.equal(turns, ' turn-1 turn-2 turn-1');
    },
  },

  async 'problems and evidence reveal their lines, and turns can be filtered and searched'(window) {
    await window.evaluate('refund.json');
    const report = await window.openReport('refund');
    const turn = report.getByRole('article', { name: 'Turn 2' });
    const problems = turn.getByRole('list', { name: 'Problems' });
    await problems.getByRole('button', { name: /^refund_order was called 2 more times/ }).click();
    await window.activeLine(61);
    await turn.locator('mark.chosen').first().waitFor();
    await problems.getByRole('button', { name: 'the call that it repeats' }).first().click();
    await window.activeLine(49);

    await report.getByRole('button', { name: 'Filter' }).click();
    await report.getByRole('combobox', { name: 'Filter by severity' }).selectOption('low');
    await report.getByText('1 of 2 turns').waitFor();
    assert.deepEqual(await articles(report), ['turn-2']);
    await report.getByRole('button', { name: 'Clear' }).click();
    await report.getByRole('article', { name: 'Turn 1' }).waitFor();

    await report.locator('body').press('/');
    await report.locator('#find:focus').fill('delivered');
    await report.getByText('2 in 1 turn').waitFor();
    await report.locator('#find').press('Enter');
    await report.locator('#turn-1 mark.found').first().waitFor();
    await report.locator('#turn-1[aria-current]').waitFor();
  },

  async 'goes from the Explorer to the line of a problem by keyboard'(window) {
    const { keyboard } = window.page;
    await keyboard.press('Control+Shift+E');
    await window.page.locator('.explorer-folders-view .monaco-list:focus').waitFor();
    await keyboard.press('End');
    await window.page.locator('.explorer-folders-view .monaco-list-row.focused[aria-label="refund.json"]').waitFor();
    await keyboard.press('Enter');
    await window.line('"messages"').waitFor();
    await window.command('Turnwise: Evaluate Trace');
    await window.session('refund').waitFor();
    await window.command('Turnwise: Open Report to the Side');
    const report = window.report();
    await report.getByRole('article', { name: 'Turn 2' }).waitFor();
    // The report did not take the focus; this goes to the editor group beside.
    await keyboard.press('Control+2');
    await window.page.waitForFunction(`document.activeElement?.matches('iframe.webview')`);
    await keyboard.press('n');
    await report.locator('#turn-2 :focus').waitFor();
    await keyboard.press('Enter');
    await window.activeLine(61);
    await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  },

  'copies a turn, saves feedback on it and goes to the sessions of the file': {
    files: { 'plans.json': ATTEMPTS },
    async use(window) {
      await window.evaluate('plans.json');
      // A click on the row itself opens the sessions overview.
      await window
        .result(/^plans\.json/)
        .locator('.monaco-tl-twistie')
        .click();
      const report = await window.openReport('Task 12, attempt 2');
      const turn = report.getByRole('article', { name: 'Turn 3' });
      await window.chooseFromMenu(turn.getByRole('heading', { name: 'Turn 3' }), 'Copy Turn as Markdown');
      await window.clipboard(/If that is the one I need, yes\./);
      await turn.getByRole('button', { name: 'Copy turn 3 as Markdown' }).click();
      await report.getByText('Copied').waitFor();

      await turn.getByRole('button', { name: 'Disagree with turn 3' }).click();
      await turn.getByRole('textbox', { name: 'Note on turn 3' }).fill('The plan does not exist.');
      await turn.getByRole('button', { name: 'Save' }).click();
      await turn.getByText('The plan does not exist.').waitFor();
      const sidecar = await readFile(join(window.folder, 'plans.turnwise.json'), 'utf8');
      assert.match(sidecar, /"note": "The plan does not exist\."/);

      await report.getByRole('heading', { level: 1 }).getByRole('button').click();
      await window.page.getByRole('tab', { name: /^Sessions/ }).waitFor();
    },
  },

  async 'restores a report and its results when the window is reloaded'(window) {
    await window.evaluate('refund.json');
    const report = await window.openReport('refund');
    await report.getByRole('article', { name: 'Turn 2' }).getByRole('button', { name: 'Turn 2', exact: true }).click();
    await window.activeLine(44);
    await report.getByRole('button', { name: 'Filter' }).click();
    await report.getByRole('combobox', { name: 'Filter by severity' }).selectOption('medium');
    await report.getByText('1 of 2 turns').waitFor();
    await window.command('Developer: Reload Window');
    await report.getByRole('article', { name: 'Turn 2' }).getByText('It arrived broken.').waitFor({ timeout: 60_000 });
    assert.equal(await report.locator('article[aria-current]').getAttribute('id'), 'turn-2');
    await report.getByRole('button', { name: /^Filter/ }).click();
    assert.equal(await report.getByRole('combobox', { name: 'Filter by severity' }).inputValue(), 'medium');
    assert.deepEqual(await articles(report), ['turn-2']);
    await window.session('refund').waitFor();
  },
};

/** Records in the page which turns are selected, in order. */
const RECORD = `{
  const { body } = document;
  let last = document.querySelector('article[aria-current]')?.id ?? null;
  body.dataset.selected = '';
  new MutationObserver(() => {
    const now = document.querySelector('article[aria-current]')?.id ?? null;
    if (now !== null && now !== last) body.dataset.selected += ' ' + now;
    last = now;
  }).observe(document.getElementById('report'), { subtree: true, childList: true, attributeFilter: ['aria-current'] });
}`;

function articles(report: FrameLocator): Promise<string[]> {
  return report.locator('body').evaluate(`[...document.querySelectorAll('article')].map(({ id }) => id)`);
}
