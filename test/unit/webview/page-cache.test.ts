import { describe, expect, it } from 'vitest';
import { RequestCancelled } from '../../../src/protocol/panel.ts';
import { PageCache } from '../../../webview/page-cache.ts';

/** A list whose responses the test resolves. */
function list(size = 10) {
  const input: { from: number; isStopped: () => boolean; answer(rows: readonly unknown[]): void; fail(): void }[] = [];
  let changes = 0;
  const pages = new PageCache<unknown>(
    size,
    (from, _count, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>();
      signal.addEventListener('abort', () => reject(new RequestCancelled('stopped')));
      input.push({ from, isStopped: () => signal.aborted, answer: resolve, fail: () => reject(new Error('No.')) });
      return promise;
    },
    () => {
      changes += 1;
    },
  );
  return { pages, requests: input, changes: () => changes };
}

/** Waits until all resolved responses have arrived. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('PageCache', () => {
  it('fetches visible pages, two at a time, each once', async () => {
    const { pages, requests } = list();
    pages.setVisible([5, 6, 14, 25]);
    pages.setVisible([5, 6, 14, 25]);
    expect(requests.map(({ from }) => from)).toEqual([0, 10]);
    requests[0]?.answer(['a']);
    await settled();
    expect(requests.map(({ from }) => from)).toEqual([0, 10, 20]);
    expect(pages.pages.get(0)).toEqual({ rows: ['a'] });
  });

  it('aborts requests for pages that are no longer visible, and fetches them when they are visible again', async () => {
    const { pages, requests } = list();
    pages.setVisible([5]);
    pages.setVisible([500]);
    await settled();
    expect(requests.map(({ from, isStopped }) => [from, isStopped()])).toEqual([
      [0, true],
      [500, false],
    ]);
    expect(pages.pages.size).toBe(0);
    pages.setVisible([5]);
    expect(requests.at(-1)?.from).toBe(0);
  });

  it('keeps stale rows until new ones arrive, and keeps the objects of equal rows', async () => {
    const { pages, requests, changes } = list();
    pages.setVisible([5]);
    requests[0]?.answer([{ n: 1 }, { n: 2 }]);
    await settled();
    const before = pages.pages.get(0);
    pages.refresh([3]);
    expect(pages.pages.get(0)).toBe(before);
    requests[1]?.answer([{ n: 1 }, { n: 3 }]);
    await settled();
    const after = pages.pages.get(0);
    if (!before || !after || !('rows' in before) || !('rows' in after)) throw new Error('There are no rows.');
    expect(after.rows[0]).toBe(before.rows[0]);
    expect(after.rows[1]).toEqual({ n: 3 });
    expect([requests.length, changes()]).toEqual([2, 2]);
  });

  it('fetches pages again that changed during a request', async () => {
    const { pages, requests } = list();
    pages.setVisible([5]);
    pages.refresh(null);
    await settled();
    expect(requests.map(({ isStopped }) => isStopped())).toEqual([true, false]);
    requests[1]?.answer(['new']);
    await settled();
    expect(pages.pages.get(0)).toEqual({ rows: ['new'] });
    expect(requests.length).toBe(2);
  });

  it('keeps pages that have not changed', async () => {
    const { pages, requests } = list();
    pages.setVisible([5]);
    requests[0]?.answer(['a']);
    await settled();
    pages.refresh([15, 99]);
    await settled();
    expect(requests.length).toBe(1);
  });

  it('shows the error of a page and does not retry', async () => {
    const { pages, requests } = list();
    pages.setVisible([5]);
    requests[0]?.fail();
    await settled();
    expect(pages.pages.get(0)).toEqual({ failed: 'No.' });
    // The failed request is not repeated.
    pages.setVisible([6]);
    expect(requests.length).toBe(1);
    pages.refresh(null);
    expect(requests.length).toBe(2);
  });

  it('drops pages that have not been visible for a long time', async () => {
    const { pages, requests } = list();
    for (let page = 0; page < 60; page += 1) {
      pages.setVisible([page * 10]);
      requests.at(-1)?.answer([page]);
      await settled();
    }
    expect(pages.pages.size).toBeLessThan(30);
    expect(pages.pages.has(0)).toBe(false);
    expect(pages.pages.get(59)).toEqual({ rows: [59] });
  });
});
