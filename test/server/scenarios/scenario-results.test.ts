import { readFile, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CancellationTokenSource,
  DidChangeWatchedFilesNotification,
  DidRenameFilesNotification,
  FileChangeType,
  type FileEvent,
} from 'vscode-languageserver/node';
import { onNotification } from '../../../src/protocol/rpc.ts';
import { debuggerNeeded } from '../../../src/protocol/scenarios.ts';
import { FILE, REFUND, Shop } from './shop.ts';

const IMPORT = "import { scenario } from 'turnwise';\n";
const HELLO = `${IMPORT}scenario('hello', { turns: [{ userMessage: 'Hello' }] });\n`;

/** What a run of a file says, each problem with its line. */
async function problemsOf(shop: Shop, name: string) {
  const { problems } = await shop.run({ files: [{ uri: shop.uri(name) }] });
  return problems.map(({ severity, message, location: { uri, range } }) =>
    [severity, `${uri.slice(uri.lastIndexOf('/') + 1)}:${range.start.line + 1}`, message].join(' '),
  );
}

describe('scenarios that cannot be run', () => {
  it('are refused in an untrusted workspace, and nothing runs', async () => {
    await using shop = await Shop.open({}, { trusted: false });
    const ran = await shop.run();
    expect(ran).toMatchObject({ complete: false, results: [] });
    expect(ran.problems.map(({ message }) => message)).toEqual([
      'Scenarios run code of the workspace, which is not trusted. Trust it and run them again.',
    ]);
    expect(shop.progress).toEqual([]);
  });

  it('say what is missing with the line: an agent, a variable, a name of its own, a loadable file', async () => {
    await using shop = await Shop.open({
      'a.sim.ts': `${IMPORT}\nscenario('a', { agent: 'shpo', turns: [{ userMessage: 'x' }] });\n`,
      'same.sim.ts': `${HELLO}scenario('hello', { turns: [{ userMessage: 'x' }] });\n`,
      'broken.sim.ts': `${IMPORT}\nthrow new Error('no database');\n`,
    });
    expect(await problemsOf(shop, 'a.sim.ts')).toEqual([
      'error a.sim.ts:3 "a" tries the agent "shpo", which the configuration does not have. Did you mean "shop"? Agents: shop.',
    ]);
    expect(await problemsOf(shop, 'same.sim.ts')).toEqual([
      'error same.sim.ts:3 "hello": Two scenarios of this file are named "hello". Give each its own name.',
    ]);
    expect(await problemsOf(shop, 'broken.sim.ts')).toEqual([
      'error broken.sim.ts:3 The file could not be loaded: no database.',
    ]);
    const headers = { authorization: ['Bearer $', '{NO_SUCH_KEY}'].join('') };
    const agents = { shop: { endpoint: shop.endpoint, headers } };
    await shop.write('turnwise.config.json', JSON.stringify({ simulation: { agents } }, null, 1));
    expect(await problemsOf(shop, FILE)).toEqual([
      expect.stringMatching(/^error turnwise\.config\.json:\d+ .*NO_SUCH_KEY/),
    ]);
  });

  it.each([
    ['closed', undefined, /127\.0\.0\.1:9 .*/],
    ['slow', 'slow', /did not answer within 1 s\. Raise `requestTimeoutMs` to wait longer\./],
    ['garbage', 'garbage', /answered with something that is not JSON instead of JSON\./],
  ])('are undecided where the agent is %s, with the reason in a message', async (what, fault, sentence) => {
    await using shop = await Shop.open();
    if (what === 'closed') shop.endpoint = 'http://127.0.0.1:9/v1/chat/completions';
    await shop.configure(fault);
    const { results, problems } = await shop.run();
    expect(results[0]).toMatchObject({ verdict: 'undecided', summary: '1 attempt, success unknown' });
    const [attempt] = results[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ verdict: 'undecided', turns: 1 });
    expect(attempt?.messages[0]).toMatchObject({
      text: expect.stringMatching(sentence),
      location: { uri: shop.uri(), range: { start: { line: 31 } } },
    });
    expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(sentence)]);
  });

  it('run on without those whose user only a model could play', async () => {
    const text = `${IMPORT}scenario('talk', { profile: 'A customer', goal: 'A refund' });\n`;
    await using shop = await Shop.open({ 'talk.sim.ts': text });
    const { results } = await shop.run({ files: [{ uri: shop.uri('talk.sim.ts') }], attempts: 1 });
    expect(results[0]?.attempts[0]?.messages[0]?.text).toMatch(/^needs_judge: its user is simulated by a model/);
  });
});

const SLOW = `${IMPORT}
scenario('quick', { turns: [{ userMessage: 'Please refund order A-1001.' }], mocks: { tools: { get_order: () => ({}) } } });
scenario('stuck', {
  turns: [{ userMessage: 'Please refund order A-1001.' }],
  mocks: { tools: { get_order: () => { console.log('waiting'); return new Promise(() => {}); } } },
});
`;

describe('a run of scenarios', () => {
  it('ends within a second when it is cancelled, and keeps what was finished', async () => {
    await using shop = await Shop.open({ 'slow.sim.ts': SLOW });
    await shop.configure(undefined, { requestTimeoutMs: 60_000 });
    const stop = new CancellationTokenSource();
    const running = shop.run({ files: [{ uri: shop.uri('slow.sim.ts') }], attempts: 1 }, stop.token);
    while (!shop.output.includes('waiting') || !shop.progress.some(({ phase }) => phase === 'evaluating')) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const cancelledAt = performance.now();
    stop.cancel();
    const { complete, results } = await running;
    expect(performance.now() - cancelledAt).toBeLessThan(1000);
    expect(complete).toBe(false);
    expect(results.map(({ name, attempts, run }) => [name, attempts.length, run])).toEqual([['quick', 1, null]]);
    // What was cut off is no run.
    expect(shop.store.list({ project: shop.project })).toEqual([]);
  });

  it('replays the last attempt without the agent, and fails where more is expected', async () => {
    await using shop = await Shop.open();
    const missing = await shop.run({ isReplay: true });
    expect(missing.problems.map(({ message, location }) => [location.range.start.line, message])).toEqual([
      [31, `"${REFUND}" cannot be replayed: no attempt at it is recorded. Run it once.`],
    ]);
    const { results: recorded } = await shop.run();
    shop.endpoint = 'http://127.0.0.1:9/v1/chat/completions';
    await shop.configure();
    const replayed = await shop.run({ isReplay: true, attempts: 3 });
    expect(replayed).toMatchObject({ problems: [], results: [{ verdict: 'passed', attempts: [{ agent: 'shop' }] }] });
    expect(replayed.results[0]?.attempts[0]?.uri).not.toBe(recorded[0]?.attempts[0]?.uri);
    expect(replayed.results[0]).toMatchObject({ previousRun: recorded[0]?.run });
    const text = await readFile(join(shop.project, FILE), 'utf8');
    await shop.write(FILE, text.replace('amount: 42.5 } }]', 'amount: 42 } }]'));
    expect((await shop.run({ isReplay: true })).results).toMatchObject([{ verdict: 'failed' }]);
  });

  it('waits for a debugger, and goes on when one says so', async () => {
    await using shop = await Shop.open();
    const needed = Promise.withResolvers<number>();
    onNotification(shop.editor.connection, debuggerNeeded, ({ port }) => needed.resolve(port));
    const running = shop.run({ isDebug: true });
    const port = await needed.promise;
    const listed: unknown = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    const url = /ws:[^"]+/.exec(JSON.stringify(listed))?.[0] ?? '';
    const socket = new WebSocket(url);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    for (const [id, method] of ['Debugger.enable', 'Runtime.runIfWaitingForDebugger', 'Debugger.resume'].entries()) {
      socket.send(JSON.stringify({ id, method }));
    }
    socket.addEventListener('message', ({ data }) => {
      if (String(data).includes('Debugger.paused')) socket.send('{"id":9,"method":"Debugger.resume"}');
    });
    expect((await running).results).toMatchObject([{ verdict: 'passed' }]);
    socket.close();
    const two = await shop.run({ isDebug: true, files: [{ uri: shop.uri() }, { uri: shop.uri('b.sim.ts') }] });
    expect(two.problems[0]?.message).toBe('One scenario file can be debugged at a time. Choose one.');
  });
});

describe('results of scenarios', () => {
  it('are there after a restart of the server, with messages and reports of attempts', async () => {
    await using shop = await Shop.open();
    await shop.configure('wrong-amount');
    await shop.run();
    const { results } = await shop.run({ attempts: 2 });
    await shop.connect();
    const forget = ({ attempts, ...result }: (typeof results)[number]) => ({
      ...result,
      finishedAt: null,
      attempts: attempts.map((attempt) => ({ ...attempt, session: null, durationMs: null, output: '' })),
    });
    expect((await shop.results()).map(forget)).toEqual(results.map(forget));
    expect(results[0]).toMatchObject({ previousRun: expect.any(String), verdict: 'failed' });
    const later = new Date(Date.now() + 5000);
    await utimes(join(shop.project, FILE), later, later);
    expect(await shop.results(FILE)).toMatchObject([{ isStale: true }]);
  });

  it('are stale when the file or its configuration has changed, and follow a file that is renamed', async () => {
    await using shop = await Shop.open();
    await shop.run();
    const { connection } = shop.editor;
    expect(await shop.results(FILE)).toMatchObject([{ isStale: false }]);
    const later = new Date(Date.now() + 5000);
    const before = shop.changed.length;
    await utimes(join(shop.project, 'turnwise.config.json'), later, later);
    const changes: FileEvent[] = [{ uri: shop.uri('turnwise.config.json'), type: FileChangeType.Changed }];
    await connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
    expect(await shop.results(FILE)).toMatchObject([{ isStale: true }]);
    expect(shop.changed.slice(before)).toEqual([[shop.uri()]]);

    await rename(join(shop.project, FILE), join(shop.project, 'new.sim.ts'));
    const files = [{ oldUri: shop.uri(), newUri: shop.uri('new.sim.ts') }];
    await connection.sendNotification(DidRenameFilesNotification.type, { files });
    await expect.poll(async () => (await shop.results('new.sim.ts')).length).toBe(1);
    expect(await shop.results(FILE)).toEqual([]);
    await shop.write('new.sim.ts', HELLO);
    expect(await shop.results()).toEqual([]);
  });
});
