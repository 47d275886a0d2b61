import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  defineRequest,
  onRequest,
  type RequestHandler,
  type RequestSender,
  sendRequest,
} from '../../../src/protocol/rpc.ts';

const double = defineRequest('double', z.object({ n: z.number() }), z.object({ twice: z.number() }));
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };

/** Both ends, with nothing between them. */
class Wire implements RequestSender, RequestHandler {
  readonly #handlers = new Map<
    string,
    (params: unknown, token: Parameters<Parameters<RequestHandler['onRequest']>[1]>[1]) => Promise<unknown>
  >();

  onRequest(...[method, handler]: Parameters<RequestHandler['onRequest']>): void {
    this.#handlers.set(method, handler);
  }

  async sendRequest(method: string, params: unknown): Promise<unknown> {
    return this.#handlers.get(method)?.(params, token);
  }
}

describe('ask and answer', () => {
  it('carry a question and its answer', async () => {
    const wire = new Wire();
    onRequest(wire, double, ({ n }) => ({ twice: 2 * n }));
    await expect(sendRequest(wire, double, { n: 21 })).resolves.toEqual({ twice: 42 });
  });

  it('refuse a question without the agreed shape before it is handled', async () => {
    const wire = new Wire();
    let handled = 0;
    onRequest(wire, double, ({ n }) => {
      handled += 1;
      return { twice: n };
    });
    await expect(wire.sendRequest('double', { n: 'one' })).rejects.toThrow(/^The request double .*agreed shape/);
    expect(handled).toBe(0);
  });

  it('refuse an answer without the agreed shape', async () => {
    const wire = new Wire();
    wire.onRequest('double', async () => ({ twice: 'two' }));
    await expect(sendRequest(wire, double, { n: 1 })).rejects.toThrow(/^The answer to double .*agreed shape/);
  });
});
