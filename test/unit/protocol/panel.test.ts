import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  ALL_CHANGED,
  PanelClient,
  type PanelEvent,
  PanelHost,
  panelState,
  RequestCancelled,
  sessionId,
  sessionKey,
  sessionUri,
  toCancellationToken,
} from '../../../src/protocol/panel.ts';
import { defineRequest, onRequest, sendRequest } from '../../../src/protocol/rpc.ts';

const double = defineRequest('double', z.object({ n: z.number() }), z.object({ twice: z.number() }));

/** A panel and an editor; what they post is cloned, as between two pages. */
function wired() {
  const events: PanelEvent[] = [];
  const asker: PanelClient = new PanelClient(
    (message) => answerer.receive(structuredClone(message)),
    (event) => events.push(event),
  );
  const answerer = new PanelHost((message) => asker.receive(structuredClone(message)));
  return { asker, answerer, events };
}

describe('the way between a panel and the editor', () => {
  it('matches answers to requests in any order', async () => {
    const { asker, answerer } = wired();
    const gate = Promise.withResolvers<void>();
    onRequest(answerer, double, async ({ n }) => {
      if (n === 1) await gate.promise;
      return { twice: 2 * n };
    });
    const first = sendRequest(asker, double, { n: 1 });
    await expect(sendRequest(asker, double, { n: 2 })).resolves.toEqual({ twice: 4 });
    gate.resolve();
    await expect(first).resolves.toEqual({ twice: 2 });
  });

  it('carries what a handler throws as its sentence', async () => {
    const { asker, answerer } = wired();
    onRequest(answerer, double, () => Promise.reject(new Error('There is no double.')));
    await expect(sendRequest(asker, double, { n: 1 })).rejects.toThrow('There is no double.');
  });

  it('rejects requests without a handler', async () => {
    const { asker } = wired();
    await expect(sendRequest(asker, double, { n: 1 })).rejects.toThrow('does not answer');
  });

  it('tells what happens, and takes nothing else for that', () => {
    const { asker, answerer, events } = wired();
    const messages = [
      ALL_CHANGED,
      { event: 'changed', turns: [0, 7] },
      { event: 'select', session: 's', turn: 3 },
    ] as const;
    for (const event of messages) answerer.notify(event);
    const others = [
      null,
      {},
      { event: 'other' },
      { event: 'changed' },
      { event: 'select', turn: -1 },
      { id: 7, result: {} },
      4,
    ];
    for (const message of others) asker.receive(message);
    expect(events).toEqual(messages);
  });

  it('cancels a question at both ends, and no other', async () => {
    const { asker, answerer } = wired();
    const tokens = new Map<number, { readonly isCancellationRequested: boolean }>();
    const gate = Promise.withResolvers<void>();
    onRequest(answerer, double, async ({ n }, token) => {
      tokens.set(n, token);
      await gate.promise;
      return { twice: 2 * n };
    });
    const stop = new AbortController();
    const cancelled = sendRequest(asker, double, { n: 1 }, toCancellationToken(stop.signal));
    const wanted = sendRequest(asker, double, { n: 2 });
    stop.abort();
    await expect(cancelled).rejects.toBeInstanceOf(RequestCancelled);
    expect([1, 2].map((n) => tokens.get(n)?.isCancellationRequested)).toEqual([true, false]);
    gate.resolve();
    await expect(wanted).resolves.toEqual({ twice: 4 });
    await expect(sendRequest(asker, double, { n: 3 }, toCancellationToken(stop.signal))).rejects.toBeInstanceOf(
      RequestCancelled,
    );
    expect(tokens.has(3)).toBe(false);
  });

  it('cancels nothing that is answered already', async () => {
    const { asker, answerer } = wired();
    onRequest(answerer, double, ({ n }) => ({ twice: 2 * n }));
    const stop = new AbortController();
    await expect(sendRequest(asker, double, { n: 1 }, toCancellationToken(stop.signal))).resolves.toEqual({ twice: 2 });
    stop.abort();
    await expect(sendRequest(asker, double, { n: 2 })).resolves.toEqual({ twice: 4 });
  });

  it('aborts pending requests when the panel is closed, without answers', async () => {
    const posted: unknown[] = [];
    const answerer = new PanelHost((message) => posted.push(message));
    let isStopped = false;
    onRequest(answerer, double, async ({ n }, token) => {
      await new Promise<void>((resolve) => {
        token.onCancellationRequested(() => {
          isStopped = true;
          resolve();
        });
      });
      return { twice: n };
    });
    const received = answerer.receive({ id: 1, method: 'double', params: { n: 1 } });
    answerer.stop();
    await received;
    expect(isStopped).toBe(true);
    expect(posted).toEqual([]);
  });

  it.each([null, 'double', { method: 'double' }, { id: 'one', method: 'double', params: {} }])(
    'ignores %j, which is not a request',
    async (message) => {
      const posted: unknown[] = [];
      await new PanelHost((item) => posted.push(item)).receive(message);
      expect(posted).toEqual([]);
    },
  );
});

describe('the key of a session', () => {
  it.each(['a', 'a#b', '', '#'])('leads to its file, and to its id, whatever that is: %j', (id) => {
    const key = sessionKey('file:///traces/a%23b.json', id);
    expect(sessionUri(key)).toBe('file:///traces/a%23b.json');
    expect(sessionId(key)).toBe(id);
  });
});

describe('the state of a panel', () => {
  it.each([null, undefined, {}, { session: 1, turn: null }, { session: 's', turn: -1 }, { session: 's', turn: '1' }])(
    'is not %j',
    (state) => {
      expect(z.safeParse(panelState, state).success).toBe(false);
    },
  );
});
