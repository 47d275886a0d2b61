import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prompt } from '../../src/protocol/panel.ts';
import { turns } from '../../src/protocol/turn-rows.ts';
import type { ThemeKind } from '../../webview/recording.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { evaluateReport } from './evaluated-report.ts';
import {
  failingTurn,
  NO_FACETS,
  NO_REPORT,
  type Parts,
  quote,
  recording,
  sampleReport,
  score,
  session,
  signalsOf,
  turn,
} from './recording.ts';
import { call, model } from './steps.ts';

/** After the first, which pages are opened in. */
const OTHER_THEMES: readonly ThemeKind[] = ['dark', 'hc-light', 'hc-dark'];
/** The rules of axe whose findings depend on the theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

let app: Standalone;
let refund: Parts;
beforeAll(async () => {
  [app, refund] = await Promise.all([standalone(), evaluateReport('samples/refund-claimed-after-error.json')]);
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Axe violations, each with its element. @param rules all by default. */
async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.addScriptTag({ content: axe.source });
  const options = { preload: false, resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Violation[]>(run);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html.slice(0, 200)}\n${failureSummary}`),
  );
}

/** Checks what is shown, in all themes. */
async function isForAll({ page, setTheme }: OpenReport): Promise<void> {
  expect(await findings(page)).toEqual([]);
  for (const theme of OTHER_THEMES) {
    await setTheme(theme);
    expect(await findings(page, COLOR_RULES), theme).toEqual([]);
  }
  await setTheme('light');
}

const signal = {
  metric: 'confidence',
  question: null,
  scale: [0, 1],
  threshold: 0.5,
  lowerIsBetter: false,
  values: [0.9, 0.4, 0.6],
} as const;
const input = { judge: null, questions: ['a'], tokens: 1, times: 1, system: 's', parts: ['p'], schema: '{}' };
const helper = { type: 'agent', index: 3, durationMs: 10, name: 'helper', turns: 1, calls: 1 } as const;
const prompted = {
  method: prompt.method,
  params: { session, turn: 0, metric: 'task_completion' },
  result: { calls: [input], sentences: [] },
};
const full = {
  ...failingTurn(0, {}, { severity: 'low', feedback: { value: 'down', note: 'Not so.', at: null } }),
  steps: [
    model(0, 'Let me look.', 'I think.'),
    call(1),
    call(2, { outcome: 'error', error: quote('It failed.', '/e') }),
    { ...helper, target: quote('', '/a').target },
  ],
  output: quote('**Done**, see https://example.com.\n\n- one\n- two\n\n```\ncode\n```', '/o'),
  scores: [score('task_completion', 0.2, { hasPrompt: true }), score('vacuous', 1, { status: 'vacuous' })],
  unscored: (['error', 'cancelled', 'needs_judge', 'needs_embedder', 'needs_reference', 'not_applicable'] as const).map(
    (status) => ({ status, metrics: 1, reasons: [{ reason: 'It said 503.', metrics: ['helpfulness'] }] }),
  ),
  feedback: { value: 'up', note: 'Yes.', at: null },
} as const;

/** A report with one of everything. */
const everything = recording(
  sampleReport(
    [full, turn(1, { steps: Array.from({ length: 60 }, (_, index) => call(index)) }), turn(2)],
    { state: 'stale', facets: { ...NO_FACETS, labels: [{ name: 'wrong tool', turns: 1 }] } },
    [
      signalsOf([signal]),
      { method: turns.method, params: { session, path: [{ turn: 0, step: 3 }] }, rows: [turn(0)] },
      prompted,
    ],
  ),
);

/** A long session with two evaluated turns. */
const running = sampleReport(
  Array.from({ length: 400 }, (_, index) => (index > 1 ? turn(index, { waiting: true }) : failingTurn(index))),
  { turnsDone: 2, verdict: 'failed', risk: null, riskReason: 'Not all turns are evaluated.' },
);
const broken = recording(sampleReport([turn(0)])).filter(({ method }) => method !== turns.method);
const unread = recording(sampleReport([turn(0, { unread: true })], { state: 'stale' }));

describe.each([400, 1200])('no accessibility violations in any theme at %i px', (width) => {
  // A transition of colours would be measured half-way.
  const options = { viewport: { width, height: 900 }, bypassCSP: true, reducedMotion: 'reduce' } as const;

  it('in every tab of a real report', async () => {
    await using open = await app.open(recording(refund), options);
    const { page } = open;
    await page.getByText('Yes please, to the same card.').waitFor();
    await isForAll(open);
    for (const tab of ['Problems', 'Metrics', 'Run']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).getByRole('heading').first().waitFor();
      await isForAll(open);
    }
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('treegrid').getByText('refund_order').first().waitFor();
    await isForAll(open);
  });

  it('in a report with one of everything, expanded and selected', async () => {
    await using open = await app.open(everything, options);
    const { page } = open;
    await page.getByText('Answer 3').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: /^task_completion/ }).click();
    await page.locator('.more-scores').first().click();
    await page.getByRole('button', { name: 'Show 40 more steps' }).click();
    await page.getByRole('button', { name: 'Edit Note' }).first().click();
    await page.getByRole('textbox', { name: 'Note on' }).waitFor();
    await page.getByRole('textbox', { name: 'Find in transcript' }).fill('look');
    await isForAll(open);
    await page.getByRole('button', { name: 'Show Prompt' }).click();
    await page.getByRole('dialog').getByText('System').waitFor();
    await isForAll(open);
  });

  it('with the filter, menu, shortcuts and chart table open', async () => {
    await using open = await app.open(everything, options);
    const { page } = open;
    await page.getByText('Answer 3').waitFor();
    await page.keyboard.press('f');
    await page.getByRole('combobox', { name: 'Filter by problem' }).selectOption('wrong tool');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await isForAll(open);
    await page.getByRole('button', { name: 'Show Keyboard Shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard Shortcuts' }).waitFor();
    await isForAll(open);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Metrics' }).click();
    await page.getByRole('button', { name: 'As Table' }).click();
    await isForAll(open);
  });

  it('while results arrive, and afterwards', async () => {
    await using open = await app.open(recording(running), options);
    const { page } = open;
    await page.getByText('Answer 2').waitFor();
    await isForAll(open);
    const done = { ...running.header, turnsDone: null };
    await open.change(recording({ ...running, header: done }));
    await page.getByText('Evaluation finished').waitFor();
    await isForAll(open);
  });

  it.each([
    ['nothing to show', NO_REPORT, 'No results for this session'],
    ['no report to be had', [], 'The report could not be loaded'],
    ['no turns', recording(sampleReport([])), 'This session has no turns.'],
    ['turns that cannot be had', broken, 'This was not recorded.'],
    ['turns that cannot be read again', unread, 'The file changed after the evaluation'],
  ])('when there is %s', async (_, log, sentence) => {
    await using open = await app.open(log, options);
    await open.page.getByText(sentence).first().waitFor();
    await isForAll(open);
  });
});
