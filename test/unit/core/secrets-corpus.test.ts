import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSecrets, redactSecrets } from '../../../src/core/secrets.ts';
import { isLeaked, measureRecall, PARTS, recallCases } from '../../bench/secrets/recall.ts';
import { sharedDataFolder } from '../../support/shared-data.ts';
import { textsIn } from '../../support/texts-in.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');

/** What is redacted in a folder, with the letters before it; each once. */
function redactionsIn(folder: string): string[] {
  const found = new Set<string>();
  for (const { file, text } of textsIn(folder)) {
    for (const { kind, start, end } of findSecrets(text)) {
      found.add(
        `${file.slice(folder.length)}: ${kind} after "${text.slice(start - 40, start)}", ${end - start} characters`,
      );
    }
  }
  return [...found];
}

describe('the corpus of secrets', () => {
  it('shows each secret before it is redacted', () => {
    for (const sample of recallCases(1))
      expect(isLeaked(sample.text, sample), `${sample.kind} in ${sample.place}`).toBe(true);
  });

  it('has no kind and no place that is mostly missed', () => {
    const counts = new Map<string, { cases: number; missed: number }>();
    for (const sample of recallCases(1)) {
      if (sample.part !== 'development') continue;
      const isMissed = isLeaked(redactSecrets(sample.text), sample);
      for (const name of [sample.kind, sample.place]) {
        const { cases, missed } = counts.get(name) ?? { cases: 0, missed: 0 };
        counts.set(name, { cases: cases + 1, missed: missed + Number(isMissed) });
      }
    }
    const often = [...counts].filter(([, { cases, missed }]) => missed > cases * 0.25).map(([name]) => name);
    expect(often).toEqual([]);
  });

  const recall = measureRecall(redactSecrets, 1);

  it.each(PARTS)('is redacted to 95 % at least: %s', (part) => {
    const { redacted, cases } = recall[part];
    expect(redacted / cases).toBeGreaterThan(0.95);
  });
});

describe('texts without secrets', () => {
  it.each(['samples', 'docs', 'test/fixtures', 'README.md', 'CHANGELOG.md'])('%s stays as it is', (path) => {
    expect(redactionsIn(join(REPOSITORY, path))).toEqual([]);
  });

  // Each redaction there was judged when it was found: what is left is no secret, so nothing may be redacted.
  it.skipIf(sharedDataFolder() === null)('the public data stay as they are', () => {
    expect(redactionsIn(sharedDataFolder() ?? '')).toEqual([]);
  });
});
