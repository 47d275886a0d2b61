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
  const input = { samples: 3, price: { input: 1, output: 4 } };
  app = await standalone();
  parts = await judgedReport({ ...ALL_METRICS, judge: input });
  outage = await judgedReport(ALL_METRICS, () => error(500, 'The model is overloaded.'));
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

async function openReport(log: Parts) {
  const open = await app.open(recording(log), { viewport: { width: 1200, height: 1000 } });
  await open.page.locator('#turn-1').waitFor();
  return open;
}

/** The margin of a turn, with everything expanded. */
async function expandedMargin(page: Page, turn: number): Promise<Locator> {
  const margin = page.getByRole('complementary', { name: `Scores of turn ${turn}` });
  await margin.scrollIntoViewIfNeeded();
  const closed = margin.locator('button[aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
  return margin;
}

/** A score with its details. */
function scoreOf(margin: Locator, metric: string): Locator {
  return margin.locator('li.score').filter({ has: margin.page().getByText(metric, { exact: true }) });
}

/** Raw values and identifiers that must not appear in texts. */
const RAW = /\[object |undefined|\bNaN\b|\bnull\b|[{}]|needs_judge|not_applicable/;

describe('a judged report', () => {
  it('shows each problem at its turn with severity and reason, and highlights what it cites', async () => {
    await using open = await openReport(parts);
    const margin = await expandedMargin(open.page, 3);
    const failure = margin.getByRole('list', { name: 'Problems' }).getByRole('listitem').first();
    await failure.getByText(parts.rows[2]?.problems[0]?.title ?? '').waitFor();
    await failure.getByText('Critical').waitFor();
    expect(await failure.getByRole('button', { name: 'Rule', exact: true }).count()).toBe(0);
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

  it('says in its first lines what the judge says of the task, and where it says the worst', async () => {
    await using open = await openReport(parts);
    const { judgedTasks } = parts.header;
    expect(judgedTasks?.turns).toBeGreaterThan(1);
    const figure = (value = Number.NaN) => value.toFixed(2);
    const worst = `lowest ${figure(judgedTasks?.lowest)} in turn ${(judgedTasks?.turn ?? -2) + 1}`;
    const facts = open.page.getByRole('region', { name: 'Headline' });
    await facts.getByText(`judge: task completion ${figure(judgedTasks?.mean)}, ${worst}`).waitFor();
  });

  it('shows the source of each score, the result of several samples, and proven limits', async () => {
    await using open = await openReport(parts);
    const margin = await expandedMargin(open.page, 2);
    const expectShown = async (metric: string, sentence: string | RegExp) =>
      scoreOf(margin, metric).getByText(sentence).first().waitFor();
    await expectShown('helpfulness', 'given by a judge: openai/judge-1');
    await expectShown('helpfulness', 'Asked 3 times: always 1.00.');
    await expectShown('final_response_match_v2', 'Asked 5 times: always valid.');
    await expectShown('rubric_based_final_response_quality_v1', 'Asked 3 times: amount always yes; polite always no.');
    await expectShown('tool_correctness', /Judge score 0\.90, limited to 0\.\d\d by proven findings\./);
    await expectShown('names_the_card', 'judged by a rubric of your configuration: openai/judge-1');
    await expectShown('mood', 'Asked 3 times: always warm.');
    await expectShown('brevity', 'computed by a function of your configuration');
    await expectShown('brevity', 'Counted in characters.');
    await expectShown('response_match_score', 'compared with the reference');
    await expectShown('loop_detection', 'compared by an embedder');
  });

  it('shows only plain texts, no raw values or identifiers', async () => {
    await using open = await openReport(parts);
    const { page } = open;
    const seen = new Set<string>();
    for (const turn of [1, 2, 3]) {
      const margin = await expandedMargin(page, turn);
      for (const name of await margin.locator('.metric').allTextContents()) seen.add(name);
      expect(await margin.innerText()).not.toMatch(RAW);
    }
    for (const tab of ['Problems', 'Metrics', 'Run']) {
      await page.getByRole('tab', { name: tab }).click();
      const panel = page.getByRole('tabpanel', { name: tab });
      await panel.getByRole('heading').first().waitFor();
      for (const name of await panel.locator('.metric').allTextContents()) seen.add(name);
      expect(await panel.innerText()).not.toMatch(RAW);
    }
    const input = METRICS.filter((metric) => metric.usesJudge).map(({ name }) => name);
    // The claims that the judge lists are not in the answer, so `source_attribution` has no score.
    const scored = input.filter((name) => name !== 'source_attribution');
    expect([...seen]).toEqual(expect.arrayContaining([...scored, 'names_the_card', 'mood', 'keeps_promises']));
  });
});

describe('a judge outage', () => {
  it('leaves the session undecided, says so first, and gives no score', async () => {
    await using open = await openReport(outage);
    const { page } = open;
    await page.getByRole('region', { name: 'Headline' }).getByText(outage.header.headline.text).waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    const margin = await expandedMargin(page, 1);
    const without = margin.getByRole('list', { name: 'Metrics without a score' });
    await without.getByText(/metrics had a model error/).waitFor();
    await without
      .getByText(/500: The model is overloaded.*task_completion/)
      .first()
      .waitFor();
    expect(await scoreOf(margin, 'task_completion').count()).toBe(0);
    expect(await margin.innerText()).not.toMatch(RAW);
    await page.getByRole('tab', { name: 'Run' }).click();
    const run = page.getByRole('region', { name: 'This run' });
    await run.getByText(/questions got no answer/).waitFor();
  });
});
