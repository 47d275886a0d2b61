import { minimatch } from 'minimatch';
import { describe, expect, it, vi } from 'vitest';
import { globFilters, traceSelector } from '../../../src/extension/trace-selector.ts';
import { DEFAULT_TRACES } from '../../../src/protocol/settings.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { mergeGlobs } = await import('../../../src/extension/trace-discovery.ts');

const patterns = (filters: ReturnType<typeof traceSelector>): string[] =>
  filters.flatMap((filter) => ('pattern' in filter ? filter.pattern : []));

describe('the document selector', () => {
  it('matches JSON files on disk, by language or by name', () => {
    expect(traceSelector(DEFAULT_TRACES)).toEqual([
      { scheme: 'file', language: 'json' },
      { scheme: 'file', language: 'jsonl' },
      { scheme: 'file', pattern: '**/*.{json,jsonl,ndjson,traj}' },
    ]);
  });

  it('matches names in the traces setting', () => {
    expect(patterns(traceSelector(['runs/*.log', '**/*.trace.json']))).toContain('**/runs/*.log');
  });

  it('matches trace names at any depth', () => {
    const isTrace = (path: string) =>
      patterns(globFilters(['runs/*.log', ...DEFAULT_TRACES])).some((glob) => minimatch(path, glob, { dot: true }));
    for (const path of ['/w/a.trace.json', '/w/x/runs/a.log', '/w/.agentest/results.json']) {
      expect(isTrace(path), path).toBe(true);
    }
    for (const path of ['/w/package.json', '/w/a.log', '/w/results.json']) expect(isTrace(path), path).toBe(false);
  });
});

describe('the search pattern for traces', () => {
  it('combines globs, except those with their own alternatives', () => {
    expect(mergeGlobs(['**/*.a', '**/*.b'])).toEqual(['{**/*.a,**/*.b}']);
    expect(mergeGlobs(['**/*.a'])).toEqual(['**/*.a']);
    expect(mergeGlobs(['**/*.a', '**/*.{b,c}', '**/*.d'])).toEqual(['{**/*.a,**/*.d}', '**/*.{b,c}']);
    expect(mergeGlobs([])).toEqual([]);
  });
});
