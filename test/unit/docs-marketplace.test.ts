import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shippedFiles } from '../../scripts/shipped-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const page = await readFile(join(ROOT, 'MARKETPLACE.md'), 'utf8');

it('shows pictures and links pages that are in the package', async () => {
  const targets = Array.from(page.matchAll(/!?\[[^\]]*\]\(([^)]+)\)/g), ([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(4);
  expect(page).toMatch(/^!\[/m);
  const shipped = await shippedFiles(ROOT);
  expect(targets.filter((target) => !shipped.includes(target))).toEqual([]);
});

it('asks for nothing that only a checkout has', () => {
  expect(page).not.toMatch(/npm (ci|run|start|install)|scripts\//);
});
