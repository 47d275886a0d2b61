import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { TurnSelection } from '../../../src/extension/report-panel-types.ts';
import { FakeEditor, fake, window } from './report-vscode.ts';

vi.mock('vscode', () => import('./report-vscode.ts'));
const { formattedUri } = await import('../../../src/extension/formatted-copies.ts');
const { CursorSync } = await import('../../../src/extension/cursor-sync.ts');

const URI = 'file:///t/a.json';
const KEY = `${URI}#s`;

const open: { dispose(): void }[] = [];
beforeEach(() => {
  fake.reset();
  vi.useFakeTimers();
});
afterEach(() => {
  for (const item of open.splice(0)) item.dispose();
  vi.useRealTimers();
});

/** A file with turns of ten lines each, and a report open beside it. */
function following({ isRunning = true, isVisible = true } = {}) {
  const texts: string[] = [];
  const delays: Promise<void>[] = [];
  const answers: Record<string, (params: unknown) => unknown> = {
    'turnwise/turnAt': (params) => {
      const { position } = z.parse(z.object({ position: z.object({ line: z.number() }) }), params);
      return { turn: position.line < 10 ? null : { session: KEY, index: Math.floor(position.line / 10) - 1 } };
    },
    'turnwise/placeOfTurn': (params) => {
      const { turn } = z.parse(z.object({ turn: z.number() }), params);
      const start = { line: 10 * (turn + 1), character: 2 };
      return { location: { uri: URI, range: { start, end: { line: start.line + 9, character: 0 } } } };
    },
  };
  const selected: TurnSelection[] = [];
  const report = {
    uri: URI,
    isPinned: false,
    selected: { session: KEY, turn: null } as TurnSelection,
    select(next: TurnSelection) {
      report.selected = next;
      selected.push(next);
    },
  };
  const follow = new CursorSync({
    server: {
      isRunning,
      async request({ method, result }, params) {
        texts.push(method);
        await delays.shift();
        return z.parse(result, answers[method]?.(params));
      },
    },
    log: { warn: () => {} },
    copies: { locate: async ({ uri, range }) => ({ uri: formattedUri(uri), range }) },
    visible: () => (isVisible ? [report] : []),
  });
  open.push(follow);
  const editor = new FakeEditor(URI);
  window.visibleTextEditors = [editor];
  return { follow, editor, report, selected, requests: texts, delays, rest: () => vi.advanceTimersByTimeAsync(1000) };
}

describe('a cursor in a turn', () => {
  it('selects the turn in the report after a delay', async () => {
    const { editor, selected, requests, rest } = following();
    for (const line of [11, 21, 31]) editor.go(line);
    await rest();
    expect(selected).toEqual([{ session: KEY, turn: 2 }]);
    expect(requests).toEqual(['turnwise/turnAt']);
  });

  it('does not select the selected turn again, or a turn when it is before the first one', async () => {
    const { editor, selected, rest } = following();
    for (const line of [31, 35, 3]) {
      editor.go(line);
      await rest();
    }
    expect(selected).toEqual([{ session: KEY, turn: 2 }]);
  });

  it.each([
    ['no report is seen', { isVisible: false }, URI, 'json'],
    ['the server does not run', { isRunning: false }, URI, 'json'],
    ['the document is no trace', {}, 'file:///t/a.ts', 'typescript'],
    ['the document is not on disk', {}, 'untitled:a.json', 'json'],
  ])('is not followed while %s', async (_, parts, uri, language) => {
    const { selected, requests, rest } = following(parts);
    new FakeEditor(uri, language).go(31);
    await rest();
    expect(selected).toEqual([]);
    expect(requests).toEqual([]);
  });

  it.each(['while it rests', 'while the server answers'])('does not undo a selection made %s', async (when) => {
    const { editor, report, selected, delays, rest } = following();
    const answer = Promise.withResolvers<void>();
    if (when === 'while the server answers') delays.push(answer.promise);
    editor.go(11);
    if (when === 'while the server answers') await rest();
    report.select({ session: KEY, turn: 3 });
    answer.resolve();
    await rest();
    expect(selected).toEqual([{ session: KEY, turn: 3 }]);
    editor.go(21);
    await rest();
    expect(selected.at(-1)).toEqual({ session: KEY, turn: 1 });
  });

  it('is followed where it is now, not where it was when the server was asked', async () => {
    const { editor, selected, delays, rest } = following();
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    delays.push(...answers.map(({ promise }) => promise));
    editor.go(11);
    await rest();
    editor.go(21);
    await rest();
    for (const { resolve } of answers.reverse()) resolve();
    await rest();
    expect(selected).toEqual([{ session: KEY, turn: 1 }]);
  });

  it('does not affect the report of another file', async () => {
    const { editor, report, selected, rest } = following();
    report.uri = 'file:///t/other.json';
    editor.go(31);
    await rest();
    expect(selected).toEqual([]);
  });
});

describe('a turn that is selected in the report', () => {
  it('is revealed in the formatted copy, too, and not where VS Code does not render the line', async () => {
    const { follow, editor } = following();
    const copy = new FakeEditor(formattedUri(vscode.Uri.parse(URI)).toString());
    window.visibleTextEditors = [editor, copy];
    await follow.show({ session: KEY, turn: 4 });
    expect([editor.revealed.length, copy.revealed.length]).toEqual([1, 1]);
    fake.settings.set('stopRenderingLineAfter', 2);
    await follow.show({ session: KEY, turn: 5 });
    expect([editor.revealed.length, copy.revealed.length]).toEqual([1, 2]);
    expect(copy.selection.active).toMatchObject({ line: 60, character: 2 });
  });

  it('reveals its line without selecting a turn in the report', async () => {
    const { follow, editor, selected, rest } = following();
    await follow.show({ session: KEY, turn: 4 });
    expect(editor.selection.active).toMatchObject({ line: 50, character: 2 });
    expect(editor.revealed).toHaveLength(1);
    await rest();
    expect(selected).toEqual([]);
  });

  it('keeps the cursor if it is already in the turn', async () => {
    const { follow, editor } = following();
    editor.go(55);
    await follow.show({ session: KEY, turn: 4 });
    expect(editor.selection.active.line).toBe(55);
    expect(editor.revealed).toEqual([]);
  });

  it('moves nothing if the setting is off or no editor shows the file', async () => {
    const { follow, editor, requests } = following();
    fake.settings.set('revealOnSelect', false);
    await follow.show({ session: KEY, turn: 4 });
    expect(requests).toEqual([]);
    fake.settings.clear();
    window.visibleTextEditors = [];
    await follow.show({ session: KEY, turn: 4 });
    expect(editor.selection.active.line).toBe(0);
  });

  it('is followed by the user’s next cursor move', async () => {
    const { follow, editor, selected, rest } = following();
    await follow.show({ session: KEY, turn: 4 });
    await rest();
    editor.go(21);
    await rest();
    expect(selected).toEqual([{ session: KEY, turn: 1 }]);
  });

  it('is followed by a click immediately after it', async () => {
    const { follow, editor, selected, rest } = following();
    await follow.show({ session: KEY, turn: 4 });
    editor.click(21);
    await rest();
    expect(selected).toEqual([{ session: KEY, turn: 1 }]);
  });
});

describe('a location revealed by the report', () => {
  it('is not followed, even if the editor opens at another position first', async () => {
    const { follow, editor, selected, rest } = following();
    const { Uri, Range } = await import('vscode');
    follow.expect(Uri.parse(URI), new Range(33, 0, 33, 4));
    editor.go(0);
    editor.go(33);
    await rest();
    expect(selected).toEqual([]);
  });
});
