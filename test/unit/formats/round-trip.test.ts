import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type EvaluatedFiles, evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { getString } from '../../../src/core/json.ts';
import type { Session } from '../../../src/core/session.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import { nativeChunks } from '../../../src/reports/native.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Whatever the format, a session converted to Turnwise's own is the same session. */

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const FILES = ['formats', 'sdk-generated'].flatMap((folder) =>
  readdirSync(join(FIXTURES, folder))
    .filter((name) => !name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);

/** Everything that can be measured, also what has to be asked for. */
const EVERYTHING = {
  metrics: Object.fromEntries(
    METRICS.map(({ name }) => [name, { enabled: true, ...(name === 'agentic' ? { k: 2 } : {}) }]),
  ),
};

/** Where something stands, which is all that a conversion changes. */
const PLACES: ReadonlySet<string> = new Set([
  ...['pointer', 'inputPointer', 'outputPointer', 'resultPointer', 'file'],
  ...['goalPointer', 'systemPointer', 'knowledgePointer', 'expectedIn', 'expectationFiles'],
]);
const PLACES_IN_REPORTS: ReadonlySet<string> = new Set([
  ...['pointer', 'file', 'line', 'column', 'endLine', 'endColumn', 'traceFiles', 'calls', 'expectations'],
]);

function without(places: ReadonlySet<string>, value: unknown): unknown {
  const isPlace = (key: string, inner: unknown) =>
    places.has(key) || (key === 'source' && getString(inner, 'format') !== undefined);
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (isPlace(key, inner) ? undefined : inner)));
}

function resultsOf({ report }: EvaluatedFiles): unknown {
  const { verdict, metrics, gates, sessions, scenarios, attempts, failures, observations, suppressed } = report;
  const compared = { verdict, metrics, gates, sessions, scenarios, attempts, failures, observations, suppressed };
  return without(PLACES_IN_REPORTS, compared);
}

async function converted(sessions: readonly Session[]): Promise<EvaluatedFiles> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'converted.json');
  await writeFile(file, [...nativeChunks(sessions)].join(''));
  return await evaluateFiles([file], EVERYTHING);
}

async function expectSameOnceConverted(paths: readonly string[]): Promise<void> {
  const before = await evaluateFiles(paths, EVERYTHING);
  expect(before.sessions).not.toEqual([]);
  const after = await converted(before.sessions);
  expect(after.report.problems).toEqual([]);
  expect(without(PLACES, after.sessions)).toEqual(without(PLACES, before.sessions));
  expect(resultsOf(after)).toEqual(resultsOf(before));
}

it.each(FILES)('%s', async (file) => {
  await expectSameOnceConverted([join(FIXTURES, file)]);
});

it('sessions of several files, and cases with their runs', async () => {
  const files = ['conv.evalset.json', 'conv.session.json', 'pandaprobe-trace.json', 'pandaprobe-traces.json'];
  await expectSameOnceConverted(files.map((file) => join(FIXTURES, 'formats', file)));
});
