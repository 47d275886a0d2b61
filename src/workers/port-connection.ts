import { errorMessage } from '../core/error-message.ts';

/** What one end answers, by method. All of it is plain data, which is cloned between threads. */
export type RequestTable<Requests> = {
  readonly [Method in keyof Requests]: { readonly params: unknown; readonly result: unknown };
};

/** The part of a worker, and of the port in it, that a connection needs. */
interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: PortMessage) => void): unknown;
}

type PortMessage =
  | { readonly type: 'request'; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'error'; readonly id: number; readonly message: string }
  | { readonly type: 'notification'; readonly method: string; readonly params: unknown };

type PortRequestHandler = (params: unknown, signal: AbortSignal) => unknown;
type PortNotificationHandler = (params: unknown) => void;

/** Requests, their answers and notifications between two threads of one process. Both ends trust each other. */
export class PortConnection {
  readonly #port: ThreadPort;
  readonly #requestHandlers = new Map<string, PortRequestHandler>();
  readonly #notificationHandlers = new Map<string, PortNotificationHandler>();
  /** Requests of this end that have no answer yet. */
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  /** Requests of the other end that are worked on. */
  readonly #running = new Map<number, AbortController>();
  #nextId = 0;

  constructor(port: ThreadPort) {
    this.#port = port;
    port.on('message', (message) => this.#receive(message));
  }

  /** Aborting tells the other end, which decides how it ends. @throws Error with the message of the error of the other end */
  async request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, answer);
    const cancel = () => this.#send({ type: 'cancel', id });
    try {
      this.#send({ type: 'request', id, method, params });
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
      return await answer.promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(id);
    }
  }

  notify(method: string, params: unknown): void {
    this.#send({ type: 'notification', method, params });
  }

  onRequest(method: string, handler: PortRequestHandler): void {
    this.#requestHandlers.set(method, handler);
  }

  onNotification(method: string, handler: PortNotificationHandler): void {
    this.#notificationHandlers.set(method, handler);
  }

  /** Rejects the requests that have no answer yet: the other end is gone. */
  close(): void {
    for (const { reject } of this.#pending.values()) reject(new Error('The thread has ended.'));
  }

  #send(message: PortMessage): void {
    this.#port.postMessage(message);
  }

  #receive(message: PortMessage): void {
    switch (message.type) {
      case 'request':
        void this.#answer(message.id, message.method, message.params);
        break;
      case 'cancel':
        this.#running.get(message.id)?.abort();
        break;
      case 'result':
        this.#pending.get(message.id)?.resolve(message.result);
        break;
      case 'error':
        this.#pending.get(message.id)?.reject(new Error(message.message));
        break;
      case 'notification':
        this.#notificationHandlers.get(message.method)?.(message.params);
        break;
    }
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    const stop = new AbortController();
    this.#running.set(id, stop);
    try {
      const handler = this.#requestHandlers.get(method);
      if (!handler) throw new Error(`This thread has no method ${method}.`);
      this.#send({ type: 'result', id, result: await handler(params, stop.signal) });
    } catch (error) {
      this.#send({ type: 'error', id, message: errorMessage(error) });
    } finally {
      this.#running.delete(id);
    }
  }
}
