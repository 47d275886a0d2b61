import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CodeLensRequest, WorkDoneProgress } from 'vscode-languageserver/node';
import { evaluateFiles as ofLibrary } from '../../src/app/evaluate-files.ts';
import type { RunEvent } from '../../src/engine/events.ts';
import { documentEdited, evaluate, sessionProblems, sessions } from '../../src/protocol/messages.ts';
import { sendRequest } from '../../src/protocol/rpc.ts';
import type { EvaluateFiles } from '../../src/server/evaluation/evaluator.ts';
import type { LoadedFiles } from '../../src/server/evaluation/group-evaluation.ts';
import { ChangingFiles } from '../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from './connected-editor.ts';

const A = '/traces/a.trace.json';
const B = '/traces/b.trace.json';
const uri = (path: string) => `file://${path}`;
const PAGE = { offset: 0, limit: 1000 };

/** Evaluates at once, and tells what happened as slowly as the test wants. */
class Slowly {
  isSlow = true;
  #told = 0;
  #allowed = 0;
  #wake: () => void = () => {};
  readonly #waits = new Map<number, () => void>();

  readonly evaluateFiles: EvaluateFiles = async (paths, configuration, options) => {
    const events: RunEvent[] = [];
    let read: LoadedFiles | undefined;
    const evaluated = await ofLibrary(paths, configuration, {
      ...options,
      onRead: (all) => {
        read = all;
      },
      onResult: (event) => events.push(event),
    });
    if (read) options.onRead?.(read);
    for (const event of events) {
      while (this.isSlow && this.#told >= this.#allowed) {
        this.#waits.get(this.#told)?.();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      options.onResult(event);
      this.#told += 1;
    }
    return evaluated;
  };

  /** Lets so many more events happen: each turn is one, and each beginning and end of a session or a run. */
  allow(count: number): void {
    this.#allowed += count;
    this.#wake();
  }

  allowAll(): void {
    this.isSlow = false;
    this.#wake();
  }
}

async function slow(files: Readonly<Record<string, string>>) {
  const slowly = new Slowly();
  const disk = new ChangingFiles(files);
  const editor = await ConnectedEditor.to({ files: disk, evaluateFiles: slowly.evaluateFiles });
  const start = (path = '/traces') => sendRequest(editor.connection, evaluate, { uris: [uri(path)] });
  const rows = async () => (await sendRequest(editor.connection, sessions, PAGE)).rows;
  /** How far the sessions are, by their files. */
  const done = async () => {
    return Object.fromEntries(
      (await rows()).map(({ location, turnsDone, turns }) => [location.uri.slice(-12, -11), [turnsDone, turns]]),
    );
  };
  const untilDone = async (wanted: Readonly<Record<string, readonly [number | null, number]>>) => {
    for (;;) {
      const changeCount = editor.changes.length;
      if (isDeepStrictEqual(await done(), wanted)) return;
      await editor.until(() => editor.changes.length > changeCount);
    }
  };
  const lenses = async (path: string) => {
    const lenses = await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: uri(path) } });
    const shown = (lenses ?? []).map(({ range, command }) => [range.start.line, command?.title ?? ''] as const);
    return shown.filter(([, title]) => title !== 'Evaluate Again');
  };
  const result = async () => {
    const all = (await rows()).map(({ key }) =>
      sendRequest(editor.connection, sessionProblems, { session: key, ...PAGE }),
    );
    return (await Promise.all(all)).map((item) => item.rows);
  };
  return {
    editor,
    disk,
    slowly,
    start,
    rows,
    untilDone,
    lenses,
    found: result,
    [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose](),
  };
}

describe('a slow evaluation', () => {
  it('shows each turn when it is evaluated, and the session when all are', async () => {
    await using there = await slow({ [A]: trace({ turns: 3 }) });
    const { slowly, untilDone, start, rows, lenses, editor, found } = there;
    const over = start();
    slowly.allow(2);
    await untilDone({ a: [1, 3] });
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'fresh', verdict: 'undecided', risk: null, why: [] });
    expect((await lenses(A))[0]?.[1]).toContain('1 of 3 turns');
    expect((await found()).flat().map(({ turn }) => turn)).toContain(0);
    expect((await found()).flat().every(({ turn }) => turn === 0)).toBe(true);
    expect(editor.shown.get(uri(A))?.length).toBeGreaterThan(0);

    slowly.allow(2);
    await untilDone({ a: [3, 3] });
    expect(await lenses(A)).toHaveLength(4);
    slowly.allow(1);
    await untilDone({ a: [null, 3] });
    expect((await rows())[0]).toMatchObject({ verdict: 'failed', risk: expect.any(Number) });
    slowly.allowAll();
    await expect(over).resolves.toMatchObject({ complete: true, sessions: 1 });
  });

  it('ends with the same results as a fast one', async () => {
    const files = { [A]: trace({ turns: 4 }), [B]: trace({ turns: 3, says: 'I am done, thanks.' }) };
    await using slowOne = await slow(files);
    await using fastOne = await slow(files);
    fastOne.slowly.allowAll();
    await fastOne.start();
    const over = slowOne.start();
    for (const step of [2, 1, 3, 2]) {
      const changeCount = slowOne.editor.changes.length;
      slowOne.slowly.allow(step);
      await slowOne.editor.until(() => slowOne.editor.changes.length > changeCount);
    }
    slowOne.slowly.allowAll();
    await over;
    expect(await slowOne.rows()).toEqual(await fastOne.rows());
    expect(await slowOne.found()).toEqual(await fastOne.found());
    expect(await slowOne.lenses(A)).toEqual(await fastOne.lenses(A));
    expect(slowOne.editor.shown).toEqual(fastOne.editor.shown);
  });

  it('keeps earlier results visible until its own turns arrive, each at its location', async () => {
    await using there = await slow({ [A]: trace({ turns: 3 }) });
    const { slowly, untilDone, start, rows, lenses, editor, disk, found } = there;
    slowly.isSlow = false;
    await start();
    const [before] = await rows();
    const [places, messages] = [await lenses(A), (await found()).flat().length];

    // Two lines more at the beginning, typed in the editor and saved.
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    disk.write(A, `\n\n${trace({ turns: 3 })}`);
    const typed = { uri: uri(A), edits: [{ range, lines: 2, lastLength: 0 }], isDirty: true };
    await editor.connection.sendNotification(documentEdited.method, typed);
    await editor.connection.sendNotification(documentEdited.method, { ...typed, edits: [], isDirty: false });
    await editor.untilStates({ 'a.trace.json': 'stale' });
    slowly.isSlow = true;
    const over = start();
    // Each turn that has landed before is one event, so that the first of these is the first turn's.
    slowly.allow(7);
    await untilDone({ a: [1, 3] });
    const [now] = await rows();
    expect(now).toEqual({
      ...before,
      turnsDone: 1,
      state: 'stale',
      changed: 'file',
      location: { uri: uri(A), range: { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } } },
    });
    expect((await found()).flat()).toHaveLength(messages);
    const lines = (text: readonly (readonly [number, string])[]) => text.map(([line]) => line);
    expect(lines(await lenses(A))).toEqual(lines(places).map((line) => line + 2));
    slowly.allowAll();
    await over;
    expect(await editor.states()).toEqual({ 'a.trace.json': 'fresh' });
    expect(lines(await lenses(A))).toEqual(lines(places).map((line) => line + 2));
  });

  it('moves results with what is typed meanwhile', async () => {
    await using there = await slow({ [A]: trace({ turns: 3 }) });
    const { slowly, untilDone, start, found, editor } = there;
    const lines = async () => (await found()).flat().map(({ location }) => location.range.start.line);
    const over = start();
    slowly.allow(2);
    await untilDone({ a: [1, 3] });
    const before = await lines();
    expect(before).not.toEqual([]);
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const typed = { uri: uri(A), edits: [{ range, lines: 5, lastLength: 0 }], isDirty: true };
    await editor.connection.sendNotification(documentEdited.method, typed);
    const after = await lines();
    expect(after).toEqual(before.map((line) => line + 5));
    slowly.allowAll();
    await over;
    expect((await lines()).slice(0, after.length)).toEqual(after);
    expect(await editor.states()).toEqual({ 'a.trace.json': 'stale' });
  });

  it('shows the progress of each session, also of those that have not started', async () => {
    await using there = await slow({ [A]: trace({ turns: 2 }), [B]: trace({ turns: 4 }) });
    const { slowly, untilDone, start } = there;
    const over = start();
    slowly.allow(2);
    await untilDone({ a: [1, 2], b: [0, 4] });
    slowly.allow(3);
    await untilDone({ a: [null, 2], b: [1, 4] });
    slowly.allowAll();
    await over;
    await untilDone({ a: [null, 2], b: [null, 4] });
  });

  it('reports its progress in turns', async () => {
    await using there = await slow({ [A]: trace({ turns: 2 }) });
    const { slowly, editor } = there;
    slowly.isSlow = false;
    const messages: unknown[] = [];
    editor.connection.onProgress(WorkDoneProgress.type, 'mine', (value) => void messages.push(value));
    await sendRequest(editor.connection, evaluate, { uris: [uri(A)], workDoneToken: 'mine' });
    expect(messages.at(0)).toMatchObject({ kind: 'begin' });
    expect(messages.at(-1)).toEqual({ kind: 'end' });
  });

  it('refreshes at most five times a second', async () => {
    await using there = await slow({ [A]: trace({ turns: 400 }) });
    const { slowly, start, editor } = there;
    const over = start();
    slowly.allow(2);
    await editor.until(() => editor.changes.length > 0);
    const [before, begun] = [editor.changes.length, performance.now()];
    for (let at = 0; at < 30; at += 1) {
      slowly.allow(10);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const elapsed = performance.now() - begun;
    const changeCount = editor.changes.length - before;
    slowly.allowAll();
    await over;
    expect(changeCount).toBeGreaterThan(0);
    expect(changeCount).toBeLessThanOrEqual(1 + elapsed / 200);
  });
});
