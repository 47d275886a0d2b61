import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPageContext, metricContents, metricFrames, withFrame } from '../../scripts/metric-pages.ts';
import { rulePages } from '../../scripts/rule-pages.ts';
import { METRICS } from '../../src/metrics/index.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const RULES = join(DOCS, 'rules');
const METRIC_PAGES = join(DOCS, 'metrics');

it('has the pages that the rules would write today, and no others: `npm run docs` writes them', async () => {
  const pages = rulePages();
  expect((await readdir(RULES)).sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages) expect(await readFile(join(RULES, name), 'utf8'), name).toBe(text);
});

const HEADINGS = [
  '## How it is scored',
  '## What failing looks like',
  '## When there is nothing to judge',
  '## Where it goes wrong',
  '## Reading the result',
];

describe('the pages of the metrics', () => {
  it('are one for each metric, and a table of contents', async () => {
    const expected = ['README.md', ...METRICS.map(({ name }) => `${name}.md`)];
    expect((await readdir(METRIC_PAGES)).sort()).toEqual(expected.sort());
    expect(await readFile(join(METRIC_PAGES, 'README.md'), 'utf8')).toBe(metricContents());
  });

  it('begin with what the metrics say of themselves today: `npm run docs` writes it', async () => {
    const frames = await metricFrames(await loadPageContext(DOCS));
    for (const [page, text] of await pages()) {
      expect(text, page).toBe(withFrame(text, frames.get(page) ?? 'There is no such metric.'));
    }
  });

  it('go on with how it is scored, how it fails, when it does not apply, what is wrong with it, and what to do', async () => {
    for (const [page, text] of await pages()) {
      const headings = text.split('\n').filter((line) => line.startsWith('## '));
      expect({ page, headings }).toEqual({ page, headings: HEADINGS });
      for (const body of text.split(/^## .*$/m).slice(1)) expect(body.trim().length, page).toBeGreaterThan(40);
    }
  });
});

/** Those that there are, by the names of the metrics. */
async function pages(): Promise<readonly (readonly [string, string])[]> {
  const files = (await readdir(METRIC_PAGES)).filter((file) => file !== 'README.md');
  return Promise.all(
    files.map(async (file) => [file.replace(/\.md$/, ''), await readFile(join(METRIC_PAGES, file), 'utf8')] as const),
  );
}
