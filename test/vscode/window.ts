import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { ended, processesOf } from '../support/vscode/processes.ts';
import type { Tests } from '../support/vscode/suite.ts';
import { within } from '../support/vscode/within.ts';
import { openWorkbench, type Workspace } from '../support/vscode/workbench.ts';
import { modelTests } from './models.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');

/** What a user sees and presses, each test in a window of its own. */
export function windowTests(browser: Browser, workspace: Workspace): Tests {
  const inWindow = (name: string, test: (page: Page) => Promise<void>) => async (): Promise<void> => {
    await writeFile(join(workspace.folder, 'broken.json'), '[\n  { "role": "user", "content": "Hel');
    const page = await openWorkbench(browser, workspace);
    try {
      // The extension is known before its menus are looked for.
      await page.getByRole('tab', { name: 'Turnwise' }).waitFor();
      await test(page);
    } finally {
      await mkdir(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
      await page.context().close();
    }
  };
  const servers = (): number[] => processesOf(join(workspace.extension, 'dist', 'server.js'));

  return {
    'the empty view says what to press': inWindow('welcome', async (page) => {
      await page.getByRole('tab', { name: 'Turnwise' }).click();
      await page.getByText('Right-click a trace file in the Explorer').waitFor();
      await page.getByRole('button', { name: 'Evaluate Trace' }).waitFor();
      assert.deepEqual(servers(), []);
    }),

    'a right-click on a trace leads to its failures': inWindow('evaluate', async (page) => {
      await evaluate(page, 'refund.json');
      const session = page.getByRole('treeitem', { name: /^refund, \w+/ });
      await session.waitFor();
      const failure = page.getByRole('treeitem', { name: /^Turn 2, repeated tool call/ });
      await failure.click();
      await page.locator('.editor-instance .squiggly-warning').first().waitFor();
      assert.match(await page.title(), /refund\.json/);
    }),

    'a file that is no JSON is explained in a sentence': inWindow('broken', async (page) => {
      await evaluate(page, 'broken.json');
      await page.getByRole('treeitem', { name: /^broken\.json/ }).waitFor();
      // Under test, notifications stay behind the bell, which on a busy machine may miss a click.
      await page.locator('[id="status.notifications"] .codicon-bell-dot').waitFor();
      await command(page, 'Notifications: Show Notifications');
      const notification = page.locator('.notification-list-item').filter({ hasText: 'broken.json' });
      await notification.getByText('The JSON ends on line 2').waitFor();
      await notification.getByText('Open File').click();
      await page.getByRole('tab', { name: 'broken.json' }).waitFor();
    }),

    'a report stands beside its file, and each leads to the other': inWindow('report', async (page) => {
      await evaluate(page, 'refund.json');
      const session = page.getByRole('treeitem', { name: /^refund, \w+/ });
      await session.hover();
      await session.getByRole('button', { name: 'Open Report' }).click();
      const report = reportIn(page);
      await report.getByRole('heading', { name: 'refund', exact: true }).waitFor();
      await report.getByRole('button', { name: /^Turn 2, risk 0\.\d\d, \d failures?$/ }).click();
      const turn = report.getByRole('article', { name: 'Turn 2' });
      await turn.getByText('Please write to the shop.').waitFor();

      await turn.getByRole('button', { name: 'Turn 2', exact: true }).click();
      await activeLine(page, 44);
      assert.equal(await report.locator('article:focus-within').getAttribute('id'), 'turn-2');
      await report.locator('body').press('k');
      await report.locator('article:focus').press('Enter');
      await activeLine(page, 30);
      await page.locator('.editor-instance .monaco-editor.focused').waitFor();
    }),

    'a report outlives the window, and says how to have its results again': inWindow('restored', async (page) => {
      await evaluate(page, 'refund.json');
      const session = page.getByRole('treeitem', { name: /^refund, \w+/ });
      await session.hover();
      await session.getByRole('button', { name: 'Open Report' }).click();
      await reportIn(page)
        .getByRole('article', { name: 'Turn 2' })
        .getByRole('button', { name: 'Turn 2', exact: true })
        .click();
      await activeLine(page, 44);
      await command(page, 'Developer: Reload Window');
      await reportIn(page).getByRole('button', { name: 'Evaluate Trace' }).click({ timeout: 40_000 });
      await reportIn(page).getByRole('article', { name: 'Turn 2' }).getByText('It arrived broken.').waitFor();
      assert.equal(await reportIn(page).locator('article[aria-current]').getAttribute('id'), 'turn-2');
    }),

    'the language server ends with its extension host': inWindow('reload', async (page) => {
      await evaluate(page, 'delivery.json');
      await page.getByRole('treeitem', { name: /^delivery, \w+/ }).waitFor();
      const [server] = servers();
      assert.ok(server !== undefined);
      await page.reload();
      await page.getByText('Right-click a trace file in the Explorer').waitFor();
      await within(10_000, 'the language server to end', ended(server));
    }),

    ...modelTests(browser, workspace),
  };
}

async function evaluate(page: Page, name: string): Promise<void> {
  await explorerItem(page, name).click({ button: 'right' });
  // A menu that has just opened ignores the mouse button for a moment, lest the click that opened it chooses.
  await page.getByRole('menuitem', { name: 'Evaluate Trace' }).hover();
  await page.keyboard.press('Enter');
}

async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').first().fill(`>${title}`);
  await page.locator('.quick-input-list').getByText(title).first().waitFor();
  await page.keyboard.press('Enter');
}

/** Waits until the cursor of an editor is in a line, whether or not the editor has the focus. */
async function activeLine(page: Page, line: number): Promise<void> {
  const active = page.locator('.editor-instance .active-line-number');
  await active.getByText(String(line), { exact: true }).waitFor();
}

/** What is inside the panel of a report. */
function reportIn(page: Page): FrameLocator {
  return page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
}

function explorerItem(page: Page, name: string): Locator {
  return page.locator('.explorer-folders-view').getByRole('treeitem', { name, exact: true });
}
