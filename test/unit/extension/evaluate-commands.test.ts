import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { NO_HEADLINES } from '../../../src/protocol/messages.ts';
import { fakeServer } from './fake-server.ts';
import { sessionRow } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { commands, window } = await import('./fake-vscode.ts');
const { evaluateAll, searchTraces } = await import('../../../src/extension/evaluate-commands.ts');

const file = (name: string) => ({
  uri: `file:///workspace/${name}`,
  state: 'new' as const,
  sessions: 0,
  headlines: NO_HEADLINES,
  risk: null,
  problems: [],
});

/** Runs a command where one file is listed and others look like traces; the user presses a button. */
async function run(command: typeof evaluateAll, others: readonly string[], presses?: string, before = EVALUATED) {
  const said: unknown[][] = [];
  vi.spyOn(window, 'showInformationMessage').mockImplementation(async (...parts) => {
    said.push(parts);
    return presses;
  });
  const evaluated: string[][] = [];
  const rows = [{ file: file('named.trace.json'), session: null }];
  const counts = {
    headlines: { ...NO_HEADLINES, problems: 3, failed: 2 },
    unreadable: 0,
    lookalikes: others.length,
    judges: [],
    judged: 0,
  };
  const outline = { total: 1, rows, ...counts };
  const { server } = fakeServer({
    'turnwise/findTraces': () => ({ total: others.length }),
    'turnwise/lookalikes': () => ({ total: others.length, rows: others.map(file) }),
    'turnwise/outline': () => outline,
    'turnwise/sessionsOf': (params) => ({
      total: 2,
      rows: [sessionRow(`worst-${headlineOf(params)}`)],
    }),
  });
  const opened: unknown[][] = [];
  vi.spyOn(commands, 'executeCommand').mockImplementation(async (...parts: unknown[]) => void opened.push(parts));
  await command({
    server,
    model: { refresh: async () => {}, snapshot: outline, hasResults: before === EVALUATED },
    results: { show: async () => {} },
    evaluation: {
      run: async (uris) => {
        evaluated.push(uris.map(({ path }) => path));
        return { complete: true, sessions: uris.length, problems: [] };
      },
    },
    log: { error: (error) => expect.fail(String(error)), show: () => {} },
  });
  await new Promise(setImmediate);
  return { said, evaluated, opened };
}

function headlineOf(params: unknown): string {
  const { of } = z.parse(z.object({ of: z.object({ headline: z.string() }) }), params);
  return of.headline;
}

const EVALUATED = 'evaluated before';

afterEach(() => vi.restoreAllMocks());

describe('Evaluate All', () => {
  it('offers the files that look like traces, and evaluates them when the user agrees', async () => {
    const { said, evaluated } = await run(evaluateAll, ['a.json', 'b.json'], 'Evaluate');
    expect(said).toEqual([['2 more files look like traces and were not evaluated.', 'Evaluate']]);
    expect(evaluated).toEqual([['/workspace/named.trace.json'], ['/workspace/a.json', '/workspace/b.json']]);
  });

  it('evaluates them only when the user agrees', async () => {
    const { said, evaluated } = await run(evaluateAll, ['a.json']);
    expect(said).toEqual([['1 more file looks like a trace and was not evaluated.', 'Evaluate']]);
    expect(evaluated).toEqual([['/workspace/named.trace.json']]);
  });

  it('says nothing where no other file looks like a trace', async () => {
    expect((await run(evaluateAll, [])).said).toEqual([]);
  });
});

describe('the first Evaluate All of a window', () => {
  it('opens the report of a session that failed, and later ones leave the open report', async () => {
    const { opened } = await run(evaluateAll, [], undefined, 'nothing evaluated before');
    expect(opened).toEqual([['turnwise.openReport', { session: sessionRow('worst-failed').key, turn: null }]]);
    expect((await run(evaluateAll, [])).opened).toEqual([]);
  });
});

describe('Find Traces by Content', () => {
  it('says what it found, and where it is listed', async () => {
    const { said, evaluated } = await run(searchTraces, ['a.json', 'b.json'], 'Evaluate');
    expect(said).toEqual([['2 files look like traces. They are listed at the end of the Results view.', 'Evaluate']]);
    expect(evaluated).toEqual([['/workspace/a.json', '/workspace/b.json']]);
  });

  it('says that it found nothing', async () => {
    expect((await run(searchTraces, [])).said).toEqual([['No other file looks like a trace.']]);
  });
});
