import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../../src/app/evaluate-files.ts';
import type { SessionReport } from '../../../../src/core/report.ts';
import type { Session } from '../../../../src/core/session.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { evaluate } from '../../../../src/protocol/messages.ts';
import { sendRequest } from '../../../../src/protocol/rpc.ts';
import {
  type OverviewQuery,
  type OverviewRow,
  type OverviewSessionRow,
  overviewRows,
  overviewScores,
  overviewSummary,
} from '../../../../src/protocol/sessions-overview.ts';
import { createEvaluateFiles } from '../../../../src/server/features/model-requests.ts';
import { SessionListing } from '../../../../src/server/overview/session-listing.ts';
import { summarizeSession } from '../../../../src/server/results/loaded-session.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { ConnectedEditor } from '../../../server/connected-editor.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { FakeLocator, report, risk, session } from '../report-fixture.ts';

const WORST: OverviewQuery = {
  sort: { column: 'outcome', isReversed: false },
  filter: {},
  isGrouped: true,
  expanded: [],
};

function sessionRows(rows: readonly OverviewRow[]): OverviewSessionRow[] {
  return rows.filter((row) => row.type === 'session');
}

function listing(sessions: readonly SessionReport[], traces: readonly Session[] = []) {
  const results = {
    all: buildRows(
      report({ sessions: [...sessions] }),
      new FakeLocator(),
      traces.map((session) => summarizeSession(session)),
    ).sessions,
  };
  return { results, listing: new SessionListing(results) };
}

describe('the list of sessions', () => {
  const sessions = [
    session('b', '/w/runs/one.json', { headline: { kind: 'clean', text: 'No problems found', turn: null } }),
    session('a', '/w/runs/one.json', { headline: { kind: 'failed', text: 'Failed: x', turn: 0 }, metrics: risk(0.9) }),
    session('c', '/w/other.json', { headline: { kind: 'failed', text: 'Failed: y', turn: 0 } }),
    session('d', '/w/runs2/two.json'),
  ];
  const ids = (path: string | null, query = WORST) =>
    listing(sessions)
      .listing.find(path, query)
      .map(({ id }) => id);

  it.each([
    ['all results', null, ['a', 'c', 'b', 'd']],
    ['a folder', '/w/runs', ['a', 'b']],
    ['a file', '/w/other.json', ['c']],
    ['a path without results', '/w/none', []],
  ])('has the sessions of %s, the worst first', (_, path, expected) => expect(ids(path)).toEqual(expected));

  it('filters before it sorts', () => {
    expect(ids(null, { ...WORST, filter: { kinds: ['clean'], text: 'one.json' } })).toEqual(['b']);
  });

  it('is computed once until the results change', () => {
    const { results, listing: list } = listing(sessions);
    const first = list.find(null, WORST);
    expect(list.find(null, { ...WORST })).toBe(first);
    results.all = [...results.all];
    expect(list.find(null, WORST)).not.toBe(first);
  });

  it('finds one of 50,000 sessions', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => session(`s${index}`, `/w/f${index % 100}.json`));
    const { listing: list } = listing(many);
    expect(list.find('/w', WORST)).toHaveLength(50_000);
    expect(list.find('/w', { ...WORST, filter: { text: 's49999' } }).map(({ id }) => id)).toEqual(['s49999']);
  });
});

describe('the requests of the sessions overview', () => {
  it('list the sessions of a file with what its trace says of their size', async () => {
    await using folder = await temporaryFolder({
      'runs/two.json': JSON.stringify({
        turnwise: 1,
        sessions: [
          { id: 'short', turns: [{ input: 'Hi', output: 'Hello.' }] },
          {
            id: 'long',
            turns: [
              {
                input: 'Find it',
                startedAt: '2026-01-01T00:00:00Z',
                endedAt: '2026-01-01T00:00:05Z',
                steps: [{ type: 'tool', name: 'find', arguments: {}, outcome: 'ok', result: 'There.' }],
                output: 'There.',
              },
              { input: 'Thanks', output: 'You are welcome.' },
            ],
          },
        ],
      }),
    });
    await using editor = await ConnectedEditor.to({ files: nodeFileSystem, folders: [folder.path] });
    const { connection } = editor;
    const uri = pathToFileURL(`${folder.path}/runs/two.json`).href;
    await sendRequest(connection, evaluate, { uris: [uri] });
    const page = { offset: 0, limit: 10 };
    const sort = { column: 'turns', isReversed: false } as const;
    const { total, rows } = await sendRequest(connection, overviewRows, { scope: uri, ...WORST, sort, ...page });
    expect(total).toBe(2);
    expect(
      sessionRows(rows).map(({ id, file, folder: where, turns, calls }) => ({ id, file, where, turns, calls })),
    ).toEqual([
      { id: 'long', file: 'two.json', where: null, turns: 2, calls: 1 },
      { id: 'short', file: 'two.json', where: null, turns: 1, calls: 0 },
    ]);
    const all = await sendRequest(connection, overviewRows, { scope: null, ...WORST, sort, offset: 1, limit: 1 });
    expect(all.total).toBe(2);
    expect(sessionRows(all.rows).map(({ id, folder: where }) => [id, where])).toEqual([['short', 'runs']]);
    const summary = await sendRequest(connection, overviewSummary, { scope: null });
    expect(summary.sessions).toBe(2);
    expect(summary.columns).toContain('calls');
    expect(summary.columns).not.toContain('tokens');
  });

  it('show which attempts of a task make the same changes, across files and agents, and which stand out', async () => {
    const attempt = (id: string, agent: string, order: string) =>
      JSON.stringify({
        turnwise: 1,
        sessions: [
          {
            id,
            task: { id: 'cancel', dataset: 'shop', agent },
            turns: [
              {
                input: `Cancel ${order}`,
                steps: [{ type: 'tool', name: 'frob', arguments: { order }, result: 'ok' }],
                output: `Done by ${id}.`,
              },
            ],
          },
        ],
      });
    await using folder = await temporaryFolder({
      'a.json': attempt('a', 'x', 'A-1'),
      'b.json': attempt('b', 'x', 'A-2'),
      'c.json': attempt('c', 'y', 'A-1'),
      'd.json': attempt('d', 'y', 'A-1'),
    });
    await using editor = await ConnectedEditor.to({
      files: nodeFileSystem,
      folders: [folder.path],
      evaluateFiles: (paths, _, options) => evaluateFiles(paths, { stateChangingTools: ['frob'] }, options),
    });
    const { connection } = editor;
    const scope = pathToFileURL(folder.path).href;
    for (const name of ['a.json', 'b.json', 'c.json', 'd.json']) {
      await sendRequest(connection, evaluate, { uris: [pathToFileURL(`${folder.path}/${name}`).href] });
    }
    const page = { scope, ...WORST, offset: 0, limit: 10 };
    const { rows } = await sendRequest(connection, overviewRows, page);
    const likely = ['`frob` with `order` "A-1"'];
    expect(rows.map((row) => (row.type === 'task' ? [row.name, row.agreement] : row.id)).sort()).toEqual([
      ['shop · cancel · x', { attempts: 4, agreeing: 3, standOut: 1, likely }],
      ['shop · cancel · y', { attempts: 4, agreeing: 3, standOut: 0, likely }],
    ]);
    const flat = await sendRequest(connection, overviewRows, { ...page, isGrouped: false });
    expect(
      sessionRows(flat.rows)
        .filter(({ standsOut }) => standsOut)
        .map(({ id }) => id),
    ).toEqual(['b']);
  });

  it('group the attempts of one task across files, with estimates, agreement and means', async () => {
    const attempt = (trial: string, reward: number) =>
      JSON.stringify({
        turnwise: 1,
        sessions: [
          {
            id: `buy-${trial}`,
            task: { id: 'buy', trial },
            scores: { reward },
            turns: [{ input: 'Buy it', output: 'Done.' }],
          },
        ],
      });
    await using folder = await temporaryFolder({ 'a.json': attempt('1', 1), 'b.json': attempt('2', 0) });
    await using editor = await ConnectedEditor.to({ files: nodeFileSystem, folders: [folder.path] });
    const { connection } = editor;
    const scope = pathToFileURL(folder.path).href;
    // File by file, as a person evaluates them.
    for (const name of ['a.json', 'b.json']) {
      await sendRequest(connection, evaluate, { uris: [pathToFileURL(`${folder.path}/${name}`).href] });
    }
    const page = { scope, ...WORST, offset: 0, limit: 10 };
    const grouped = await sendRequest(connection, overviewRows, page);
    expect(grouped).toMatchObject({
      total: 1,
      matching: 2,
      rows: [{ type: 'task', name: 'buy', kind: 'failed', attempts: 2, succeeded: 1, known: 2, isExpanded: false }],
    });
    const [task] = grouped.rows;
    if (task?.type !== 'task') throw new Error('There is no task.');
    expect(task.estimates.map(({ k, passAtK, passPowK }) => [k, passAtK, passPowK])).toEqual([
      [1, 0.5, 0.5],
      [2, 1, 0],
    ]);
    const expanded = await sendRequest(connection, overviewRows, { ...page, expanded: [task.key] });
    expect(expanded.rows.map((row) => (row.type === 'task' ? row.name : `${row.id} ${row.isAttempt}`))).toEqual([
      'buy',
      'buy-2 true',
      'buy-1 true',
    ]);
    const flat = await sendRequest(connection, overviewRows, { ...page, isGrouped: false });
    expect(flat.rows.map(({ type }) => type)).toEqual(['session', 'session']);
    expect((await sendRequest(connection, overviewSummary, { scope })).tasks).toBe(1);
    const scores = await sendRequest(connection, overviewScores, { scope });
    expect(scores.attempts).toMatchObject({ estimator: 'unbiased', correctBy: 'outcome', scenarios: 1 });
    expect(scores.distributions.find(({ metric }) => metric === 'reward')).toMatchObject({
      unit: 'session',
      n: 2,
      mean: 0.5,
    });
  });

  it('group traces of any format into the tasks that the configuration finds in their file names', async () => {
    const chat = (answer: string) =>
      JSON.stringify([
        { role: 'user', content: 'Refund it' },
        { role: 'assistant', content: answer },
      ]);
    await using folder = await temporaryFolder({
      'refund-1.json': chat('Done.'),
      'refund-2.json': chat('Done.'),
      'refund-2.turnwise.json': '{ "goal": "A refund", "outcome": "failed", "task": { "trial": "second" } }',
      'cancel-1.json': chat('Done.'),
      'turnwise.config.json': JSON.stringify({ tasks: { by: '(?<task>[a-z]+)-(?<trial>\\d+)' } }),
    });
    await using editor = await ConnectedEditor.to({
      files: nodeFileSystem,
      folders: [folder.path],
      evaluateFiles: { create: (context) => createEvaluateFiles(context, evaluateFiles) },
    });
    const { connection } = editor;
    const scope = pathToFileURL(folder.path).href;
    await sendRequest(connection, evaluate, { uris: [scope] });
    const page = { scope, ...WORST, offset: 0, limit: 10 };
    const { rows } = await sendRequest(connection, overviewRows, page);
    expect(rows).toMatchObject([
      { type: 'task', name: 'refund', attempts: 2, succeeded: 0, known: 1 },
      { type: 'session', task: { name: 'cancel', of: null, attempt: '1' } },
    ]);
    const expanded = rows.flatMap((row) => (row.type === 'task' ? row.key : []));
    const all = sessionRows((await sendRequest(connection, overviewRows, { ...page, expanded })).rows);
    expect(all.map(({ task }) => task?.attempt)).toEqual(['second', '1', '1']);
  });
});
