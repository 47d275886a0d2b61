import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPageContext, metricContents, metricFrames, withFrame } from '../../scripts/metric-pages.ts';
import { rulePages } from '../../scripts/rule-pages.ts';
import { METRICS } from '../../src/metrics/index.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const RULES = join(DOCS, 'rules');
const METRIC_PAGES = join(DOCS, 'metrics');

it('has an up-to-date page for each rule and no others (run `npm run docs`)', async () => {
  const pages = rulePages();
  expect((await readdir(RULES)).sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages) expect(await readFile(join(RULES, name), 'utf8'), name).toBe(text);
});

const HEADINGS = [
  '## How it is scored',
  '## What failing looks like',
  '## When it does not apply',
  '## Limitations',
  '## Interpreting the result',
];

describe('metric pages', () => {
  it('are one for each metric and a table of contents', async () => {
    const expected = ['README.md', ...METRICS.map(({ name }) => `${name}.md`)];
    expect((await readdir(METRIC_PAGES)).sort()).toEqual(expected.sort());
    expect(await readFile(join(METRIC_PAGES, 'README.md'), 'utf8')).toBe(metricContents());
  });

  it('begin with an up-to-date frame (run `npm run docs`)', async () => {
    const frames = await metricFrames(await loadPageContext(DOCS));
    for (const [page, text] of await pages()) {
      expect(text, page).toBe(withFrame(text, frames.get(page) ?? 'No such metric.'));
    }
  });

  it('describe scoring, failures, when the metric does not apply, limitations and interpretation', async () => {
    for (const [page, text] of await pages()) {
      const headings = text.split('\n').filter((line) => line.startsWith('## '));
      expect({ page, headings }).toEqual({ page, headings: HEADINGS });
      for (const body of text.split(/^## .*$/m).slice(1)) expect(body.trim().length, page).toBeGreaterThan(40);
    }
  });
});

/** The pages by metric name. */
async function pages(): Promise<readonly (readonly [string, string])[]> {
  const files = (await readdir(METRIC_PAGES)).filter((file) => file !== 'README.md');
  return Promise.all(
    files.map(async (file) => [file.replace(/\.md$/, ''), await readFile(join(METRIC_PAGES, file), 'utf8')] as const),
  );
}
