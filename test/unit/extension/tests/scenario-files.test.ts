import { minimatch } from 'minimatch';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ANY_DEFAULT_SCENARIO, DEFAULT_SCENARIOS } from '../../../../src/core/scenario-file-names.ts';
import { fake } from './fake-testing.ts';
import { fileUri } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { ScenarioFiles } = await import('../../../../src/extension/tests/scenario-files.ts');

beforeEach(() => {
  fake.reset();
});

describe('scenario files', () => {
  it('are found by one search, whatever their kind', async () => {
    const uris = [fileUri('b.sim.ts'), fileUri('a.scenario.yaml'), fileUri('notes.md')];
    fake.files.push(...uris, fileUri('node_modules/shop/c.sim.ts'));
    const files = new ScenarioFiles();
    expect(await files.find()).toEqual([fileUri('a.scenario.yaml'), fileUri('b.sim.ts')]);
    expect(fake.searches).toBe(1);
  });

  it('have the names of the default globs, and no others', () => {
    const ends = ['ts', 'js', 'mts', 'mjs', 'cts', 'yaml', 'yml', 'json', 'md'];
    const names = ['sim', 'scenario', 'simulation'].flatMap((kind) => ends.map((end) => `tests/shop.${kind}.${end}`));
    const matched = (globs: readonly string[]) => names.filter((name) => globs.some((glob) => minimatch(name, glob)));
    expect(matched([ANY_DEFAULT_SCENARIO])).toEqual(matched(DEFAULT_SCENARIOS));
    expect(matched([ANY_DEFAULT_SCENARIO])).toHaveLength(7);
  });
});
