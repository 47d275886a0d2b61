import type { NotificationHandler } from '../protocol/rpc.ts';

/** Several handlers of a notification: a connection keeps only the last one. */
export class NotificationHandlers implements NotificationHandler {
  readonly #byMethod = new Map<string, ((params: unknown) => void)[]>();

  onNotification(method: string, handler: (params: unknown) => void): void {
    this.#byMethod.set(method, [...(this.#byMethod.get(method) ?? []), handler]);
  }

  /** Handles the notifications of a connection. */
  connect(connection: NotificationHandler): void {
    for (const [method, handlers] of this.#byMethod) {
      connection.onNotification(method, (params) => {
        for (const handler of handlers) handler(params);
      });
    }
  }
}
