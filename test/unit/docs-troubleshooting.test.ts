import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

it('quotes sentences that Turnwise still says', async () => {
  const page = await readFile(join(ROOT, 'docs', 'troubleshooting.md'), 'utf8');
  const sentences = Array.from(page.matchAll(/^\| `([^`]+)` \|/gm), ([, sentence = '']) => sentence);
  const files = ['package.nls.json', ...globSync('{src,webview}/**/*.{ts,tsx}', { cwd: ROOT })];
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')));
  // As they read on screen: quotes and backticks are escaped in source files.
  const lines = texts.flatMap((text) => text.replace(/\\(['"`])/g, '$1').split('\n'));
  const isSaid = (sentence: string) => lines.some((line) => hasInOrder(line, sentence.split('…')));
  expect(sentences.length).toBeGreaterThan(40);
  expect(sentences.filter((sentence) => !isSaid(sentence))).toEqual([]);
});

function hasInOrder(line: string, [first = '', ...rest]: readonly string[]): boolean {
  const at = line.indexOf(first);
  return at >= 0 && (rest.length === 0 || hasInOrder(line.slice(at + first.length), rest));
}
