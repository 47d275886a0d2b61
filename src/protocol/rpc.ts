import * as z from 'zod/mini';

/** A question that one process asks another. Both ends check what reaches them. */
export interface RequestType<Params, Result> {
  readonly method: string;
  readonly params: z.ZodMiniType<Params>;
  readonly result: z.ZodMiniType<Result>;
}

export function defineRequest<Params, Result>(
  method: string,
  params: z.ZodMiniType<Params>,
  result: z.ZodMiniType<Result>,
): RequestType<Params, Result> {
  return { method, params, result };
}

/** Something that one process tells another, which does not answer. */
export interface NotificationType<Params> {
  readonly method: string;
  readonly params: z.ZodMiniType<Params>;
}

export function defineNotification<Params>(method: string, params: z.ZodMiniType<Params>): NotificationType<Params> {
  return { method, params };
}

/** What `vscode` and `vscode-jsonrpc` have in common. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: (event: unknown) => unknown): { dispose(): void };
}

/** The asking end of a connection. */
export interface RequestSender {
  sendRequest(method: string, params: unknown, token?: CancellationToken): Promise<unknown>;
}

/** The answering end. */
export interface RequestHandler {
  onRequest(method: string, handler: (params: unknown, token: CancellationToken) => Promise<unknown>): unknown;
}

/** The end that listens to what it is told. */
export interface NotificationHandler {
  onNotification(method: string, handler: (params: unknown) => void): unknown;
}

/** What does not have the agreed shape is not for this end. */
export function onNotification<Params>(
  listener: NotificationHandler,
  { method, params }: NotificationType<Params>,
  handler: (params: Params) => void,
): void {
  listener.onNotification(method, (given) => {
    const { success, data } = z.safeParse(params, given);
    if (success) handler(data);
  });
}

/** Rejects when the other end fails, and when its answer does not have the agreed shape. */
export async function sendRequest<Params, Result>(
  asker: RequestSender,
  { method, result }: RequestType<Params, Result>,
  params: Params,
  token?: CancellationToken,
): Promise<Result> {
  // A token that is undefined would be sent as one more parameter.
  const answer = await (token ? asker.sendRequest(method, params, token) : asker.sendRequest(method, params));
  return parseMessage(result, answer, `The answer to ${method}`);
}

/** What the handler throws reaches the asking end as an error with the same message. */
export function onRequest<Params, Result>(
  answerer: RequestHandler,
  { method, params }: RequestType<Params, Result>,
  handler: (params: Params, token: CancellationToken) => Result | Promise<Result>,
): void {
  answerer.onRequest(method, async (given, token) =>
    handler(parseMessage(params, given, `The request ${method}`), token),
  );
}

function parseMessage<T>(schema: z.ZodMiniType<T>, value: unknown, what: string): T {
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return data;
  throw new Error(`${what} does not have the agreed shape:\n${z.prettifyError(error)}`);
}
