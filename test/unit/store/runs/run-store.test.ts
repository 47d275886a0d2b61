import { expect, it } from 'vitest';
import type { SessionOutcome } from '../../../../src/core/session-outcome.ts';
import type { RunRecord } from '../../../../src/runs/run-store.ts';
import { openRunStore } from '../../../../src/store/runs/run-store.ts';
import { exampleOutcomes } from '../../../support/example-outcomes.ts';
import { recordedRun, sessionRow } from '../../../support/recorded-runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const OUTCOMES = await exampleOutcomes(3);
const ROWS = OUTCOMES.map(({ id }) => sessionRow({ id }));

async function sessionsOf(record: RunRecord): Promise<SessionOutcome[]> {
  const outcomes: SessionOutcome[] = [];
  for await (const outcome of record.sessions()) outcomes.push(outcome);
  return outcomes;
}

it('gives back what was recorded, in the order of the input', async () => {
  await using folder = await temporaryFolder();
  using store = openRunStore(folder.path, { cwd: folder.path, warn: (sentence) => expect.fail(sentence) });
  const { manifest } = recordedRun(ROWS);
  const writer = await store.create({ ...manifest, state: 'running', totals: null });
  const finished = [1, 0, 2].flatMap((index) =>
    OUTCOMES.slice(index, index + 1).map((outcome) => [outcome, index] as const),
  );
  await Promise.all(finished.map(([outcome, index]) => writer.session(outcome, index)));
  await writer.finish(ROWS, manifest);
  expect(writer.problem).toBeNull();
  const record = await store.find('last', manifest.project);
  expect(record.manifest).toEqual(manifest);
  expect(await record.rows()).toEqual(ROWS);
  expect(JSON.stringify(await sessionsOf(record))).toBe(JSON.stringify(OUTCOMES));
  await store.export(manifest.id, 'a.turnwise.zip');
  const copy = await store.find('./a.turnwise.zip', manifest.project);
  expect(copy.manifest).toEqual(manifest);
  expect(await copy.rows()).toEqual(ROWS);
  expect(await sessionsOf(copy)).toEqual(OUTCOMES);
});
