import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type StubModels, stubModels } from '../support/stub-models.ts';
import type { Tests } from '../support/vscode/suite.ts';
import { within } from '../support/vscode/within.ts';
import { openWorkbench, type Workspace } from '../support/vscode/workbench.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');

/** What a user is asked before a model is, and how they say whom to ask. */
export function modelTests(browser: Browser, workspace: Workspace): Tests {
  const configuration = join(workspace.folder, 'turnwise.config.json');
  const inWindow = (name: string, test: (page: Page, stub: StubModels) => Promise<void>) => async (): Promise<void> => {
    await using stub = await stubModels();
    const page = await openWorkbench(browser, workspace);
    try {
      await page.getByRole('tab', { name: 'Turnwise' }).waitFor();
      await test(page, stub);
    } finally {
      await mkdir(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
      await page.context().close();
      await rm(configuration, { force: true });
    }
  };

  return {
    'a judge is asked once its host is allowed, with the key that is kept for it': inWindow(
      'judge',
      async (page, stub) => {
        // Leads here, and is no loopback by its name.
        const origin = stub.origin.replace('127.0.0.1', '0.0.0.0');
        const judge = { provider: 'openai', model: 'stub', baseUrl: `${origin}/v1` };
        await writeFile(configuration, JSON.stringify({ judge }));
        await command(page, 'Turnwise: Set API Key');
        await input(page, 'API key: for which host?', null, origin);
        const password = await input(page, `API key for ${origin}`, 'key-of-stub', null);
        assert.equal(password, 'password');
        await evaluate(page, 'refund.json');
        await page.getByText(`waiting for leave to ask ${origin}`).waitFor({ state: 'attached' });
        await notified(page, `Evaluating sends text of traces to ${origin} (openai:stub).`, 'Allow');
        await within(20_000, 'the judge to be asked', stub.arrived(1));
        await page.getByRole('treeitem', { name: /^refund, \w+/ }).waitFor();
        assert.deepEqual(
          new Set(stub.requests.map(({ headers }) => headers.authorization)),
          new Set(['Bearer key-of-stub']),
        );
      },
    ),

    'a key that is missed can be set at once': inWindow('key', async (page) => {
      await writeFile(configuration, JSON.stringify({ judge: { provider: 'openai', model: 'gpt-5-mini' } }));
      await evaluate(page, 'refund.json');
      await page.getByText('waiting for leave to ask api.openai.com').waitFor({ state: 'attached' });
      await notified(page, 'Evaluating sends text of traces to api.openai.com', 'Allow');
      await notified(page, 'api.openai.com answers nobody without a key', 'Set API Key');
      await page.locator('.quick-input-widget').getByText('API key for api.openai.com').waitFor();
      await page.keyboard.press('Escape');
    }),

    'a configuration that is code runs, since the folder is trusted': inWindow('code', async (page) => {
      const code = join(workspace.folder, 'turnwise.config.ts');
      const gate = 'const least: number = 99;\nexport default { gates: { thresholds: { tool_call_count: least } } };\n';
      await writeFile(code, gate);
      await evaluate(page, 'refund.json');
      await page.locator('.statusbar').getByText('1 of 1 failed').waitFor();
      await rm(code);
    }),

    'a judge is chosen from a list, and written into the configuration': inWindow('choice', async (page, stub) => {
      await writeFile(configuration, '{\n  "metrics": ["helpfulness"]\n}\n');
      await command(page, 'Turnwise: Choose Judge');
      await page.locator('.quick-input-list').getByText('OpenAI-compatible').click();
      await input(page, 'Base URL of the server', `${stub.origin}/v1`, 'https://api.openai.com/v1');
      await input(page, 'Model', 'stub', '');
      await notified(page, 'Written to turnwise.config.json', 'Open');
      const written = JSON.parse(await readFile(configuration, 'utf8'));
      assert.deepEqual(written.judge, { provider: 'openai', model: 'stub', baseUrl: `${stub.origin}/v1` });
      assert.deepEqual(stub.requests, []);
    }),
  };
}

async function evaluate(page: Page, name: string): Promise<void> {
  const item = page.locator('.explorer-folders-view').getByRole('treeitem', { name, exact: true });
  await item.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Evaluate Trace' }).hover();
  await page.keyboard.press('Enter');
}

async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').first().fill(`>${title}`);
  await page.locator('.quick-input-list').getByText(title).first().waitFor();
  await page.keyboard.press('Enter');
}

/** @param text null: what is proposed. @returns the type of the box. */
async function input(page: Page, title: string, text: string | null, proposed: string | null): Promise<string | null> {
  const widget = page.locator('.quick-input-widget');
  await widget.getByText(title, { exact: true }).waitFor();
  const box = widget.locator('.quick-input-box input');
  if (proposed !== null) assert.equal(await box.inputValue(), proposed);
  if (text !== null) await box.fill(text);
  const type = await box.getAttribute('type');
  await page.keyboard.press('Enter');
  await widget.getByText(title, { exact: true }).waitFor({ state: 'hidden' });
  return type;
}

/** Under test, notifications stay behind the bell. */
async function notified(page: Page, text: string, button: string): Promise<void> {
  const item = page.locator('.notification-list-item').filter({ hasText: text });
  await page.locator('[id="status.notifications"] .codicon-bell-dot').or(item).first().waitFor();
  if (!(await item.isVisible())) await command(page, 'Notifications: Show Notifications');
  await item.getByRole('button', { name: button, exact: true }).click();
}
