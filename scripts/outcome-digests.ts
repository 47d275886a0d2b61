/**
 * `npm run outcomes`: stores what each metric and rule gives on the sample traces (`test/fixtures/outcome-digests.json`). Refuses
 * where something changed without another version: runs before and after it would be compared as if nothing had happened.
 */
import { readFile, writeFile } from 'node:fs/promises';
import {
  DIGESTS_FILE,
  type OutcomeDigests,
  outcomeDigests,
  unversionedChanges,
} from '../test/support/outcome-digests.ts';

const before: OutcomeDigests | null = await readFile(DIGESTS_FILE, 'utf8').then(JSON.parse, () => null);
const now = await outcomeDigests();
const changes = before && before.traces === now.traces ? unversionedChanges(before, now) : [];
if (changes.length > 0) {
  console.error(changes.join('\n'));
  process.exitCode = 1;
} else {
  await writeFile(DIGESTS_FILE, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`Written to ${DIGESTS_FILE}.`);
  if (before && before.traces !== now.traces) {
    console.log('The sample traces changed: change metrics and rules in another commit, where it shows.');
  }
}
