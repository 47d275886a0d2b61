import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunsScope } from '../../src/protocol/runs.ts';
import type { ThemeKind } from '../../webview/recording.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { AGREEMENT, LABELS, LabelServer, labelState, resultToLabel } from './labels-fixture.ts';
import { answerRuns, compared, comparedThree } from './runs-fixture.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');
const THEMES: readonly ThemeKind[] = ['light', 'dark', 'hc-light', 'hc-dark'];
const WIDTHS = [400, 1200];

let app: Standalone;
beforeAll(async () => {
  await mkdir(PICTURES, { recursive: true });
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

function open(scope: RunsScope, width: number, answers: Parameters<typeof answerRuns>[0] = {}): Promise<OpenReport> {
  return openWith(scope, width, answerRuns(answers));
}

function openWith(scope: RunsScope, width: number, answer: ReturnType<typeof answerRuns>): Promise<OpenReport> {
  return app.open([], {
    page: 'runs',
    scope,
    viewport: { width, height: 900 },
    // Axe is added as an inline script.
    bypassCSP: true,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    answer,
  });
}

/** A picture per theme, each without violations of accessibility and without a scroll bar below. */
async function picture({ page, setTheme }: OpenReport, name: string, width: number): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.addScriptTag({ content: axe.source });
  for (const theme of THEMES) {
    await setTheme(theme);
    await page.screenshot({ path: join(PICTURES, `runs-${name}-${theme}-${width}.png`) });
    const violations = await page.evaluate<unknown>(
      'axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
    );
    expect(violations, `${name} ${theme}`).toEqual([]);
  }
  await setTheme('light');
  const [whole, seen] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
  expect(whole, name).toBe(seen);
}

const TWO: RunsScope = { show: 'comparison', runs: ['r1', 'r2'] };

describe.each(WIDTHS)('pages about runs fit at %i px and are accessible', (width) => {
  it('in every tab of a comparison, and beside each other', async () => {
    await using openPage = await open(TWO, width);
    const { page } = openPage;
    await page.getByText('refund order 1').first().waitFor();
    await picture(openPage, 'flips', width);
    for (const [tab, text] of [
      ['Metrics', 'lower is better'],
      ['Judge Noise', 'The judge changed its mind'],
      ['Not in All', 'exchange item'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText(text).first().waitFor();
      await picture(openPage, tab.toLowerCase().replaceAll(' ', '-'), width);
    }
    await page.getByRole('tab', { name: 'Changed Sessions' }).click();
    await page.getByText('refund order 1').first().click();
    await page.getByText('Diverges here').waitFor();
    await picture(openPage, 'transcripts', width);
  });

  it('in a ranking of three agents', async () => {
    const three = { compared: comparedThree() };
    await using openPage = await open({ show: 'comparison', runs: ['r1', 'r2', 'r3'] }, width, three);
    await openPage.page.getByText('place 1–2').first().waitFor();
    await picture(openPage, 'ranking', width);
  });

  it('in a comparison that says nothing', async () => {
    const { comparison } = compared();
    const nothing = compared({
      comparison: {
        ...comparison,
        flips: [],
        metrics: {},
        noise: null,
        onlyIn: [],
        pairing: { tasks: 0, sessions: 0, renamed: [], changed: [] },
        comparability: [
          {
            code: 'no-shared-task',
            run: 1,
            withholds: 'all',
            reason: 'The runs have no task in common.',
            remedy: 'Evaluate the same tasks in both.',
          },
        ],
      },
      headline: {
        conclusion: 'not comparable',
        metric: null,
        text: 'The runs have no task in common.',
        next: 'Evaluate the same tasks in both.',
      },
    });
    await using openPage = await open(TWO, width, { compared: nothing });
    await openPage.page.getByText('Not comparable.').first().waitFor();
    await picture(openPage, 'not-comparable', width);
  });

  it('in a trend, as a chart and as a table', async () => {
    await using openPage = await open({ show: 'trend', run: 'r8' }, width);
    const { page } = openPage;
    await page.getByText('Least reliable tasks').first().waitFor();
    await picture(openPage, 'trend', width);
    await page.screenshot({ path: join(PICTURES, `runs-trend-whole-${width}.png`), fullPage: true });
    await page.getByRole('button', { name: 'Show Table' }).first().click();
    await page.getByRole('region', { name: 'Trend as a table' }).waitFor();
    await picture(openPage, 'trend-table', width);
  });

  it('in results to label, before and after the label, and with figures', async () => {
    const long = 'traces/returns/2026-11-20/session-with-a-very-long-name-of-its-own.jsonl';
    const results = [resultToLabel(1), resultToLabel(2, { file: long, session: `conv_${'0123456789'.repeat(6)}` })];
    const server = new LabelServer(results);
    await using openPage = await openWith(LABELS, width, server.answer);
    const { page } = openPage;
    await page.getByText('Please refund order CL-1:').waitFor();
    await picture(openPage, 'labels', width);
    await page.getByRole('button', { name: 'Fail', exact: true }).click();
    await page.getByText('You disagree').waitFor();
    await picture(openPage, 'labels-given', width);
    await page.keyboard.press('z');
    await page.getByText('The label was taken back').waitFor();
    await picture(openPage, 'labels-undone', width);
    server.state = labelState({ heldOut: 52, missing: 0, more: 0, agreement: AGREEMENT });
    await openPage.tell({ event: 'changed', turns: null });
    await page.getByText('2 disagreements').waitFor();
    await picture(openPage, 'labels-enough', width);
    await page.screenshot({ path: join(PICTURES, `runs-labels-whole-${width}.png`), fullPage: true });
  });

  it('in a run whose results all have labels', async () => {
    const server = new LabelServer([], labelState({ results: 18 }));
    await using openPage = await openWith(LABELS, width, server.answer);
    await openPage.page.getByText('All 18 results').waitFor();
    await picture(openPage, 'labels-none', width);
  });
});
