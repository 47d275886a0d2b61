import { afterEach, expect, it, vi } from 'vitest';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { window } = await import('./fake-vscode.ts');
const { showFileProblem } = await import('../../../src/extension/errors.ts');

const start = { line: 0, character: 0 };
const problem = {
  severity: 'error' as const,
  message: 'Unknown trace format: it is an object.',
  location: { uri: 'file:///workspace/package.json', range: { start, end: start } },
};

afterEach(() => vi.restoreAllMocks());

it('says in plain words that a file is not a trace, and shows other problems as they are', async () => {
  const shown = vi.spyOn(window, 'showErrorMessage');
  await showFileProblem({ ...problem, isNoTrace: true }, 0);
  await showFileProblem(problem, 1);
  expect(shown.mock.calls.map(([text]) => text)).toEqual([
    'package.json is not a trace that Turnwise reads. A "map" in the configuration can describe its format.',
    'package.json: Unknown trace format: it is an object. (1 more in the Results view)',
  ]);
});
