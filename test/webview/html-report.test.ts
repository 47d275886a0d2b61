import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { LOOPING } from '../support/traces.ts';
import { chromium } from '../support/vscode/install.ts';
import { launch } from '../support/vscode/workbench.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'samples', 'refund-claimed-after-error.json');

const HOSTILE = [
  '</script><script>document.title = "run"</script>',
  '<img src=https://example.com/x.png onerror=alert(1)>',
  '[here](javascript:alert(1))',
].join('\n\n');

const hostile = JSON.stringify({
  messages: [
    { role: 'user', content: HOSTILE },
    { role: 'assistant', content: HOSTILE },
  ],
});

let browser: Browser;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  const refund = await readFile(SAMPLE, 'utf8');
  folder = await temporaryFolder({
    '.git': '',
    'refund.json': refund,
    'loop.json': LOOPING,
    'hostile.json': hostile,
    'cut.json': '[',
  });
  const run = (...args: readonly string[]) =>
    turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } });
  const paths = ['refund.json', 'loop.json', 'hostile.json'];
  const evaluated = await run(
    'eval',
    ...paths,
    '--report',
    'html=report.html',
    '--format',
    'json',
    '--out',
    'report.json',
  );
  expect([evaluated.code, evaluated.stderr]).toEqual([
    1,
    expect.stringContaining('have the transcripts, without secrets'),
  ]);
  await run('eval', ...paths, '--record', 'none', '--report', 'html=evidence.html');
  await run('eval', 'cut.json', '--record', 'none', '--report', 'html=cut.html');
  await run('eval', 'loop.json', 'cut.json', '--record', 'none', '--fail-on', 'never', '--report', 'html=partly.html');
  browser = await launch(await chromium(() => {}));
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await folder?.[Symbol.asyncDispose]();
});

/** Opens a report from disk. Closing it fails if the page complained or requested anything besides its file. */
async function open(name: string, options: BrowserContextOptions = {}, hash = '') {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(join(folder.path, name)).href;
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) complaints.push(`requested ${request.url()}`);
  });
  page.on('dialog', (dialog) => complaints.push(`showed "${dialog.message()}"`));
  await page.goto(`${url}${hash}`);
  return {
    page,
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}

async function openSession(page: Page, file: string): Promise<void> {
  await page.getByRole('row').filter({ hasText: file }).click();
  await page.getByRole('tab', { name: 'Transcript' }).waitFor();
}

async function violations(page: Page): Promise<unknown[]> {
  // Not below the pointer, whose row has another background.
  await page.mouse.move(0, 0);
  await page.evaluate(axe.source);
  return await page.evaluate<unknown[]>(
    'axe.run({ preload: false, resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))',
  );
}

describe('an HTML report', () => {
  it('shows the run and a session with its transcript, and requests nothing', async () => {
    await using report = await open('report.html');
    const { page } = report;
    await page.getByRole('heading', { name: 'Run failed' }).waitFor();
    await page.getByText('Success claimed after an error').first().waitFor();
    await openSession(page, 'refund.json');
    await page.getByText('Yes please, to the same card.').waitFor();
    for (const [tab, text] of [
      ['Problems', 'Failed call repeated unchanged'],
      ['Metrics', 'agent_reliability'],
      ['Timeline', 'refund_order'],
      ['Run', 'none (rules only)'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').getByText(text).first().waitFor();
    }
    await page.getByRole('button', { name: 'All Sessions' }).click();
    await page.getByRole('heading', { name: 'Run failed' }).waitFor();
  });

  it('finds and filters turns, and copies the line of evidence', async () => {
    await using report = await open('report.html', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = report;
    await openSession(page, 'refund.json');
    await page.getByPlaceholder('Find').fill('same card');
    await page.getByText('1 of 1').or(page.getByText('1 result')).first().waitFor();
    await page.getByRole('button', { name: 'Problems Only' }).click();
    await page.getByText('1 of 3 turns').waitFor();
    await page.getByRole('button', { name: 'the failed call' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^refund\.json:\d+$/);
  });

  it('has no button that needs the editor', async () => {
    await using report = await open('report.html');
    await openSession(report.page, 'refund.json');
    for (const name of [
      'Suppress',
      'Severity',
      'Add to Tests',
      'Choose Judge',
      'Evaluate Again',
      'Keep Open',
      'Show Prompt',
    ]) {
      expect(await report.page.getByRole('button', { name }).count(), name).toBe(0);
    }
  });

  it('leads to a turn by the keyboard alone', async () => {
    await using report = await open('report.html');
    const { page } = report;
    const row = page.getByRole('row').filter({ hasText: 'refund.json' });
    await row.waitFor();
    await row.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Transcript' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect.poll(() => page.locator('article:focus').count()).toBe(1);
  });

  it('opens at the session and the turn of its address', async () => {
    await using report = await open('report.html', {}, '#session=refund&turn=3');
    await expect.poll(() => report.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-3');
  });

  it('keeps hostile text of a trace inert', async () => {
    await using report = await open('report.html');
    await openSession(report.page, 'hostile.json');
    await report.page.getByText('document.title').first().waitFor();
    expect(await report.page.title()).toMatch(/^Turnwise: /);
    expect(await report.page.locator('#report :is(img, script, a, iframe, style, link)').count()).toBe(0);
  });

  it.each([
    ['light', 1200],
    ['light', 400],
    ['dark', 1200],
    ['dark', 400],
  ] as const)('is accessible in %s at %i pixels', async (colorScheme, width) => {
    await using report = await open('report.html', { colorScheme, viewport: { width, height: 800 } });
    const { page } = report;
    await page.getByRole('row').filter({ hasText: 'refund.json' }).waitFor();
    expect(await violations(page)).toEqual([]);
    const isWider = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(isWider)).toBe(false);
    await openSession(page, 'refund.json');
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(isWider)).toBe(false);
  });

  it('offers nothing that a page cannot do where it has no session, and calls no run with an error passed', async () => {
    await using cut = await open('cut.html');
    await cut.page.getByText('cut.json:1').waitFor();
    expect(await cut.page.getByRole('button').count()).toBe(0);
    expect(await cut.page.getByText('No session has results yet').count()).toBe(0);
    await using partly = await open('partly.html');
    await partly.page.getByRole('heading', { name: 'Run ended with 1 error' }).waitFor();
    await partly.page.getByRole('row').filter({ hasText: 'loop.json' }).waitFor();
  });

  it('shows the evidence where the run was not recorded, and how to get more', async () => {
    await using report = await open('evidence.html');
    const { page } = report;
    await page.getByText('This run was not recorded: sessions show their problems and evidence only.').waitFor();
    await page.getByText('turnwise eval … --report html=FILE', { exact: true }).waitFor();
    expect(await page.getByText('--with-transcripts').count()).toBe(0);
    await openSession(page, 'refund.json');
    await page.getByText('Success claimed after an error').first().waitFor();
    await page.getByText('The report has no transcripts.').first().waitFor();
  });
});
