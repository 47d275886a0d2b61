import { describe, expect, it } from 'vitest';
import { isTraceCandidate } from '../../../src/core/trace-file-names.ts';

const WIDE = ['**/*.json'];

describe('isTraceCandidate', () => {
  it.each(['a.json', 'runs/a.trace.json', '.hidden.json', 'turnwise.json', 'packages/a.json'])(
    'is listed: %s',
    (path) => {
      expect(isTraceCandidate(path, WIDE)).toBe(true);
    },
  );

  it.each([
    '.vscode/settings.json',
    'a/.git/b/c.json',
    'node_modules/a/b.json',
    'a/node_modules/b.json',
    'turnwise.config.json',
    'a/turnwise.config.yaml',
    'a/a.turnwise.json',
    'test_config.json',
    'package.json',
    'a/package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'a\\.vscode\\b.json',
  ])('rejects %s', (path) => {
    expect(isTraceCandidate(path, WIDE)).toBe(false);
  });

  it('accepts a file in a dot folder if a glob names that folder', () => {
    const globs = ['**/.agentest/results.json'];
    expect(isTraceCandidate('a/.agentest/results.json', globs)).toBe(true);
    expect(isTraceCandidate('.other/.agentest/results.json', globs)).toBe(false);
  });
});
