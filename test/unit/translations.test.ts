import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Strings by key. One with a comment for translators is an object. */
async function read(file: string): Promise<Readonly<Record<string, string>>> {
  const strings: Record<string, string | { message: string }> = JSON.parse(await readFile(join(ROOT, file), 'utf8'));
  return Object.fromEntries(
    Object.entries(strings).map(([key, text]) => [key, typeof text === 'string' ? text : text.message]),
  );
}

/** What a translation has to keep: placeholders, names in code and targets of links. */
function fixedParts(text: string): readonly string[] {
  return (text.match(/\{\d+\}|`[^`]+`|\]\([^)]+\)|\n|…$/gm) ?? []).toSorted();
}

describe.each([
  ['l10n/bundle.l10n.json', 'l10n/bundle.l10n.de.json'],
  ['package.nls.json', 'package.nls.de.json'],
])('the German translation of %s', (english, german) => {
  it('has every string, and no others', async () => {
    expect(Object.keys(await read(german))).toEqual(Object.keys(await read(english)));
  });

  it('keeps placeholders, links and spaces at both ends', async () => {
    const translations = await read(german);
    for (const [key, text] of Object.entries(await read(english))) {
      const translation = translations[key] ?? '';
      expect(fixedParts(translation), key).toEqual(fixedParts(text));
      expect(translation.match(/^\s*|\s*$/g), key).toEqual(text.match(/^\s*|\s*$/g));
    }
  });

  it('translates all sentences', async () => {
    const translations = Object.entries(await read(german));
    const source = await read(english);
    const unchanged = translations.filter(
      ([key, text]) => text === source[key] && (text.match(/\p{L}{2,}/gu) ?? []).length > 2,
    );
    expect(translations.length).toBeGreaterThan(100);
    expect(unchanged).toEqual([]);
  });
});
