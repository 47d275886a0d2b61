import {
  ErrorCodes,
  ExitNotification,
  InitializeRequest,
  Message,
  type MessageStrategy,
  type MessageWriter,
  type ResponseMessage,
  ShutdownRequest,
} from 'vscode-languageserver/node';

type NextHandler = Parameters<MessageStrategy['handleMessage']>[1];

/** Lets messages through when the protocol allows them: no request before `initialize`, none after `shutdown`. */
export class Lifecycle implements MessageStrategy {
  readonly #writer: Pick<MessageWriter, 'write'>;
  #phase: 'new' | 'running' | 'over' = 'new';

  constructor(writer: Pick<MessageWriter, 'write'>) {
    this.#writer = writer;
  }

  async handleMessage(message: Message, next: NextHandler): Promise<void> {
    if (Message.isNotification(message)) {
      // Notifications outside of the session are dropped, except `exit`.
      if (this.#phase === 'running' || message.method === ExitNotification.method) await next(message);
    } else if (Message.isRequest(message)) {
      const refusal = this.#refusal(message.method);
      if (refusal) await this.reject(message.id, refusal);
      else await next(message);
    } else {
      await next(message);
    }
  }

  #refusal(method: string): ResponseMessage['error'] {
    const isFirst = method === InitializeRequest.method;
    if (this.#phase === 'new' && !isFirst) {
      return { code: ErrorCodes.ServerNotInitialized, message: `${method} was sent before initialize.` };
    }
    if (this.#phase === 'over') {
      return { code: ErrorCodes.InvalidRequest, message: `${method} was sent after shutdown. Only exit may follow.` };
    }
    if (this.#phase === 'running' && isFirst) {
      return { code: ErrorCodes.InvalidRequest, message: 'initialize was sent twice.' };
    }
    if (isFirst) this.#phase = 'running';
    if (method === ShutdownRequest.method) this.#phase = 'over';
    return undefined;
  }

  /** @param id null where the request cannot be identified. */
  async reject(id: ResponseMessage['id'], error: ResponseMessage['error']): Promise<void> {
    const response: ResponseMessage = { jsonrpc: '2.0', id, error };
    await this.#writer.write(response);
  }
}
