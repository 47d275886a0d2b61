import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeServer } from './fake-server.ts';
import { fileRow, outline, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { ResultsModel } = await import('../../../src/extension/results-model.ts');

const ONE = outline([{ file: fileRow('a.json', { sessions: 1 }), session: sessionRow('a') }]);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function model(answer = () => ONE) {
  const warned: unknown[] = [];
  const fake = fakeServer({ 'turnwise/outline': answer });
  const resultsModel = new ResultsModel(fake.server, { warn: (message: unknown) => void warned.push(message) });
  const changes: (readonly string[] | undefined)[] = [];
  resultsModel.onDidChange((uris) => changes.push(uris && [...uris]));
  return { ...fake, model: resultsModel, changes, warned };
}

describe('ResultsModel', () => {
  it('requests results immediately after a change, and once for changes that follow soon', async () => {
    const { model: one, requests, change, changes } = model();
    change(uri('a.json'));
    await vi.advanceTimersByTimeAsync(0);
    expect(requests).toHaveLength(1);
    expect(one.snapshot).toEqual(ONE);
    for (const name of ['a.json', 'b.json', 'a.json']) change(uri(name));
    await vi.advanceTimersByTimeAsync(100);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(requests).toHaveLength(2);
    expect(changes).toEqual([[uri('a.json')], [uri('a.json'), uri('b.json')]]);
  });

  it('treats all files as changed if one notification says so', async () => {
    const { change, changeAny, changes } = model();
    change(uri('a.json'));
    changeAny();
    change(uri('b.json'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(changes).toEqual([undefined]);
  });

  it('keeps updating during continuous changes', async () => {
    const { requests, change } = model();
    for (let at = 0; at < 100; at += 1) {
      change(uri('a.json'));
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(requests.length).toBeGreaterThan(10);
    expect(requests.length).toBeLessThan(30);
  });

  it('requests results from a new server, keeps them during a restart, and clears them without a server', async () => {
    const { model: one, become, requests } = model();
    become('on');
    await vi.advanceTimersByTimeAsync(1000);
    expect(requests).toHaveLength(1);
    become('restarting');
    expect(one.snapshot).toEqual(ONE);
    become('broken');
    expect(one.snapshot.rows).toEqual([]);
  });

  it('logs a failed request and continues', async () => {
    let isBroken = true;
    const {
      model: one,
      change,
      warned,
    } = model(() => {
      if (isBroken) throw new Error('It broke.');
      return ONE;
    });
    change(uri('a.json'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(warned).toEqual(['Error: It broke.']);
    isBroken = false;
    change(uri('a.json'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(one.snapshot).toEqual(ONE);
  });

  it('lists files that could be evaluated before a server runs', () => {
    const { model: one, requests } = model();
    one.showCandidates([uri('a.json')]);
    expect(one.snapshot).toMatchObject({ total: 1, rows: [{ file: { uri: uri('a.json'), state: 'new' } }] });
    expect(one.hasResults).toBe(false);
    expect(requests).toEqual([]);
  });
});
