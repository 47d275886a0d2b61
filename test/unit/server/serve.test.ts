import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CancellationTokenSource,
  createConnection,
  createProtocolConnection,
  type Diagnostic,
  DiagnosticSeverity,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
  WorkDoneProgress,
} from 'vscode-languageserver/node';
import { createProblem } from '../../../src/core/problem.ts';
import type { Report } from '../../../src/core/report.ts';
import { clear, evaluate, sessionProblems, sessions } from '../../../src/protocol/messages.ts';
import { sessionReport as reportOf, resolveLocation } from '../../../src/protocol/report.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { turns } from '../../../src/protocol/turn-rows.ts';
import type { EvaluateFiles } from '../../../src/server/evaluation/evaluator.ts';
import { serve } from '../../../src/server/serve.ts';
import { memoryFileSystem } from '../input/memory-file-system.ts';
import { FakeLocator, group, occurrence, report, session } from './report-fixture.ts';

const FILE = '/traces/a.json';
const URI = 'file:///traces/a.json';

const FAILING: Partial<Report> = {
  sessions: [session('a', FILE, { verdict: 'failed' })],
  failures: [
    group('wrong tool', 'high', occurrence({ session: 'a', file: FILE, turn: 1, pointer: '/x', rule: 'unknown-tool' })),
    group('missing tool call', 'medium', occurrence({ session: 'a', file: FILE, turn: 2 })),
    group('repetition', 'low', occurrence({ session: 'a', file: FILE, turn: 3 })),
    group('unsafe action', 'critical', occurrence({ session: 'a', file: FILE, turn: 4 })),
  ],
};

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

interface Client {
  readonly connection: ProtocolConnection;
  /** What is shown on a file. */
  readonly shown: ReadonlyMap<string, readonly Diagnostic[]>;
}

/** A server and an editor with a pipe between them. */
async function connect(evaluateFiles: EvaluateFiles): Promise<Client> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const connection = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  open.push(() => {
    connection.dispose();
    server.dispose();
  });
  const text = new Map<string, readonly Diagnostic[]>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    text.set(uri, diagnostics);
  });
  serve(server, evaluateFiles, memoryFileSystem({ [FILE]: '{\n  "x": [1, 2]\n}' }));
  connection.listen();
  await connection.sendRequest(InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  return { connection, shown: text };
}

/** Answers one report after the other. */
function answering(...parts: readonly Partial<Report>[]): EvaluateFiles {
  const left = parts.map(report);
  return async () => {
    const next = left.shift();
    if (!next) throw new Error('No report is left.');
    return { report: next, sessions: [], locator: new FakeLocator({ '/x': [3, 5, 3, 9] }) };
  };
}

const page = { offset: 0, limit: 10 };

describe('the language server', () => {
  it('shows problems as diagnostics, and lists the sessions of a file', async () => {
    const { connection, shown } = await connect(answering(FAILING));
    await expect(sendRequest(connection, evaluate, { uris: [URI] })).resolves.toEqual({
      complete: true,
      sessions: 1,
      problems: [],
    });
    expect(shown.get(URI)?.[0]).toEqual({
      range: { start: { line: 2, character: 4 }, end: { line: 2, character: 8 } },
      message: 'It went wrong.',
      severity: DiagnosticSeverity.Error,
      code: 'unknown-tool',
      source: 'Turnwise',
    });
    expect(shown.get(URI)?.map(({ severity }) => severity)).toEqual([
      DiagnosticSeverity.Error,
      DiagnosticSeverity.Warning,
      DiagnosticSeverity.Information,
      DiagnosticSeverity.Error,
    ]);
    const listed = await sendRequest(connection, sessions, page);
    expect(listed).toMatchObject({ total: 1, rows: [{ id: 'a', verdict: 'failed' }] });
    const result = await sendRequest(connection, sessionProblems, { session: listed.rows[0]?.key ?? '', ...page });
    expect(result.rows.map(({ turn }) => turn)).toEqual([1, 2, 3, 4]);
  });

  it('removes the diagnostics of fixed and of cleared files', async () => {
    const { connection, shown } = await connect(answering(FAILING, { sessions: [session('a', FILE)] }, FAILING));
    await sendRequest(connection, evaluate, { uris: [URI] });
    expect(shown.get(URI)).toHaveLength(4);
    await sendRequest(connection, evaluate, { uris: [URI] });
    expect(shown.get(URI)).toHaveLength(0);
    await sendRequest(connection, evaluate, { uris: [URI] });
    await sendRequest(connection, clear, {});
    expect(shown.get(URI)).toHaveLength(0);
    expect(await sendRequest(connection, sessions, page)).toEqual({ total: 0, rows: [], problems: [] });
  });

  it('gives the report of a session and its turns until results are cleared', async () => {
    const turn = { id: 't', index: 0, pointer: '/x', line: 2, metrics: {} };
    const { connection } = await connect(answering({ sessions: [session('a', FILE, { turns: [turn] })] }));
    await sendRequest(connection, evaluate, { uris: [URI] });
    const [row] = (await sendRequest(connection, sessions, { uri: URI, ...page })).rows;
    const params = { session: row?.key ?? '' };
    expect(await sendRequest(connection, reportOf, params)).toMatchObject({ header: { id: 'a', strip: { turns: 1 } } });
    const range = { ...params, from: 0, count: 10 };
    expect(await sendRequest(connection, turns, range)).toMatchObject({ rows: [{ index: 0, line: 2, unread: true }] });
    expect(await sendRequest(connection, turns, { ...range, from: 1 })).toEqual({ rows: [] });
    await sendRequest(connection, clear, {});
    expect(await sendRequest(connection, reportOf, params)).toEqual({ header: null });
    expect(await sendRequest(connection, turns, range)).toEqual({ rows: [] });
  });

  it('finds a value in its file', async () => {
    const { connection } = await connect(answering());
    const { location } = await sendRequest(connection, resolveLocation, { uri: URI, pointer: '/x/1' });
    const start = { line: 1, character: 11 };
    expect(location).toEqual({ uri: URI, range: { start, end: { line: 1, character: 12 } } });
    await expect(sendRequest(connection, resolveLocation, { uri: 'file:///none.json', pointer: '' })).rejects.toThrow(
      'ENOENT',
    );
  });

  it('reports the problems of a file, and keeps them', async () => {
    const { connection } = await connect(
      answering({ problems: [createProblem('error', 'x', FILE, 'Broken.', { line: 3 })] }),
    );
    const { problems } = await sendRequest(connection, evaluate, { uris: [URI] });
    expect(problems).toMatchObject([{ severity: 'error', message: 'Broken.', location: { uri: URI } }]);
    expect((await sendRequest(connection, sessions, page)).problems).toEqual(problems);
  });

  it('reports its progress under the token of the request', async () => {
    const { connection } = await connect(async (_paths, _configuration, { onFile, onResult }) => {
      onFile(FILE);
      onResult({ type: 'started', sessions: 1, turns: 2 });
      return { report: report(), sessions: [], locator: new FakeLocator() };
    });
    const reported: unknown[] = [];
    connection.onProgress(WorkDoneProgress.type, 'mine', (value) => void reported.push(value));
    await sendRequest(connection, evaluate, { uris: [URI], workDoneToken: 'mine' });
    expect(reported).toEqual([
      expect.objectContaining({ kind: 'begin' }),
      { kind: 'report', message: '1 file read' },
      { kind: 'end' },
    ]);
  });

  it('stops when the request is cancelled, and keeps earlier results', async () => {
    const stop = new CancellationTokenSource();
    const evaluateFiles: EvaluateFiles = (_paths, _configuration, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        stop.cancel();
      });
    const { connection } = await connect(evaluateFiles);
    await expect(sendRequest(connection, evaluate, { uris: [URI] }, stop.token)).resolves.toEqual({
      complete: false,
      sessions: 0,
      problems: [],
    });
  });

  it('keeps what had finished when it was stopped', async () => {
    const run = { ...report().run, complete: false };
    const { connection } = await connect(answering({ run, sessions: [session('a', FILE)] }));
    await expect(sendRequest(connection, evaluate, { uris: [URI] })).resolves.toMatchObject({
      complete: false,
      sessions: 1,
    });
    expect((await sendRequest(connection, sessions, page)).total).toBe(1);
  });

  it('evaluates one request after the other, also after one that failed', async () => {
    const order: string[] = [];
    const { connection } = await connect(async ([path = '']) => {
      order.push(`${path} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${path} ends`);
      if (path === '/1') throw new Error('It broke.');
      return { report: report(), sessions: [], locator: new FakeLocator() };
    });
    const [first, second] = ['file:///1', 'file:///2'].map((uri) => sendRequest(connection, evaluate, { uris: [uri] }));
    await expect(first).rejects.toThrow('It broke.');
    await second;
    expect(order).toEqual(['/1 begins', '/1 ends', '/2 begins', '/2 ends']);
  });

  it.each([{ uris: [] }, { uris: ['https://example.com/a.json'] }, { uris: 'file:///a.json' }, {}, null])(
    'refuses a request that does not have the agreed shape: %j',
    async (params) => {
      const { connection } = await connect(answering());
      await expect(connection.sendRequest(evaluate.method, params)).rejects.toThrow('does not have the agreed shape');
    },
  );
});
