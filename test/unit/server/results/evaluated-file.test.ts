import { describe, expect, it } from 'vitest';
import type { FileStamp } from '../../../../src/server/disk/file-stamp.ts';
import { EvaluatedFile } from '../../../../src/server/results/evaluated-file.ts';

const PATH = '/traces/deep/a.trace.json';
const stamp = (hash: string): FileStamp => ({ hash, size: 1, modified: 1, at: 1 });
const EDIT = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, lines: 1, lastLength: 0 };

const storedResults = (inputs: { readonly beside?: [string, string][]; readonly above?: [string, string][] } = {}) =>
  new EvaluatedFile(PATH, stamp('then'), { beside: new Map(inputs.beside), above: new Map(inputs.above) });

describe('a version of a file', () => {
  it.each([
    ['the same bytes', 'then', false, 'fresh'],
    ['other bytes', 'now', false, 'stale'],
    ['nothing', null, false, 'gone'],
    ['the same bytes, and something else is typed', 'then', true, 'stale'],
    ['other bytes, and something else is typed', 'now', true, 'stale'],
    ['nothing, and something else is typed', null, true, 'gone'],
  ] as const)('when there is %s', (_, hash, isDirty, state) => {
    const file = storedResults();
    expect(file.state).toBe('fresh');
    expect(file.updateHash(hash, isDirty)).toBe(state !== 'fresh');
    expect(file.state).toBe(state);
    expect(file.updateHash(hash, isDirty)).toBe(false);
    expect(file.updateHash('then', false)).toBe(state !== 'fresh');
    expect(file.state).toBe('fresh');
  });

  it('is stale from the first edit on, whether or not the edits are known', () => {
    const [seen, unseen] = [storedResults(), storedResults()];
    seen.addEdits([EDIT]);
    unseen.addEdits([]);
    expect([seen.state, unseen.state]).toEqual(['stale', 'stale']);
    expect([seen.isChanged, unseen.isChanged]).toEqual([false, false]);
  });

  it('forgets edits only when its own text is back', () => {
    const file = storedResults();
    file.addEdits([EDIT]);
    file.updateHash('now', false);
    file.updateHash('then', true);
    file.updateHash(null, false);
    expect(file.rangeMapper.isIdentity).toBe(false);
    file.updateHash('then', false);
    expect(file.rangeMapper.isIdentity).toBe(true);
  });

  it('is stale when its evaluated content is unknown', () => {
    const file = new EvaluatedFile(PATH, null);
    expect(file.state).toBe('fresh');
    file.updateHash('now', false);
    expect(file.state).toBe('stale');
  });
});

describe('the inputs of a version', () => {
  const SIDECAR = '/traces/deep/a.turnwise.json';
  const CONFIGURATION = '/traces/turnwise.config.json';

  it.each([
    ['its sidecar', SIDECAR],
    ['its sidecar by its long name', '/traces/deep/a.trace.turnwise.json'],
    ['criteria beside it', '/traces/deep/test_config.json'],
    ['a configuration beside it', '/traces/deep/turnwise.config.yaml'],
    ['a configuration above it', CONFIGURATION],
    ['a configuration at the top', '/turnwise.config.ts'],
    ['weights of the risk above it', '/traces/turnwise.risk.json'],
  ])('%s makes it stale when it appears, and fresh when it goes', (_, path) => {
    const file = storedResults();
    expect(file.dependsOn(path)).toBe(true);
    expect(file.updateInputHash(path, 'any')).toBe(true);
    expect([file.state, file.isChanged]).toEqual(['stale', true]);
    expect(file.updateInputHash(path, null)).toBe(true);
    expect(file.state).toBe('fresh');
  });

  it.each([
    ["another trace's sidecar", '/traces/deep/b.turnwise.json'],
    ['a sidecar in another folder', '/traces/a.turnwise.json'],
    ['criteria of another folder', '/traces/test_config.json'],
    ["another folder's configuration", '/traces/other/turnwise.config.json'],
    ['a configuration of something else', '/traces/deep/vitest.config.ts'],
    ['another trace', '/traces/deep/b.trace.json'],
  ])('%s does not affect it', (_, path) => {
    const file = storedResults();
    expect(file.dependsOn(path)).toBe(false);
    expect(file.updateInputHash(path, 'any')).toBe(false);
    expect(file.state).toBe('fresh');
  });

  it.each([
    ['changes', 'other'],
    ['goes', null],
  ])('makes it stale when it %s, and fresh when it is restored', (_, hash) => {
    for (const path of [SIDECAR, CONFIGURATION]) {
      const file = storedResults({ beside: [[SIDECAR, 'sidecar']], above: [[CONFIGURATION, 'configuration']] });
      file.updateInputHash(path, hash);
      expect(file.state).toBe('stale');
      file.updateInputHash(path, path === SIDECAR ? 'sidecar' : 'configuration');
      expect(file.state).toBe('fresh');
    }
  });

  it.each([
    ['its sidecar', SIDECAR, 'sidecar'],
    ['criteria beside it', '/traces/deep/test_config.json', 'configuration'],
    ['its configuration', CONFIGURATION, 'configuration'],
  ])('are the cause of staleness: %s', (_, path, changed) => {
    const file = storedResults();
    file.updateInputHash(path, 'any');
    expect(file.outdatedBecause).toBe(changed);
    expect(file.updateHash('now', false)).toBe(true);
    expect(file.outdatedBecause).toBe('file');
    file.updateHash('then', false);
    expect(file.outdatedBecause).toBe(changed);
    file.updateInputHash(path, null);
    expect(file.outdatedBecause).toBeUndefined();
  });

  it('are not the cause where the evaluated content is unknown', () => {
    const file = new EvaluatedFile('/traces/deep/a.trace.json', null);
    file.updateHash('now', false);
    expect([file.state, file.outdatedBecause]).toEqual(['stale', undefined]);
  });

  it('keep it stale until all are restored', () => {
    const file = storedResults({ beside: [[SIDECAR, 'sidecar']], above: [[CONFIGURATION, 'configuration']] });
    file.updateInputHash(SIDECAR, 'other');
    file.updateInputHash(CONFIGURATION, 'other');
    file.updateHash('now', false);
    file.updateInputHash(SIDECAR, 'sidecar');
    file.updateHash('then', false);
    expect(file.state).toBe('stale');
    file.updateInputHash(CONFIGURATION, 'configuration');
    expect(file.state).toBe('fresh');
  });

  it('exclude a configuration farther away than the one that applied', () => {
    const file = storedResults({ above: [['/traces/deep/turnwise.config.json', 'configuration']] });
    expect(file.dependsOn(CONFIGURATION)).toBe(false);
    expect(file.dependsOn('/traces/deep/turnwise.config.ts')).toBe(true);
    expect(file.dependsOn('/traces/turnwise.risk.json')).toBe(true);
  });

  it('move with a renamed file', () => {
    const file = storedResults({ beside: [[SIDECAR, 'sidecar']], above: [[CONFIGURATION, 'configuration']] });
    const now = file.withPath('/traces/deep/b.trace.json');
    now.updateInputHash('/traces/deep/b.turnwise.json', 'sidecar');
    now.updateInputHash(CONFIGURATION, 'configuration');
    expect([now.state, now.stamp]).toEqual(['fresh', stamp('then')]);
    now.updateInputHash('/traces/deep/b.turnwise.json', null);
    expect(now.state).toBe('stale');
  });
});
