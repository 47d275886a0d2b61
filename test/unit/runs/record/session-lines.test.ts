import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXAMPLE_SESSION } from '../../../../src/app/example-session.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { SessionOutcome } from '../../../../src/core/session-outcome.ts';
import { decodeTranscript, SessionLineDecoder, SessionLineEncoder } from '../../../../src/runs/record/session-lines.ts';
import { exampleOutcomes } from '../../../support/example-outcomes.ts';
import { githubToken } from '../../../support/github-token.ts';
import '../../../support/properties.ts';

const [EXAMPLE] = await exampleOutcomes(1);
if (!EXAMPLE) throw new Error('There is no example.');
const OUTCOME: SessionOutcome = EXAMPLE;

function decodeAll(text: string): (SessionOutcome | null)[] {
  const decoder = new SessionLineDecoder();
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const outcome = decoder.decode(line);
    return outcome || line.startsWith('{"type":"session"') ? [outcome] : [];
  });
}

const text = fc.string({ maxLength: 80 });
const result: fc.Arbitrary<Result> = fc.record(
  {
    status: fc.constantFrom('scored', 'not_applicable', 'needs_judge', 'error'),
    score: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((score) => score + 0)),
    label: fc.option(text),
    labels: fc.array(text, { maxLength: 2 }),
    scale: fc.constantFrom([0, 1], [0, null], null),
    threshold: fc.option(fc.constant(0.5)),
    passed: fc.option(fc.boolean()),
    band: fc.option(fc.record({ name: text, meaning: text })),
    reason: fc.option(text),
    source: fc.option(fc.constantFrom('rules', 'judge')),
    judge: fc.constant('openai/gpt-5-mini'),
    failures: fc.array(fc.record({ label: text, reason: text, evidence: fc.constant([]) }), { maxLength: 1 }),
    evidence: fc.array(fc.record({ pointer: text, note: text }), { maxLength: 2 }),
    metadata: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  },
  {
    requiredKeys: [
      'status',
      'score',
      'label',
      'labels',
      'scale',
      'threshold',
      'passed',
      'band',
      'reason',
      'source',
      'evidence',
      'metadata',
    ],
  },
) as fc.Arbitrary<Result>;
const results = fc.dictionary(text, result, { maxKeys: 4 });

it('reads the outcomes that were written, with their keys in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(results, { maxLength: 4 }), { maxLength: 4 }), (sessions) => {
      const outcomes = sessions.map((turns, index) => ({
        ...OUTCOME,
        id: `s${index}`,
        metrics: turns[0] ?? {},
        turns: turns.map((metrics, at) => ({ id: `t${at}`, index: at, pointer: `/turns/${at}`, line: null, metrics })),
      }));
      const encoder = new SessionLineEncoder();
      const written = outcomes.map((outcome, index) => encoder.encode(outcome, index)).join('');
      expect(JSON.stringify(decodeAll(written))).toBe(JSON.stringify(outcomes));
    }),
    { numRuns: 100 },
  );
});

it('reads sessions that were written after the values were forgotten, as after a full disk', () => {
  const encoder = new SessionLineEncoder();
  const first = encoder.encode(OUTCOME, 0);
  encoder.reset();
  const again = encoder.encode(OUTCOME, 0);
  expect(again).toBe(first);
  expect(decodeAll(again)).toEqual([OUTCOME]);
  expect(encoder.encode(OUTCOME, 1).length).toBeLessThan(0.6 * first.length);
});

it('takes nothing for a result that a damaged line had', () => {
  const encoder = new SessionLineEncoder();
  const written = encoder.encode(OUTCOME, 0);
  encoder.reset();
  const [shared = '', session = ''] = encoder.encode({ ...OUTCOME, metrics: {} }, 1).split('\n');
  expect(decodeAll(`${written}${shared.slice(0, -9)}\n${session}\n`)).toEqual([OUTCOME, null]);
});

it.each([
  ['a torn line', (line: string) => line.slice(0, -20)],
  ['a value of another type', (line: string) => line.replace('"isRecorded":true', '"isRecorded":1')],
  ['a number that nothing has', (line: string) => line.replace(/"metrics":\[\d+/, '"metrics":[999999')],
  ['nesting without end', (line: string) => line.replace('"problems":[', `"problems":[${'['.repeat(50_000)}`)],
])('gives null for %s', (_, damage) => {
  const encoder = new SessionLineEncoder();
  const lines = encoder.encode(OUTCOME, 0).trimEnd().split('\n');
  const damaged = [...lines.slice(0, -1), damage(lines.at(-1) ?? '')];
  expect(damaged).not.toEqual(lines);
  expect(decodeAll(damaged.join('\n'))).toEqual([null]);
});

it('stores no secret of reasons, evidence and transcripts', () => {
  const secret = githubToken(1);
  const key = 'key-of-change-1234567890abcdef';
  const [problem] = OUTCOME.problems;
  const outcome = {
    ...OUTCOME,
    goal: `Use ${secret}`,
    problems: problem ? [{ ...problem, key, occurrence: { ...problem.occurrence, reason: secret } }] : [],
  };
  const written = new SessionLineEncoder().encode(outcome, 0, { ...EXAMPLE_SESSION, goal: secret });
  expect(written).not.toContain(secret);
  expect(written).toContain('[REDACTED GitHub');
  expect(decodeAll(written)[0]?.problems[0]?.key).toBe(key);
  const transcript = written.split('\n').find((line) => line.startsWith('{"type":"transcript"')) ?? '';
  expect(decodeTranscript(transcript, OUTCOME.id)?.turns).toEqual(EXAMPLE_SESSION.turns);
  expect(decodeTranscript(transcript, 'other')).toBeNull();
});
