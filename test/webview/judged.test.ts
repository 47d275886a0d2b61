import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS } from '../../src/metrics/index.ts';
import { error } from '../support/stub-models.ts';
import { type Standalone, standalone } from './app.ts';
import { ALL_METRICS, judgedReport } from './judged-report.ts';
import { type Parts, recording } from './recording.ts';

let app: Standalone;
let parts: Parts;
let outage: Parts;
beforeAll(async () => {
  const asked = { samples: 3, price: { input: 1, output: 4 } };
  app = await standalone();
  parts = await judgedReport({ ...ALL_METRICS, judge: asked });
  outage = await judgedReport(ALL_METRICS, () => error(500, 'The model is overloaded.'));
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

async function opened(log: Parts) {
  const open = await app.open(recording(log), { viewport: { width: 1200, height: 1000 } });
  await open.page.locator('#turn-1').waitFor();
  return open;
}

/** What is said of a turn, with all of it open. */
async function saidOf(page: Page, turn: number): Promise<Locator> {
  const said = page.getByRole('complementary', { name: `Scores of turn ${turn}` });
  await said.scrollIntoViewIfNeeded();
  const closed = said.locator('button[aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
  return said;
}

/** A score with its details. */
function scoreOf(said: Locator, metric: string): Locator {
  return said.locator('li.score').filter({ has: said.page().getByText(metric, { exact: true }) });
}

/** What is no sentence: a value as a program writes it, or a word that stands for one. */
const RAW = /\[object |undefined|\bNaN\b|\bnull\b|[{}]|needs_judge|not_applicable/;

describe('what a judge found', () => {
  it('is each failure at its turn, with its severity and its reason, and what it cites is marked', async () => {
    await using open = await opened(parts);
    const said = await saidOf(open.page, 3);
    const failure = said.getByRole('list', { name: 'Problems' }).getByRole('listitem').first();
    await failure.getByText('false information').waitFor();
    await failure.getByText('critical').waitFor();
    expect(await failure.getByRole('button', { name: 'rule', exact: true }).count()).toBe(0);
    await failure.getByText('found by a judge: agent_behavior_failure').waitFor();
    await failure.getByRole('button', { name: 'Show Prompt' }).click();
    const dialog = open.page.getByRole('dialog');
    await dialog.getByText('Prompt of agent_behavior_failure for turn 3').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await failure.getByRole('button', { name: /The answer says “within two weeks”/ }).click();
    const marked = open.page.locator('#turn-3 mark.chosen');
    await marked.first().waitFor();
    expect((await marked.allTextContents()).join('')).toBe('within two weeks');
  });

  it('is of each score where it comes from, what several answers came to, and what is proven', async () => {
    await using open = await opened(parts);
    const said = await saidOf(open.page, 2);
    const shown = async (metric: string, sentence: string | RegExp) =>
      scoreOf(said, metric).getByText(sentence).first().waitFor();
    await shown('helpfulness', 'given by a judge: openai/judge-1');
    await shown('helpfulness', 'Asked 3 times: always 1.00.');
    await shown('final_response_match_v2', 'Asked 5 times: always valid.');
    await shown('rubric_based_final_response_quality_v1', 'Asked 3 times: amount always yes; polite always no.');
    await shown('tool_correctness', /Judge score 0\.90, limited to 0\.\d\d by proven findings\./);
    await shown('names_the_card', 'judged by a rubric of your configuration: openai/judge-1');
    await shown('mood', 'Asked 3 times: always warm.');
    await shown('brevity', 'computed by a function of your configuration');
    await shown('brevity', 'Counted in characters.');
    await shown('response_match_score', 'compared with the reference');
    await shown('loop_detection', 'compared by an embedder');
  });

  it('is said in words alone, wherever one looks', async () => {
    await using open = await opened(parts);
    const { page } = open;
    const seen = new Set<string>();
    for (const turn of [1, 2, 3]) {
      const said = await saidOf(page, turn);
      for (const name of await said.locator('.metric').allTextContents()) seen.add(name);
      expect(await said.innerText()).not.toMatch(RAW);
    }
    for (const tab of ['Problems', 'Metrics', 'Run']) {
      await page.getByRole('tab', { name: tab }).click();
      const panel = page.getByRole('tabpanel', { name: tab });
      await panel.getByRole('heading').first().waitFor();
      for (const name of await panel.locator('.metric').allTextContents()) seen.add(name);
      expect(await panel.innerText()).not.toMatch(RAW);
    }
    const asked = METRICS.filter((metric) => metric.usesJudge).map(({ name }) => name);
    // Its claims stand nowhere: that is told, and no score.
    const scored = asked.filter((name) => name !== 'source_attribution');
    expect([...seen]).toEqual(expect.arrayContaining([...scored, 'names_the_card', 'mood', 'keeps_promises']));
    const summary = page.getByRole('region', { name: 'Verdict' });
    await summary.getByText(/\d+ calls/).waitFor();
    await summary.getByText(/^cost 0\.\d\d$/).waitFor();
  });
});

describe('a judge that does not answer', () => {
  it('leaves the verdict open, with the reason at the head, and gives no score', async () => {
    await using open = await opened(outage);
    const { page } = open;
    const summary = page.getByRole('region', { name: 'Verdict' });
    await summary.getByText('undecided', { exact: true }).waitFor();
    await summary.getByText(/questions got no answer: .*500: The model is overloaded/).waitFor();
    const said = await saidOf(page, 1);
    const without = said.getByRole('list', { name: 'Metrics without a score' });
    await without.getByText(/metrics had a model error/).waitFor();
    await without
      .getByText(/500: The model is overloaded.*task_completion/)
      .first()
      .waitFor();
    expect(await scoreOf(said, 'task_completion').count()).toBe(0);
    expect(await said.innerText()).not.toMatch(RAW);
    await page.getByRole('tab', { name: 'Run' }).click();
    const run = page.getByRole('region', { name: 'This run' });
    await run.getByText(/questions got no answer/).waitFor();
  });
});
