import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hang, startStubModels } from '../../support/stub-models.ts';
import { ended } from '../../support/vscode/processes.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { judgeOf } from '../judge.ts';
import { answered, REFUND, talk } from '../traces.ts';
import { configured, type UserTests, withServer } from '../window-tests.ts';

/** From the Explorer to the line of a problem. */
export const evaluateTests: UserTests = {
  async 'two clicks lead from an empty window to the first problem of a trace that was found by its content'(window) {
    await window.page.getByRole('tab', { name: 'Turnwise' }).click();
    await window.result('2 files look like traces').waitFor();
    await window.result('refund.json').click();
    await window.report().getByText('Failed call repeated unchanged').first().waitFor();
    await window.result('1 more file looks like a trace').waitFor();
  },

  async 'evaluates a right-clicked trace, and opens the line of a clicked problem'(window) {
    await window.evaluate('refund.json');
    await window.openJson(window.result(/^Turn 2, Failed call repeated unchanged/));
    await window.activeLine(61);
    await window.page.locator('.editor-instance .squiggly-warning').first().waitFor();
    assert.match(await window.page.title(), /refund\.json/);
    await window.goTo(44);
    // Wait for the lens: it moves the lines below it.
    await window.lens('✗ failed call repeated unchanged').waitFor();
    const message = window.line('It arrived broken.').getByText('It arrived broken.');
    const hover = window.page.locator('.monaco-hover').filter({ hasText: 'Turn 2 of refund: ! 2 problems' });
    const score = hover.getByRole('listitem').filter({ hasText: 'step_efficiency 0.50 / 1 (threshold 0.5, by rules)' });
    const link = score.getByRole('link', { name: 'the call that it repeats' });
    // A decoration that appears or disappears under the pointer closes the hover: point again.
    for (let attempt = 0; attempt < 5 && !(await link.isVisible()); attempt += 1) {
      await window.page.mouse.move(600, 20);
      await message.hover();
      await link.waitFor({ timeout: 5000 }).catch(() => {});
    }
    await link.waitFor();
  },

  'evaluates several selected traces, and all traces in a folder': {
    files: { 'more/one.json': answered('One.'), 'more/deeper/two.json': answered('Two.') },
    async use(window) {
      await window.evaluate('refund.json', 'delivery.json');
      await window.session('refund').waitFor();
      await window.session('delivery').waitFor();
      await window
        .result(/^Turn 2, /)
        .nth(1)
        .waitFor();
      await window.result('2 more files look like traces').waitFor();
      // Two sessions, the two problems of one of them, and the files that were not selected.
      assert.equal(await window.result(/.*/).count(), 5);
      await window.page.getByRole('tab', { name: /^Explorer/ }).click();
      await window.chooseFromMenu(window.explorerItem('more'), 'Evaluate Traces in Folder');
      await window.session('one').waitFor();
      await window.session('two').waitFor();
    },
  },

  'a lens evaluates a trace, and the lenses of its results open the report': {
    files: { 'returned.trace.json': REFUND },
    async use(window) {
      await window.open('returned.trace.json');
      await window.lens('Evaluate with Turnwise').click();
      await window.lens('risk Elevated').click();
      await window.report().getByRole('heading', { name: 'returned', exact: true }).waitFor();
      await window.report().getByRole('article', { name: 'Turn 2' }).waitFor();
      await window.open('returned.trace.json');
      await window.goTo(44);
      await window.lens('✗ failed call repeated unchanged').click();
      const turn = window.report().getByRole('article', { name: 'Turn 2' });
      await turn.and(window.report().locator('[aria-current]')).waitFor();
    },
  },

  async 'suppresses a finding with a reason, by keyboard'(window) {
    await window.evaluate('refund.json');
    await window.openJson(window.result(/^Turn 2, Ungrounded argument/));
    const squiggles = window.page.locator('.editor-instance .squiggly-info');
    await squiggles.first().waitFor();
    await window.focusEditor();
    await window.goTo(52);
    await window.quickFix('Suppress This Finding…');
    await window.page.keyboard.press('Enter');
    await window.input('Suppress ungrounded-argument in turn 2', 'agreed with the customer');
    await squiggles.first().waitFor({ state: 'detached' });
    const sidecar = JSON.parse(await readFile(join(window.folder, 'refund.turnwise.json'), 'utf8'));
    assert.match(JSON.stringify(sidecar), /agreed with the customer/);
  },

  'the Results view shows progress and stops the evaluation': withServer(
    () => startStubModels(({ number }) => (number === 0 ? undefined : hang)),
    (stub) => ({ 'talk.json': talk(3), ...configured({ metrics: ['helpfulness'], judge: judgeOf(stub) }) }),
    async (window, stub) => {
      await window.evaluate('talk.json');
      // The actions of a view are shown under the pointer.
      await window.page.getByText('judging 1 of 3 calls', { exact: true }).hover();
      await window.page.getByRole('button', { name: 'Stop Evaluation' }).click();
      await window.page.getByText('Turnwise: 1 undecided').waitFor();
      await Promise.all(stub.requests.map(({ over }) => withTimeout(5000, 'the requests to end', over)));
      assert.ok(stub.requests.slice(1).every(({ hungUp }) => hungUp));
    },
  ),

  'evaluates each file of a multi-root workspace with the configuration of its folder': {
    roots: ['shop', 'bank'],
    files: {
      'shop/shop.json': REFUND,
      'shop/turnwise.config.json': JSON.stringify({ gates: { thresholds: { tool_call_count: 99 } } }),
      'bank/bank.json': REFUND,
      'bank/turnwise.config.json': JSON.stringify({ rules: { 'error-repeated-unchanged': 'off' } }),
    },
    async use(window) {
      await window.evaluate('shop.json', 'bank.json');
      await window.result(/^shop\.json, Failed/).waitFor();
      await window.result(/^bank\.json, 1 problem, low/).waitFor();
    },
  },

  'explains why a file is not valid JSON': {
    files: { 'broken.json': '[\n  { "role": "user", "content": "Hel' },
    async use(window) {
      await window.evaluate('broken.json');
      await window.result(/^Unreadable, 1/).waitFor();
      await window.result(/^broken\.json, The JSON is truncated/).waitFor();
      const notification = await window.notification('broken.json');
      await notification.getByText('The JSON is truncated: it ends on line 2').waitFor();
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
    await withTimeout(20_000, 'the language server to end', ended(server));
  },
};
