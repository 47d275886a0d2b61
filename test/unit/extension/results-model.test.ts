import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeServer } from './fake-server.ts';
import { fileRow, outline, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { ResultsModel: Held } = await import('../../../src/extension/results-model.ts');

const ONE = outline([{ file: fileRow('a.json', { sessions: 1 }), session: sessionRow('a') }]);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function held(answer = () => ONE) {
  const warned: unknown[] = [];
  const fake = fakeServer({ 'turnwise/outline': answer });
  const one = new Held(fake.server, { warn: (message: unknown) => void warned.push(message) });
  const changes: (readonly string[] | undefined)[] = [];
  one.onDidChange((uris) => changes.push(uris && [...uris]));
  return { ...fake, held: one, changes, warned };
}

describe('ResultsModel', () => {
  it('asks at once when something has changed, and of all that follows soon, once', async () => {
    const { held: one, asked, change, changes } = held();
    change(uri('a.json'));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(1);
    expect(one.snapshot).toEqual(ONE);
    for (const name of ['a.json', 'b.json', 'a.json']) change(uri(name));
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(2);
    expect(changes).toEqual([[uri('a.json')], [uri('a.json'), uri('b.json')]]);
  });

  it('knows that any file may be another when that is said among others', async () => {
    const { change, changeAny, changes } = held();
    change(uri('a.json'));
    changeAny();
    change(uri('b.json'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(changes).toEqual([undefined]);
  });

  it('keeps up while changes do not end', async () => {
    const { asked, change } = held();
    for (let at = 0; at < 100; at += 1) {
      change(uri('a.json'));
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThan(30);
  });

  it('asks when a server has started, keeps what it knows while one is restarted, and lets it go when none is', async () => {
    const { held: one, become, asked } = held();
    become('on');
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(1);
    become('restarting');
    expect(one.snapshot).toEqual(ONE);
    become('broken');
    expect(one.snapshot.rows).toEqual([]);
  });

  it('says in the log why it could not ask, and goes on', async () => {
    let isBroken = true;
    const {
      held: one,
      change,
      warned,
    } = held(() => {
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

  it('knows of files that could be evaluated before a server runs', () => {
    const { held: one, asked } = held();
    one.showCandidates([uri('a.json')]);
    expect(one.snapshot).toMatchObject({ total: 1, rows: [{ file: { uri: uri('a.json'), state: 'new' } }] });
    expect(one.hasResults).toBe(false);
    expect(asked).toEqual([]);
  });
});
