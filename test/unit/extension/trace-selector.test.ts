import { minimatch } from 'minimatch';
import { describe, expect, it, vi } from 'vitest';
import { globFilters, traceSelector } from '../../../src/extension/trace-selector.ts';
import { DEFAULT_TRACES } from '../../../src/protocol/settings.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { mergeGlobs: patternsOf } = await import('../../../src/extension/trace-discovery.ts');

const patterns = (filters: ReturnType<typeof traceSelector>): string[] =>
  filters.flatMap((filter) => ('pattern' in filter ? filter.pattern : []));

describe('the documents in which something is shown', () => {
  it('are JSON on disk, by language or by name', () => {
    expect(traceSelector(DEFAULT_TRACES)).toEqual([
      { scheme: 'file', language: 'json' },
      { scheme: 'file', language: 'jsonl' },
      { scheme: 'file', pattern: '**/*.{json,jsonl,ndjson,traj}' },
    ]);
  });

  it('are of any other name that the user calls a trace', () => {
    expect(patterns(traceSelector(['runs/*.log', '**/*.trace.json']))).toContain('**/runs/*.log');
  });

  it('are traces by their names wherever the folder is', () => {
    const isTrace = (path: string) =>
      patterns(globFilters(['runs/*.log', ...DEFAULT_TRACES])).some((glob) => minimatch(path, glob, { dot: true }));
    for (const path of ['/w/a.trace.json', '/w/x/runs/a.log', '/w/.agentest/results.json']) {
      expect(isTrace(path), path).toBe(true);
    }
    for (const path of ['/w/package.json', '/w/a.log', '/w/results.json']) expect(isTrace(path), path).toBe(false);
  });
});

describe('the search for traces', () => {
  it('is one, but for globs with alternatives of their own', () => {
    expect(patternsOf(['**/*.a', '**/*.b'])).toEqual(['{**/*.a,**/*.b}']);
    expect(patternsOf(['**/*.a'])).toEqual(['**/*.a']);
    expect(patternsOf(['**/*.a', '**/*.{b,c}', '**/*.d'])).toEqual(['{**/*.a,**/*.d}', '**/*.{b,c}']);
    expect(patternsOf([])).toEqual([]);
  });
});
