import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunNode } from '../../../src/extension/run-items.ts';
import { fakeServer } from './fake-server.ts';
import { runRow, runSession } from './run-rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { treeViews } = await import('./fake-vscode.ts');
const { RunsView } = await import('../../../src/extension/runs-view.ts');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A view over as many recorded runs, with the refreshes that it asked for: ids of rows, or all. */
function viewOf(recorded: number, changed = 0) {
  const asked: unknown[] = [];
  const fake = fakeServer({
    'turnwise/runs': (params) => {
      const { offset, limit } = params as { offset: number; limit: number };
      asked.push({ offset, limit });
      const ids = Array.from({ length: recorded }, (_, index) => `r${index}`);
      const rows = ids.slice(offset, offset + limit).map((id) => runRow({ id, sessions: 60 }));
      return { rows, hasMore: offset + limit < recorded };
    },
    'turnwise/runs/changes': (params) => {
      const { limit } = params as { limit: number };
      const side = { of: 'run', run: 'r0', file: 'a.json' } as const;
      const headline = { kind: 'failed', text: 'Failed', turn: null } as const;
      const rows = Array.from({ length: Math.min(limit, changed) }, (_, index) => {
        const session = { ...side, session: `s${index}` };
        return { title: `t${index}`, direction: 'worse', before: { ...session, run: 'r1' }, after: session, headline };
      });
      const again = { run: 'r1', by: 'r0', isFirst: true, judge: 'openai/next', sessions: 1, of: 1, tokens: null };
      const previous = changed > 0 ? runRow({ id: 'r1' }) : null;
      return { previous, summary: '', worse: changed, better: 0, unclear: 0, again, rows };
    },
    'turnwise/runs/sessions': (params) => {
      const { limit } = params as { limit: number };
      const rows = Array.from({ length: Math.min(limit, 60) }, (_, index) => runSession({ id: `s${index}` }));
      return { total: 60, rows };
    },
  });
  const view = new RunsView(fake.server, { bind: (item) => item });
  const tree = treeViews.at(-1);
  const fired: (readonly string[] | 'all')[] = [];
  view.onDidChangeTreeData((nodes) => fired.push(nodes?.map(({ id }) => id) ?? 'all'));
  return { ...fake, view, asked, fired, show: (visible: boolean) => tree?.show(visible) };
}

const ids = (nodes: readonly RunNode[]) => nodes.map(({ id }) => id);

describe('the Runs view', () => {
  it('asks the server for nothing until it is shown', () => {
    const { requests } = viewOf(3);
    expect(requests).toEqual([]);
  });

  it('lists a page of 10,000 runs, and one more on request', async () => {
    const { view, asked } = viewOf(10_000);
    const first = await view.getChildren();
    expect(first).toHaveLength(101);
    expect(first.at(-1)).toMatchObject({ type: 'more', list: 'runs' });
    expect(view.showMore('runs')).toBe(true);
    expect(await view.getChildren()).toHaveLength(201);
    expect(asked).toEqual([
      { offset: 0, limit: 100 },
      { offset: 0, limit: 200 },
    ]);
  });

  it('lists the sessions of a run in pages too, and leaves lists of other views alone', async () => {
    const { view, fired } = viewOf(1);
    const [run] = await view.getChildren();
    const first = await view.getChildren(run);
    expect(first).toHaveLength(51);
    expect(view.showMore(run?.id ?? '')).toBe(true);
    expect(fired).toEqual([['run r0']]);
    expect(await view.getChildren(run)).toHaveLength(60);
    expect(view.showMore('')).toBe(false);
  });

  it('lists what changed against the run before, before its sessions, and computes it when the row is opened', async () => {
    const { view, requests } = viewOf(2, 60);
    const [run] = await view.getChildren();
    expect(requests).not.toContain('turnwise/runs/changes');
    const [changes, again, session] = await view.getChildren(run);
    expect([changes?.type, again?.type, session?.type]).toEqual(['changes', 'again', 'session']);
    const flips = await view.getChildren(changes);
    expect(flips).toHaveLength(51);
    expect(flips[0]).toMatchObject({ type: 'flip', row: { title: 't0' } });
    expect(view.showMore(changes?.id ?? '')).toBe(true);
    expect(await view.getChildren(changes)).toHaveLength(60);
  });

  it('refreshes when runs change while it is shown, else when it is shown again', async () => {
    const { view, changeRuns, fired, show } = viewOf(1);
    show(true);
    await view.getChildren();
    changeRuns();
    expect(fired).toEqual(['all']);
    show(false);
    changeRuns();
    expect(fired).toEqual(['all']);
    show(true);
    expect(fired).toEqual(['all', 'all']);
  });

  it('keeps the object of a run, by which the editor knows its row', async () => {
    const { view } = viewOf(2);
    const [before] = await view.getChildren();
    const [after] = await view.getChildren();
    expect(after).toBe(before);
    expect(view.isNode(after)).toBe(true);
    expect(view.isNode({ ...after })).toBe(false);
  });

  it('updates the age of runs each minute while it is shown', async () => {
    const { view, fired, show } = viewOf(2);
    show(true);
    await view.getChildren();
    vi.advanceTimersByTime(60_000);
    expect(fired).toEqual([ids(await view.getChildren())]);
    show(false);
    vi.advanceTimersByTime(300_000);
    expect(fired).toHaveLength(1);
  });
});
