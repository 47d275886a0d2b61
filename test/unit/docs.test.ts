import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rulePages } from '../../scripts/rule-pages.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'rules');

it('has the pages that the rules would write today, and no others: `npm run docs` writes them', async () => {
  const pages = rulePages();
  expect((await readdir(FOLDER)).sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages) expect(await readFile(join(FOLDER, name), 'utf8'), name).toBe(text);
});
