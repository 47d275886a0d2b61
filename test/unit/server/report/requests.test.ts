import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createConnection,
  createProtocolConnection,
  InitializeRequest,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { turnAt, turnLocation } from '../../../../src/protocol/cursor-sync.ts';
import { evaluate } from '../../../../src/protocol/messages.ts';
import { newScenarioPlace, scenarioFromSession } from '../../../../src/protocol/new-scenario.ts';
import { markdown, prompt, saveFeedback, sessionKey } from '../../../../src/protocol/panel.ts';
import {
  explanations,
  groupOccurrences,
  problemGroups,
  reportChanges,
  sessionFeedback,
  sessionReport,
  sessionRun,
  signals,
} from '../../../../src/protocol/report.ts';
import { sendRequest } from '../../../../src/protocol/rpc.ts';
import { timelineRows, timelineSummary } from '../../../../src/protocol/timeline.ts';
import { fullText, steps, turns } from '../../../../src/protocol/turn-rows.ts';
import { searchTurns } from '../../../../src/protocol/turn-search.ts';
import { serve } from '../../../../src/server/serve.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A server that evaluates for real, and an editor with a pipe between them. */
async function connected(trusted = true): Promise<ProtocolConnection> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const connection = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  open.push(() => {
    connection.dispose();
    server.dispose();
  });
  serve(server, evaluateFiles, nodeFileSystem);
  connection.listen();
  await connection.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: {},
    initializationOptions: { client: 'vscode', trusted },
  });
  return connection;
}

const refund = (id: string) => ({ type: 'tool', name: 'refund', arguments: { id }, error: 'No such order.' });

/** Two sessions of one file; the second, which is riskier, has a sub-agent, and a turn of many steps. */
const TRACE = JSON.stringify(
  {
    turnwise: 1,
    sessions: [
      { id: 'b', turns: [{ input: 'Hi.', output: 'Hello.', steps: [] }] },
      {
        id: 'a',
        tools: [{ name: 'refund_order' }],
        turns: [
          {
            input: 'Refund order A-1, please.',
            output: 'Your refund was issued.',
            steps: [
              refund('A-1'),
              { type: 'agent', name: 'helper', turns: [{ input: 'help', output: 'a needle', steps: [refund('A-2')] }] },
            ],
          },
          {
            input: 'Thanks.',
            output: 'x'.repeat(9000),
            steps: Array.from({ length: 120 }, (_, index) => ({ type: 'model', text: `step ${index}` })),
          },
        ],
      },
    ],
  },
  null,
  1,
);

async function evaluated(trusted = true) {
  const folder = await temporaryFolder({ 'a.json': TRACE });
  const path = join(folder.path, 'a.json');
  const uri = pathToFileURL(path).href;
  const connection = await connected(trusted);
  await sendRequest(connection, evaluate, { uris: [uri] });
  return { folder, path, uri, connection, session: sessionKey(uri, 'a'), other: sessionKey(uri, 'b') };
}

describe('the requests of a report panel', () => {
  it('are answered over a connection in the agreed shape', async () => {
    const { folder, connection, session } = await evaluated();
    await using _ = folder;
    const { header } = await sendRequest(connection, sessionReport, { session });
    expect(header).toMatchObject({
      id: 'a',
      file: { name: 'a.json' },
      state: 'fresh',
      sessionsInFile: 2,
      strip: { turns: 2 },
    });
    const { rows } = await sendRequest(connection, turns, { session, from: 0, count: 50 });
    expect(rows).toMatchObject([
      { index: 0, steps: [{ type: 'tool' }, { type: 'agent', turns: 1, calls: 1 }] },
      { index: 1, stepsOmitted: 70 },
    ]);
    expect((await sendRequest(connection, explanations, { session })).metrics[0]?.metric).toBe('session_risk');
    expect((await sendRequest(connection, signals, { session })).available).toContain('turn_risk');
    const [group] = (await sendRequest(connection, problemGroups, { session })).groups;
    const wanted = { session, group: 0, offset: 0, limit: 5 };
    expect((await sendRequest(connection, groupOccurrences, wanted)).total).toBe(group?.count);
    expect((await sendRequest(connection, sessionRun, { session })).run).toMatchObject({
      outcome: { status: 'unknown', source: null },
      warnings: [],
    });
    const { summary } = await sendRequest(connection, timelineSummary, { session });
    expect(summary).toMatchObject({ timed: { turns: 0, steps: 0 }, tokens: null });
    const page = { session, from: 1, count: 2 };
    expect((await sendRequest(connection, timelineRows, page)).rows).toMatchObject([
      { type: 'tool', turn: 0, step: 0, depth: 1, name: 'refund', startMs: null },
      { type: 'agent', turn: 0, step: 1, depth: 1 },
    ]);
    expect((await sendRequest(connection, markdown, { session, turn: null })).text).toContain('## Turn 2');
    expect((await sendRequest(connection, prompt, { session, turn: 0, metric: 'turn_risk' })).sentences).toHaveLength(
      1,
    );
  });

  it('make a scenario of the session, which the folder of scenarios gets', async () => {
    const { folder, connection, session, path } = await evaluated();
    await using _ = folder;
    const made = await sendRequest(connection, scenarioFromSession, { session, turn: 0 });
    if ('error' in made) throw new Error(made.error);
    expect(made.name).toBe('Refund order A-1, please. (turn 1)');
    expect(made.text.split('\n')[made.blankLine ?? -1]).toContain('# TODO: what should have happened?');
    expect(made.text).toContain('# - unknown-tool (high): ');

    const uri = pathToFileURL(path).href;
    const here = pathToFileURL(folder.path).href;
    expect(await sendRequest(connection, newScenarioPlace, { uri })).toEqual({
      folder: here,
      configuration: null,
      agents: [],
    });
    const configuration = join(folder.path, 'turnwise.config.yaml');
    await writeFile(
      configuration,
      'scenarios: [tests/agent/**/*.scenario.yaml]\nsimulation: { agents: { support: { endpoint: "http://localhost:1" } } }',
    );
    expect(await sendRequest(connection, newScenarioPlace, { uri })).toMatchObject({
      folder: `${here}/tests/agent`,
      configuration: pathToFileURL(configuration).href,
      agents: [{ name: 'support', type: 'chat_completions' }],
    });
  });

  it('make no scenario where the trace changed, or was not evaluated', async () => {
    const { folder, connection, session, path } = await evaluated();
    await using _ = folder;
    await writeFile(path, '{}');
    expect(await sendRequest(connection, scenarioFromSession, { session, turn: 0 })).toEqual({
      error: 'The trace changed after the evaluation. Evaluate it again.',
    });
    expect(await sendRequest(connection, scenarioFromSession, { session: 'file:///x#y', turn: null })).toEqual({
      error: 'The results of this session are no longer available. Evaluate its file again.',
    });
  });

  it('lead to further steps, the rest of a text and sub-agents', async () => {
    const { folder, connection, session } = await evaluated();
    await using _ = folder;
    const further = await sendRequest(connection, steps, { session, turn: 1, from: 50, count: 60 });
    expect(further.rows).toHaveLength(60);
    expect(further.rows[0]).toMatchObject({ index: 50, text: { text: 'step 50' } });
    expect(further.omitted).toBe(10);
    const field = { session, turn: 1, step: null, field: 'output', item: 0 } as const;
    const rest = await sendRequest(connection, fullText, { ...field, from: 4000, count: 3000 });
    expect(rest.excerpt).toMatchObject({ omitted: 2000 });
    expect(rest.excerpt?.text).toHaveLength(3000);
    const path = [{ turn: 0, step: 1 }];
    expect((await sendRequest(connection, turns, { session, path, from: 0, count: 9 })).rows).toMatchObject([
      { output: { text: 'a needle' } },
    ]);
    expect((await sendRequest(connection, steps, { session, path, turn: 0, from: 0, count: 9 })).rows).toMatchObject([
      { name: 'refund' },
    ]);
  });

  it('find texts at their locations', async () => {
    const { folder, connection, session } = await evaluated();
    await using _ = folder;
    const result = await sendRequest(connection, searchTurns, { session, query: { text: 'needle' } });
    expect(result).toMatchObject({ turns: [0], occurrences: 1, hits: [{ citation: { step: 1, field: 'whole' } }] });
  });

  it('find the turn of a line, and the location of a turn', async () => {
    const { folder, connection, session, other, uri } = await evaluated();
    await using _ = folder;
    const lines = TRACE.split('\n');
    const onLine = async (line: number, character: number) =>
      (await sendRequest(connection, turnAt, { uri, position: { line, character } })).turn;
    const at = (needle: string) =>
      onLine(
        lines.findIndex((line) => line.includes(needle)),
        3,
      );
    expect(await at('Refund order')).toEqual({ session, index: 0 });
    expect(await at('needle')).toEqual({ session, index: 0 });
    expect(await at('step 77')).toEqual({ session, index: 1 });
    expect(await at('Hello.')).toEqual({ session: other, index: 0 });
    expect(await at('"turnwise"')).toBeNull();
    const { location } = await sendRequest(connection, turnLocation, { session, turn: 1 });
    expect(lines[location?.range.start.line ?? 0]).toContain('{');
    expect(lines[(location?.range.start.line ?? 0) + 1]).toContain('Thanks.');
    const { line = 0, character = 0 } = location?.range.start ?? {};
    expect(character).toBeGreaterThan(0);
    expect(await onLine(line, 0)).toEqual({ session, index: 1 });
    expect(await onLine(line - 1, 0)).toEqual({ session, index: 0 });
    expect((await sendRequest(connection, turnLocation, { session, turn: 9 })).location).toBeNull();
  });

  it('report the turns that another evaluation has changed', async () => {
    const { folder, connection, session, uri } = await evaluated();
    await using _ = folder;
    const since = (await sendRequest(connection, sessionReport, { session })).header?.revision ?? 0;
    expect(await sendRequest(connection, reportChanges, { session, since })).toEqual({ revision: since, turns: [] });
    await sendRequest(connection, evaluate, { uris: [uri] });
    const again = await sendRequest(connection, reportChanges, { session, since });
    expect(again).toEqual({ revision: since + 1, turns: [] });
  });

  it('say when a file cannot be read as it was evaluated', async () => {
    const { folder, connection, session, path } = await evaluated();
    await using _ = folder;
    await writeFile(path, TRACE.replace('A-1', 'A-9'));
    const { rows } = await sendRequest(connection, turns, { session, from: 0, count: 1 });
    expect(rows).toMatchObject([{ unread: true, input: null, steps: [] }]);
    expect(rows[0]?.problems.length).toBeGreaterThan(0);
    expect((await sendRequest(connection, markdown, { session, turn: 0 })).text).toBeNull();
  });

  it('write feedback beside the trace in a trusted folder', async () => {
    const { folder, connection, session, path } = await evaluated();
    await using _ = folder;
    const feedback = { value: 'down', note: 'No.' } as const;
    const written = await sendRequest(connection, saveFeedback, { session, turn: 0, of: { type: 'turn' }, feedback });
    expect(written).toEqual({ written: path.replace('.json', '.turnwise.json') });
    const { rows } = await sendRequest(connection, turns, { session, from: 0, count: 1 });
    expect(rows).toMatchObject([{ feedback }]);
    expect((await sendRequest(connection, sessionReport, { session })).header?.state).toBe('fresh');

    const silent = { feedback: null, isCounted: true, isRecorded: false };
    expect(await sendRequest(connection, sessionFeedback, { session })).toEqual(silent);
    await sendRequest(connection, saveFeedback, { session, turn: null, of: { type: 'turn' }, feedback });
    const given = { feedback, isCounted: false, isRecorded: false };
    expect(await sendRequest(connection, sessionFeedback, { session })).toMatchObject(given);

    const untrusted = await evaluated(false);
    await using other = untrusted.folder;
    const input = { session: untrusted.session, turn: 0, of: { type: 'turn' }, feedback } as const;
    expect(await sendRequest(untrusted.connection, saveFeedback, input)).toEqual({
      error: expect.stringContaining('not trusted'),
    });
    await expect(readFile(join(other.path, 'a.turnwise.json'))).rejects.toThrow('ENOENT');
  });

  it('are empty for a session without results', async () => {
    const connection = await connected();
    const session = 'file:///none.json#x';
    expect(await sendRequest(connection, sessionReport, { session })).toEqual({ header: null });
    expect(await sendRequest(connection, turns, { session, from: 0, count: 5 })).toEqual({ rows: [] });
    expect(await sendRequest(connection, searchTurns, { session, query: { text: 'x' } })).toMatchObject({ turns: [] });
    expect(await sendRequest(connection, explanations, { session })).toMatchObject({ metrics: [] });
    expect(await sendRequest(connection, reportChanges, { session, since: 0 })).toMatchObject({ turns: null });
    expect(
      await sendRequest(connection, fullText, {
        session,
        turn: 0,
        step: null,
        field: 'input',
        item: 0,
        from: 0,
        count: 1,
      }),
    ).toEqual({ excerpt: null });
    const feedback = { session, turn: 0, of: { type: 'turn' }, feedback: null } as const;
    expect(await sendRequest(connection, saveFeedback, feedback)).toHaveProperty('error');
  });

  it.each([
    [turns.method, { session: 's', from: -1, count: 1 }],
    [turns.method, { session: 's', from: 0, count: 101 }],
    [steps.method, { session: 's', turn: 0, from: 0, count: 1e9 }],
    [fullText.method, { session: 's', turn: 0, step: 0, field: 'constructor', item: 0, from: 0, count: 1 }],
    [searchTurns.method, { session: 's', query: { text: 'x'.repeat(2000) } }],
    [turnAt.method, { uri: 'https://example.com', position: { line: 0, character: 0 } }],
    [saveFeedback.method, { session: 's', turn: 0, of: { type: 'metric' }, feedback: null }],
  ])('are refused in another shape: %s %j', async (method, params) => {
    const connection = await connected();
    await expect(connection.sendRequest(method, params)).rejects.toThrow('agreed shape');
  });
});
