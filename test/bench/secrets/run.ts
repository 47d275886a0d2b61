/**
 * `npm run bench:secrets`: how many secrets are redacted, by the parts of the corpus and, for development, by kind and place;
 * what is redacted in the public data, and how long it takes.
 */
import { join } from 'node:path';
import { findSecrets, redactSecrets } from '../../../src/core/secrets.ts';
import { sharedDataFolder } from '../../support/shared-data.ts';
import { textsIn } from '../../support/texts-in.ts';
import { SECRET_KINDS } from './kinds.ts';
import { SECRET_PLACES } from './places.ts';
import { isLeaked, measureRecall, PARTS, recallCases } from './recall.ts';
import { SET_ASIDE_KINDS, SET_ASIDE_PLACES } from './split.ts';

const DRAWS = 3;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const count = (number: number) => number.toLocaleString('en-US');

const recall = measureRecall(redactSecrets, DRAWS);
console.log(
  `${Object.keys(SECRET_KINDS).length} kinds (${SET_ASIDE_KINDS.size} set aside) in ${Object.keys(SECRET_PLACES).length} places (${SET_ASIDE_PLACES.size} set aside), drawn ${DRAWS} times\n`,
);
console.log('| part | texts | redacted |\n|---|---:|---:|');
for (const part of PARTS) {
  const { cases, redacted } = recall[part];
  console.log(`| ${part} | ${count(cases)} | ${percent(redacted / cases)} |`);
}

const misses = new Map<string, number>();
for (const sample of recallCases(DRAWS)) {
  if (sample.part !== 'development' || !isLeaked(redactSecrets(sample.text), sample)) continue;
  misses.set(sample.kind, (misses.get(sample.kind) ?? 0) + 1);
}
const worst = [...misses].toSorted((a, b) => b[1] - a[1]).slice(0, 8);
console.log(`\nMost often missed in development: ${worst.map(([kind, number]) => `${kind} (${number})`).join(', ')}`);

const folders = [sharedDataFolder(), join(import.meta.dirname, '..', '..', '..', 'samples')];
for (const folder of folders.filter((path) => path !== null)) {
  const texts = [...textsIn(folder)].map(({ text }) => text);
  const found = texts.reduce((sum, text) => sum + findSecrets(text).length, 0);
  const before = performance.now();
  for (const text of texts) redactSecrets(text);
  const ms = performance.now() - before;
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  console.log(
    `\n${folder}: ${count(found)} redactions in ${count(texts.length)} texts of ${megabytes.toFixed(1)} MB, ${(megabytes / (ms / 1000)).toFixed(0)} MB/s`,
  );
}
