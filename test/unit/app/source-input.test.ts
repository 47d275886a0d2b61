import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSource } from '../../../src/app/source-input.ts';
import { ModuleFunction } from '../../../src/sandbox/module-function.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();

/** Reads the `source` of a configuration with this text. */
async function read(text: string, timeoutMs = 20_000) {
  await using folder = await temporaryFolder({ 'turnwise.config.ts': text });
  const source = new ModuleFunction({
    file: join(folder.path, 'turnwise.config.ts'),
    path: ['source'],
    ownerName: null,
    displayName: 'turnwise.config.ts',
    digest: '',
  });
  const { paths, files, problems } = await readSource(source, signal, timeoutMs);
  const texts = await Promise.all(paths.map(async (path) => new TextDecoder().decode(await files.read(path))));
  return { paths, texts, problems: problems.map(({ severity, message, line }) => [severity, message, line]) };
}

describe('readSource', () => {
  it.each([
    ['an async generator function', 'async function* () { yield { id: 1 }; yield { id: 2 }; }'],
    ['a generator function', 'function* () { yield { id: 1 }; yield { id: 2 }; }'],
    ['a function that returns a promise of a list', 'async () => [{ id: 1 }, { id: 2 }]'],
    ['a list', '[{ id: 1 }, { id: 2 }]'],
    ['an iterable', 'new Set([{ id: 1 }, { id: 2 }])'],
    ['an async iterable', '(async function* () { yield { id: 1 }; yield { id: 2 }; })()'],
  ])('takes the values of %s', async (_, source) => {
    expect(await read(`export default { source: ${source} };`)).toEqual({
      paths: ['source/1.json', 'source/2.json'],
      texts: ['{"id":1}', '{"id":2}'],
      problems: [],
    });
  });

  it('keeps what a source yielded before it threw, and reports the line', async () => {
    const result = await read(
      'export default { source: function* () {\n  yield 1;\n  throw new Error("no access.");\n} };',
    );
    expect(result.texts).toEqual(['1']);
    expect(result.problems).toEqual([['error', 'The source threw an error: no access after 1 value.', 3]]);
  });

  it.each([
    ['never yields', 'async function* () { await new Promise(() => {}); }'],
    ['never yields control', 'function* () { for (;;); }'],
  ])('reports a source that %s', async (_, source) => {
    const { texts, problems } = await read(`export default { source: ${source} };`, 2000);
    expect(texts).toEqual([]);
    expect(problems.map((problem) => problem.slice(0, 2))).toEqual([
      ['error', 'The source did not answer within 2 seconds, and was stopped.'],
    ]);
  });

  it.each([
    ['ends its process', 'function* () { process.exit(3); }', 'ended its process (exit code 3)'],
    ['is not iterable', '() => 3', 'threw an error: It is number, and must be iterable: yield or return sessions'],
    ['yields what JSON lacks', '() => [() => 1]', 'threw an error: It yielded function, which JSON does not have'],
  ])('reports a source that %s', async (_, source, reason) => {
    const { texts, problems } = await read(`export default { source: ${source} };`);
    expect(texts).toEqual([]);
    expect(problems.map((problem) => problem.slice(0, 2))).toEqual([['error', `The source ${reason}.`]]);
  });

  it('warns about a source without sessions', async () => {
    expect((await read('export default { source: [] };')).problems).toEqual([
      ['warning', 'The source yielded no sessions.', null],
    ]);
  });

  it('iterates in this process over what a program hands over', async () => {
    const { paths } = await readSource([{ id: 1 }], signal);
    expect(paths).toEqual(['source/1.json']);
  });

  it('ends when the run is stopped', async () => {
    const stop = new AbortController();
    await using folder = await temporaryFolder({ 'c.ts': 'export default { source: () => new Promise(() => {}) };' });
    const source = new ModuleFunction({
      file: join(folder.path, 'c.ts'),
      path: ['source'],
      ownerName: null,
      displayName: 'c.ts',
      digest: '',
    });
    const reading = readSource(source, stop.signal);
    setTimeout(() => stop.abort(), 20);
    await expect(reading).rejects.toThrow('aborted');
  });
});
