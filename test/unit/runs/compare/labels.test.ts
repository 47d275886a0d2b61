import { describe, expect, it } from 'vitest';
import { runFacts } from '../../../../src/reports/comparison/summary.ts';
import { labelRuns, ownVersion } from '../../../../src/runs/compare/labels.ts';
import { recordedRun } from '../../../support/recorded-runs.ts';

const GIT = { commit: '1a2b3c4d5e6f708192a3b4c5d6e7f80912345678', branch: 'main', dirty: true };

describe('the version of an agent beside its commit', () => {
  it.each([
    ['1a2b3c4d5e6f+changes', null],
    ['1a2b3c4d5e6f', null],
    ['1', '1'],
    ['', ''],
    ['1.4', '1.4'],
    [null, null],
  ])('of %j is %j', (version, shown) => {
    expect(ownVersion(version, GIT)).toBe(shown);
    expect(ownVersion(version, null)).toBe(version);
  });

  it('is a fact of a named run, also where the name contains it', () => {
    const facts = {
      id: '20261101T090000000Z-3f2a91c0',
      label: 'attempt 2',
      name: 'attempt 2',
      startedAt: '2026-11-01T09:00:00.000Z',
      state: 'complete',
      agent: { name: 'shop', version: '2' },
      git: GIT,
      sessions: 2,
      tasks: 1,
    } as const;
    expect(runFacts(facts)).toBe('run 3f2a91c0, 2026-11-01 09:00, main@1a2b3c4+changes, 1 task, 2 sessions, shop 2');
    expect(runFacts({ ...facts, name: null, label: 'shop 2 (3f2a91c0)' })).not.toContain('shop');
  });
});

describe('the label of a run', () => {
  const manifest = (id: string, agent: { name: string | null; version: string | null }) =>
    recordedRun([], { id, agent: { ...agent, versionFrom: 'option', models: [] } }).manifest;

  it('has its id where another run would be called the same, and its position where it is the same run', () => {
    const shop = { name: 'shop', version: '2' };
    const [one, two] = [manifest('20261101T090000000Z-3f2a91c0', shop), manifest('20261102T090000000Z-5e6f7a8b', shop)];
    const other = manifest('20261103T090000000Z-9c0d1e2f', { name: 'shop', version: '3' });
    expect(labelRuns([one, two, other])).toEqual(['shop 2 (3f2a91c0)', 'shop 2 (5e6f7a8b)', 'shop 3']);
    expect(labelRuns([one, one])).toEqual(['shop 2 (3f2a91c0) (run 1)', 'shop 2 (3f2a91c0) (run 2)']);
  });

  it.each([
    ['2', 'version 2'],
    ['v1.4', 'version v1.4'],
    ['gpt-5-mini', 'gpt-5-mini'],
  ])('of an agent without a name says that %j is its version, unless it is a word', (version, label) => {
    expect(labelRuns([manifest('20261101T090000000Z-3f2a91c0', { name: null, version })])).toEqual([label]);
  });
});
