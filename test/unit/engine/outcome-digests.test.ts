import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  DIGESTS_FILE,
  type OutcomeDigests,
  outcomeDigests,
  unversionedChanges,
} from '../../support/outcome-digests.ts';

const STORED: OutcomeDigests = JSON.parse(await readFile(DIGESTS_FILE, 'utf8'));

describe('what metrics and rules give on the sample traces', () => {
  it('is what is stored for their versions; `npm run outcomes` stores another version', {
    timeout: 60_000,
  }, async () => {
    const now = await outcomeDigests();
    if (now.traces === STORED.traces) expect(unversionedChanges(STORED, now)).toEqual([]);
    expect(now).toEqual(STORED);
  });

  const { metrics, rules } = STORED;
  const changed = { digest: 'another' };

  it.each<[string, Partial<OutcomeDigests>, readonly string[]]>([
    ['nothing', {}, []],
    [
      'a metric',
      { metrics: { ...metrics, coherence: { version: 1, ...changed } } },
      ['The results of coherence on the samples changed: raise its version.'],
    ],
    ['a metric and its version', { metrics: { ...metrics, coherence: { version: 2, ...changed } } }, []],
    [
      'a metric with one that uses it, and its version',
      { metrics: { ...metrics, coherence: { version: 2, ...changed }, agent_reliability: { version: 1, ...changed } } },
      [],
    ],
    [
      'a rule',
      { rules: { ...rules, 'repeated-call': { version: 1, ...changed } } },
      ['The rule repeated-call finds something else on the samples: raise its version.'],
    ],
    [
      'a rule with its version, and what is scored by it',
      {
        rules: { ...rules, 'repeated-call': { version: 2, ...changed } },
        metrics: { ...metrics, coherence: { version: 1, ...changed } },
        verdicts: { version: 1, ...changed },
      },
      [],
    ],
    [
      'only verdicts',
      { verdicts: { version: 1, ...changed } },
      ['Outcomes or verdicts of the samples changed: raise VERDICT_VERSION.'],
    ],
  ])('demands another version where %s changed', (_, change, sentences) => {
    expect(unversionedChanges(STORED, { ...STORED, ...change })).toEqual(sentences);
  });
});
