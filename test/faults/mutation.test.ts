import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load } from '../../src/input/load.ts';
import { type MutationJob, runMutants } from '../support/mutation-run.ts';
import { MUTATIONS, mutate } from '../support/mutations.ts';
import { sharedTraceFolders } from '../support/shared-data.ts';
import { memoryFileSystem } from '../unit/input/memory-file-system.ts';

/** `MUTANTS=100000 MUTATION_SEED=7 npm run test:unit -- test/faults/mutation` evaluates others. */
const MUTANTS = Number(process.env.MUTANTS ?? 20_000);
const SEED = Number(process.env.MUTATION_SEED ?? 1);
const THREADS = 2;

const FORMATS = join(import.meta.dirname, '../fixtures/formats');
const MAX_FIXTURE_BYTES = 32_000;
const MAX_SHARED_BYTES = 60_000;
const TRACE = /\.(?:jsonl?|traj)$/;

const fixtures = filesIn(FORMATS, MAX_FIXTURE_BYTES);
/** Real files of the public data, where it is there: the first small one of each folder. */
const shared = (sharedTraceFolders() ?? [])
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => filesIn(folder, MAX_SHARED_BYTES).slice(0, 1));

function filesIn(folder: string, maxBytes: number): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => TRACE.test(path) && statSync(path).isFile() && statSync(path).size <= maxBytes);
}

async function brokenBy(paths: readonly string[], mutants: number): Promise<readonly string[]> {
  const names = paths.map((path) => basename(path));
  const texts = Object.fromEntries(paths.map((path) => [basename(path), readFileSync(path, 'utf8')]));
  const jobs: MutationJob[] = Array.from({ length: mutants }, (_, id) => ({
    id,
    name: names[id % names.length] ?? '',
    seed: SEED * 1_000_000 + id,
  }));
  return runMutants(jobs, texts, THREADS);
}

describe('a mutant of a trace neither crashes nor hangs, and leaves the file beside it alone', {
  timeout: 900_000,
}, () => {
  it(`${MUTANTS} mutants of files of every format`, async () => {
    expect(fixtures.length).toBeGreaterThan(40);
    expect(await brokenBy(fixtures, MUTANTS)).toEqual([]);
  });

  it.skipIf(shared.length === 0)(`${MUTANTS / 10} mutants of files of the public data`, async () => {
    expect(await brokenBy(shared, MUTANTS / 10)).toEqual([]);
  });
});

it('makes the same mutants again, of every kind', () => {
  const text = readFileSync(join(FORMATS, 'claude-code.jsonl'), 'utf8');
  const mutants = Array.from({ length: 500 }, (_, seed) => mutate(text, seed));
  expect(Array.from({ length: 500 }, (_, seed) => mutate(text, seed))).toEqual(mutants);
  const kinds = new Set(mutants.flatMap(({ kind }) => kind.split(', ')));
  expect([...kinds].sort()).toEqual([...MUTATIONS].sort());
});

describe('lines before the first record do not lose a file', () => {
  const lines = fixtures.filter((path) => path.endsWith('.jsonl'));
  const options = { signal: new AbortController().signal };
  const turnsOf = async (file: string, text: string) => {
    const { sessions, problems } = await load([file], memoryFileSystem({ [file]: text }), options);
    return { turns: sessions.reduce((count, { turns }) => count + turns.length, 0), problems };
  };

  it.each(lines.map((path) => basename(path)))('%s', async (file) => {
    const text = readFileSync(join(FORMATS, file), 'utf8');
    const { turns } = await turnsOf(file, text);
    expect(turns).toBeGreaterThan(0);
    expect((await turnsOf(file, '\n'.repeat(1000) + text)).turns).toBe(turns);
    const broken = await turnsOf(file, '{"time": 12:30}\n'.repeat(200) + text);
    expect(broken.turns).toBe(turns);
    expect(broken.problems[0]).toMatchObject({ code: 'invalid-json', line: 1 });
  });
});
