import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ResultNode } from '../../../src/extension/result-nodes.ts';
import type { SessionRow } from '../../../src/protocol/messages.ts';
import type { ResultsOutline } from '../../../src/protocol/results-outline.ts';
import { fakeServer } from './fake-server.ts';
import { failureRow, fileRow, headlines, outline, problemRow, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { treeViews, window } = await import('./fake-vscode.ts');
const { OpenQuestions } = await import('../../../src/extension/open-questions.ts');
const { ResultsModel } = await import('../../../src/extension/results-model.ts');
const { DEFAULT_VIEW } = await import('../../../src/extension/view-settings.ts');
const { ResultsView } = await import('../../../src/extension/results-view.ts');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function row(id: string, parts: Partial<SessionRow> = {}): ResultsOutline['rows'][number] {
  const session = sessionRow(id, parts);
  return {
    file: { ...fileRow(''), uri: session.location.uri, sessions: 1, headlines: headlines({ clean: 1 }) },
    session,
  };
}

/** A view over a results model, with the refreshes it requested: ids of rows, or all. */
async function viewOf(now: { outline: ResultsOutline; sessions?: readonly SessionRow[] }) {
  const answers: unknown[] = [];
  const fake = fakeServer({
    'turnwise/outline': () => now.outline,
    'turnwise/sessionsOf': () => ({ total: now.sessions?.length ?? 0, rows: now.sessions ?? [] }),
    'turnwise/answer': (params) => {
      answers.push(params);
      return {};
    },
    'turnwise/problems': () => ({ total: 201, rows: [failureRow()] }),
  });
  const model = new ResultsModel(fake.server, { warn: () => {} });
  const questions = new OpenQuestions(fake.server);
  const view = new ResultsView({
    server: fake.server,
    model,
    questions,
    viewSettings: () => DEFAULT_VIEW,
    initialLoad: async () => {},
    commands: { bind: (item) => item },
  });
  const fired: (readonly string[] | 'all')[] = [];
  view.onDidChangeTreeData((nodes) => fired.push(nodes?.map(({ id }) => id) ?? 'all'));
  await model.refresh();
  const settle = () => vi.advanceTimersByTimeAsync(1000);
  const roots = await view.getChildren();
  fired.length = 0;
  return { ...fake, answers, model, questions, view, fired, settle, roots };
}

const ids = (nodes: readonly ResultNode[]) => nodes.map(({ id }) => id);

describe('the results view', () => {
  it('prepares once, when first shown, before listing rows', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const firstLook = vi.fn(() => promise);
    const fake = fakeServer({ 'turnwise/outline': () => outline([row('a')]) });
    const model = new ResultsModel(fake.server, { warn: () => {} });
    const view = new ResultsView({
      server: fake.server,
      model,
      questions: new OpenQuestions(fake.server),
      viewSettings: () => DEFAULT_VIEW,
      initialLoad: firstLook,
      commands: { bind: (item) => item },
    });
    const order: string[] = [];
    const text = view.getChildren().then(() => order.push('shown'));
    await vi.advanceTimersByTimeAsync(1000);
    order.push('looked');
    resolve();
    await text;
    expect(order).toEqual(['looked', 'shown']);
    await view.getChildren();
    expect(firstLook).toHaveBeenCalledOnce();
  });

  it('refreshes only changed rows', async () => {
    const now = { outline: outline([row('a'), row('b')]) };
    const { change, settle, fired, view, roots } = await viewOf(now);
    now.outline = outline([row('a'), row('b', { turnsDone: 2 })]);
    change(uri('b.json'));
    await settle();
    expect(fired).toEqual([[`session ${uri('b.json')}#b`]]);
    expect(view.getTreeItem(roots[1] ?? expect.fail()).description).toBe('evaluating: 2 of 5 turns');
  });

  it('refreshes the children of a row whose file has changed', async () => {
    const now = { outline: outline([row('a'), row('b')]) };
    const { change, settle, fired } = await viewOf(now);
    change(uri('a.json'));
    await settle();
    expect(fired).toEqual([[`session ${uri('a.json')}#a`]]);
  });

  it('asks again only for what is below changed rows when a row is added', async () => {
    const now = { outline: outline([row('a', { problems: 1 }), row('b', { problems: 1 })]) };
    const { change, settle, fired, view, roots, requests } = await viewOf(now);
    const asked = () => requests.filter((method) => method === 'turnwise/problems').length;
    const before = await Promise.all(roots.map((root) => view.getChildren(root)));
    expect(asked()).toBe(2);
    now.outline = outline([row('a', { problems: 1 }), row('b', { problems: 1 }), row('c', { problems: 1 })]);
    change(uri('b.json'));
    await settle();
    expect(fired).toEqual(['all']);
    const after = await view.getChildren();
    expect(ids(after)).toEqual([...ids(roots), `session ${uri('c.json')}#c`]);
    expect(await view.getChildren(after[0])).toBe(before[0]);
    expect(asked()).toBe(2);
    await view.getChildren(after[1]);
    expect(asked()).toBe(3);
  });

  it('refreshes nothing for a file without a row', async () => {
    const { change, settle, fired } = await viewOf({ outline: outline([row('a')]) });
    change(uri('elsewhere.json'));
    await settle();
    expect(fired).toEqual([]);
  });

  it('refreshes everything when rows were added, removed or moved', async () => {
    const now = { outline: outline([row('a'), row('b')]) };
    const { change, settle, fired, view } = await viewOf(now);
    now.outline = outline([row('b'), row('a')]);
    change(uri('b.json'));
    await settle();
    expect(fired).toEqual(['all']);
    expect(ids(await view.getChildren())).toEqual(['b', 'a'].map((id) => `session ${uri(`${id}.json`)}#${id}`));
  });

  it('lists the sessions and problems of a file beneath it', async () => {
    const file = fileRow('many.json', {
      sessions: 2,
      headlines: headlines({ failed: 2 }),
      problems: [problemRow('many.json')],
    });
    const sessions = [sessionRow('one'), sessionRow('two')];
    const { view, roots } = await viewOf({ outline: outline([{ file, session: null }]), sessions });
    const children = await view.getChildren(roots[0]);
    expect(children.map(({ type }) => type)).toEqual(['problem', 'session', 'session']);
    expect(children[1]).toMatchObject({ place: 'inFile' });
  });

  it('lists one page of problems beneath a session', async () => {
    const { view, roots } = await viewOf({ outline: outline([row('a', { problems: 201 })]) });
    const children = await view.getChildren(roots[0]);
    expect(children.map(({ type }) => type)).toEqual(['failure', 'more']);
    expect(children[1]).toMatchObject({ list: roots[0]?.id, hidden: 200 });
  });

  it('loads more rows of a list', async () => {
    const { view, roots, fired } = await viewOf({ outline: outline([row('a', { problems: 201 })]) });
    await view.showMore(roots[0]?.id ?? '');
    expect(fired).toEqual([[roots[0]?.id]]);
    await view.showMore('no such list');
    expect(fired).toHaveLength(1);
  });

  it('has a message with the progress, or the overall result', async () => {
    const none = outline([]);
    const counts = headlines({ failed: 3, clean: 1 });
    const now = { outline: none };
    const { model, view } = await viewOf(now);
    expect(treeViews.at(-1)?.message).toBeUndefined();
    view.progress = '3 of 5 turns';
    now.outline = outline([row('a')], { headlines: counts, judges: ['qwen3'], judged: 4 });
    await model.refresh();
    expect(treeViews.at(-1)?.message).toBe('3 of 5 turns');
    view.progress = undefined;
    expect(treeViews.at(-1)?.message).toBe('3 failed · 1 without problems · qwen3');
  });

  it('has a badge with the number of failed sessions', async () => {
    const now = { outline: outline([row('a')], { headlines: headlines({ failed: 3, clean: 1 }) }) };
    const { model } = await viewOf(now);
    expect(treeViews.at(-1)?.badge).toEqual({ value: 3, tooltip: '3 failed' });
    now.outline = outline([row('a')]);
    await model.refresh();
    expect(treeViews.at(-1)?.badge).toBeUndefined();
  });

  it('shows that a file is too large to display results in', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'turnwise-')), 'large.json');
    onTestFinished(() => rm(dirname(path), { recursive: true }));
    await writeFile(path, '');
    // A sparse file takes no disk space.
    await truncate(path, 50 * 1024 * 1024 + 1);
    const location = { ...sessionRow('x').location, uri: pathToFileURL(path).href };
    const { view, roots } = await viewOf({ outline: outline([row('a'), row('large', { location })]) });
    const descriptions = roots.map((node) => view.getTreeItem(node).description);
    expect(descriptions[0]).not.toContain('50 MB');
    expect(descriptions[1]).toContain('over 50 MB: no annotations in the editor');
  });
});

describe('a question that an evaluation waits for', () => {
  const CONSENT = {
    id: '["/w","host"]',
    title: 'Waiting: send trace text to host?',
    text: 'Evaluating sends trace text to host (openai:m). Allow it for this folder?',
    answers: [
      { id: 'allow', label: 'Allow' },
      { id: 'later', label: 'Not Now' },
    ],
  };
  const LARGE = {
    id: 'large run 1',
    title: 'Waiting: make 200 model calls?',
    text: 'This evaluation makes 200 model calls. Continue?',
    answers: [
      { id: 'continue', label: 'Continue' },
      { id: 'cancel', label: 'Cancel' },
    ],
  };
  const answering = (label: string | undefined) => {
    const dialog = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(label);
    onTestFinished(() => dialog.mockRestore());
    return dialog;
  };

  it('is the first row until it is answered, and a click asks it again in a dialog', async () => {
    const { view, waitsFor, questions, answers, fired } = await viewOf({ outline: outline([row('a')]) });
    waitsFor(CONSENT);
    expect(fired).toEqual(['all']);
    const [first, second] = await view.getChildren();
    expect(second?.type).toBe('session');
    const item = view.getTreeItem(first ?? expect.fail());
    expect(item).toMatchObject({
      label: 'Waiting: send trace text to host?',
      tooltip: CONSENT.text,
      contextValue: 'question',
      command: { command: 'turnwise.answerQuestion', arguments: [CONSENT.id] },
    });
    const dialog = answering('Allow');
    await questions.ask(CONSENT.id);
    expect(dialog).toHaveBeenCalledWith(CONSENT.text, { modal: true }, 'Allow', 'Not Now');
    expect(answers).toEqual([{ id: CONSENT.id, answer: 'allow' }]);
    waitsFor();
    expect((await view.getChildren()).map(({ type }) => type)).toEqual(['session']);
  });

  it('stays open when its dialog is closed, whose own Cancel button cancels nothing else', async () => {
    const { waitsFor, questions, answers } = await viewOf({ outline: outline([]) });
    waitsFor(LARGE);
    const dialog = answering(undefined);
    await questions.ask(LARGE.id);
    await questions.ask('no such question');
    expect(dialog.mock.calls).toEqual([[LARGE.text, { modal: true }, 'Continue']]);
    expect(answers).toEqual([]);
    expect(questions.all).toHaveLength(1);
  });

  it('is gone when the server stops', async () => {
    const { view, waitsFor, become } = await viewOf({ outline: outline([]) });
    waitsFor(LARGE);
    become('broken');
    expect(await view.getChildren()).toEqual([]);
  });
});
