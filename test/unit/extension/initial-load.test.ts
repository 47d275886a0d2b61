import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeServer } from './fake-server.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { Uri, workspace } = await import('./fake-vscode.ts');
const { initialLoad } = await import('../../../src/extension/initial-load.ts');

interface Situation {
  /** Files that are traces by their names. */
  readonly named: readonly string[];
  /** Files with the extension of a trace. */
  readonly files: readonly string[];
  readonly hasStoredResults?: boolean;
}

/** Shows the Results view for the first time. @returns what the server was asked for, in order. */
async function showView({ named, files, hasStoredResults = false }: Situation): Promise<string[]> {
  vi.spyOn(workspace, 'findFiles').mockImplementation(async () => files.map((name) => Uri.file(`/workspace/${name}`)));
  const asked: string[] = [];
  const failed: unknown[] = [];
  const { server } = fakeServer({
    'turnwise/findTraces': () => {
      asked.push('findTraces');
      return { total: 0 };
    },
  });
  await initialLoad({
    server: {
      isRunning: false,
      start: async () => void asked.push('start'),
      request: server.request,
    },
    model: { refresh: async () => void asked.push('refresh') },
    stateRestore: { hasStoredResults },
    discovery: {
      scan: async () => named.length,
      has: (uri) => named.some((name) => uri.path === `/workspace/${name}`),
    },
    log: { error: (error) => void failed.push(error) },
  });
  // The scan is not awaited: the view is shown before it is done.
  await new Promise(setImmediate);
  expect(failed).toEqual([]);
  return asked;
}

afterEach(() => vi.restoreAllMocks());

describe('the Results view when it is shown for the first time', () => {
  it('searches by content at once where no file is a trace by its name', async () => {
    expect(await showView({ named: [], files: ['run.json'] })).toEqual(['findTraces', 'refresh']);
  });

  it('starts the server, which searches by content while it is idle, where other files may be traces too', async () => {
    const files = ['named.trace.json', 'run.json'];
    expect(await showView({ named: ['named.trace.json'], files })).toEqual(['start', 'refresh']);
  });

  it.each([
    { named: ['named.trace.json'], files: ['named.trace.json'] },
    { named: ['named.trace.json'], files: ['named.trace.json', 'package.json', 'turnwise.config.json'] },
    { named: [], files: ['package.json'] },
    { named: [], files: [] },
  ])('starts no server where no other file may be a trace: $files', async (situation) => {
    expect(await showView(situation)).toEqual([]);
  });

  it('restores stored results, whose server searches too', async () => {
    expect(await showView({ named: [], files: ['run.json'], hasStoredResults: true })).toEqual(['start', 'refresh']);
  });
});
