import assert from 'node:assert/strict';
import type { UserTests } from '../in-windows.ts';

/** The report of a session, beside its file. */
export const reportTests: UserTests = {
  async 'a report stands beside its file, and each leads to the other'(window) {
    await window.evaluate('refund.json');
    const report = await window.openReport('refund');
    await report.getByRole('heading', { name: 'refund', exact: true }).waitFor();
    await report.getByRole('button', { name: /^Turn 2, risk 0\.\d\d, \d failures?$/ }).click();
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

  async 'a report outlives the window, with its results'(window) {
    await window.evaluate('refund.json');
    const report = await window.openReport('refund');
    await report.getByRole('article', { name: 'Turn 2' }).getByRole('button', { name: 'Turn 2', exact: true }).click();
    await window.activeLine(44);
    await window.command('Developer: Reload Window');
    await report.getByRole('article', { name: 'Turn 2' }).getByText('It arrived broken.').waitFor({ timeout: 40_000 });
    assert.equal(await report.locator('article[aria-current]').getAttribute('id'), 'turn-2');
    await window.session('refund').waitFor();
  },
};
