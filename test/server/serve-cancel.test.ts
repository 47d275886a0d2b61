import { describe, expect, it } from 'vitest';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { evaluateFiles as ofLibrary } from '../../src/app/evaluate-files.ts';
import { evaluate, sessions } from '../../src/protocol/messages.ts';
import { sendRequest } from '../../src/protocol/rpc.ts';
import type { EvaluateFiles } from '../../src/server/evaluation/evaluator.ts';
import { hang, startStubModels } from '../support/stub-models.ts';
import { FakeLocator, report } from '../unit/server/report-fixture.ts';
import { ChangingFiles } from '../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from './connected-editor.ts';

const A = '/traces/a.trace.json';
const B = '/traces/b.trace.json';
const uri = (path: string) => `file://${path}`;

/** Evaluates with a judge that the test plays. */
async function judged(files: Readonly<Record<string, string>>) {
  const stub = await startStubModels();
  const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai, concurrency: 1 } as const;
  const evaluateFiles: EvaluateFiles = (paths, _configuration, options) => {
    const env = { TURNWISE_API_KEY: 'tw-mine' };
    return ofLibrary(paths, { judge, metrics: ['helpfulness'] }, { ...options, env, cache: false });
  };
  const disk = new ChangingFiles(files);
  const editor = await ConnectedEditor.to({ files: disk, evaluateFiles });
  const rows = async () => {
    const found = (await sendRequest(editor.connection, sessions, { offset: 0, limit: 10 })).rows;
    const rows = found.map(({ location, turns, turnsDone, state }) => {
      return [location.uri.slice(-12), turns, turnsDone, state, location.range.start.line] as const;
    });
    return rows.toSorted((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1));
  };
  return {
    stub,
    disk,
    editor,
    rows,
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}

/** Evaluates, and stops when the judge is asked about the third question of a session, which it never answers. */
async function stopped({ stub, editor }: Awaited<ReturnType<typeof judged>>) {
  const stop = new CancellationTokenSource();
  const question = Promise.withResolvers<void>();
  stub.play(({ prompt }) => {
    if (!prompt.includes('Question 2?')) return undefined;
    question.resolve();
    return hang;
  });
  const over = sendRequest(editor.connection, evaluate, { uris: [uri('/traces')] }, stop.token);
  await question.promise;
  stop.cancel();
  return over;
}

describe('a cancelled evaluation', () => {
  it('ends without the answers of the judge, and keeps what had finished', async () => {
    await using there = await judged({ [A]: trace({ turns: 1 }), [B]: trace({ turns: 4 }) });
    const evaluated = await stopped(there);
    expect(evaluated).toMatchObject({ complete: false, sessions: 2 });
    // Of the second file nothing was known: what was found in its first turns is better than that.
    expect(await there.rows()).toEqual([
      ['a.trace.json', 1, null, 'fresh', 0],
      ['b.trace.json', 4, null, 'fresh', 0],
    ]);
  });

  it('leaves sessions that it had not reached unchanged', async () => {
    await using there = await judged({ [A]: trace({ turns: 1 }), [B]: trace({ turns: 4 }) });
    const { editor, disk, rows } = there;
    await sendRequest(editor.connection, evaluate, { uris: [uri('/traces')] });
    const before = await rows();
    disk.write(A, trace({ turns: 2 }));
    disk.write(B, trace({ turns: 5 }));
    await stopped(there);
    expect((await rows()).map(([file, turns, , state]) => [file, turns, state])).toEqual([
      ['a.trace.json', 2, 'fresh'],
      ['b.trace.json', 4, 'stale'],
    ]);
    expect(before[1]?.[3]).toBe('fresh');
    expect(await editor.states()).toEqual({ 'a.trace.json': 'fresh', 'b.trace.json': 'stale' });
  });

  it('keeps finished sessions of a file beside earlier ones that had not finished', async () => {
    const both = (...turns: readonly number[]) => `[${turns.map((turn) => trace({ turns: turn })).join(',')}]`;
    await using there = await judged({ [A]: both(1, 4) });
    const { editor, disk, rows } = there;
    await sendRequest(editor.connection, evaluate, { uris: [uri(A)] });
    const [first, second] = await rows();
    expect([first?.[1], second?.[1]]).toEqual([1, 4]);
    disk.write(A, `\n\n${both(2, 5)}`);
    await stopped(there);
    expect((await rows()).map(([, turns, , state]) => [turns, state])).toEqual([
      [2, 'fresh'],
      [4, 'stale'],
    ]);
    expect(await editor.states()).toEqual({ 'a.trace.json': 'stale' });
    // Each stands where it was found, in a text of its own.
    expect((await rows()).map(([, , , , line]) => line)).toEqual([(first?.[4] ?? 0) + 2, second?.[4]]);
  });
});

/** An evaluation that ends when the test lets it, and counts. */
function storedResults() {
  const begun: string[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const evaluateFiles: EvaluateFiles = async (paths) => {
    begun.push([...paths]);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise;
    return { report: report(), sessions: [], locator: new FakeLocator() };
  };
  const isBegun = async (number: number) => {
    while (!ends[number]) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Lets one end, once it has begun. */
  const end = async (number: number) => {
    await isBegun(number);
    ends[number]?.resolve();
  };
  return { begun, evaluateFiles, isBegun, end };
}

describe('evaluation requests', () => {
  it('join one for the same files that has not started, and none that has', async () => {
    const { begun, evaluateFiles, end } = storedResults();
    await using editor = await ConnectedEditor.to({ files: new ChangingFiles(), evaluateFiles });
    const start = (...paths: string[]) => sendRequest(editor.connection, evaluate, { uris: paths.map(uri) });
    const all = [start(A), start(A, B), start(B), start(A), start('/traces')];
    for (const number of [0, 1, 2]) await end(number);
    await Promise.all(all);
    expect(begun).toEqual([[A], [A, B], ['/traces']]);
  });

  it('continue for the others when one is cancelled, and end with the last', async () => {
    const { begun, evaluateFiles, end } = storedResults();
    await using editor = await ConnectedEditor.to({ files: new ChangingFiles(), evaluateFiles });
    const stops = [new CancellationTokenSource(), new CancellationTokenSource()];
    const start = (path: string, stop?: CancellationTokenSource) =>
      sendRequest(editor.connection, evaluate, { uris: [uri(path)] }, stop?.token);
    const first = start(A);
    const [item, other, never] = [start(B, stops[0]), start(B), start('/traces', stops[1])];
    // All of them have come when this is answered; a cancellation overtakes what waits.
    await editor.rows();
    stops[0]?.cancel();
    stops[1]?.cancel();
    // Neither waits for the one that is going on.
    await expect(item).resolves.toMatchObject({ complete: false });
    await expect(never).resolves.toMatchObject({ complete: false });
    await end(0);
    await end(1);
    await expect(other).resolves.toMatchObject({ complete: true });
    await expect(first).resolves.toMatchObject({ complete: true });
    expect(begun).toEqual([[A], [B]]);
  });

  it('that are cancelled do not wait for an evaluation that does not stop', async () => {
    const { evaluateFiles, isBegun, end } = storedResults();
    await using editor = await ConnectedEditor.to({ files: new ChangingFiles(), evaluateFiles });
    const stop = new CancellationTokenSource();
    const stuck = sendRequest(editor.connection, evaluate, { uris: [uri(A)] }, stop.token);
    await isBegun(0);
    stop.cancel();
    await expect(stuck).resolves.toEqual({ complete: false, sessions: 0, problems: [] });
    await end(0);
  });
});
