import * as z from 'zod/mini';

/** A request between two processes. Both ends validate messages. */
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

/** A notification between two processes. */
export interface NotificationType<Params> {
  readonly method: string;
  readonly params: z.ZodMiniType<Params>;
}

export function defineNotification<Params>(method: string, params: z.ZodMiniType<Params>): NotificationType<Params> {
  return { method, params };
}

/** The common part of `vscode` and `vscode-jsonrpc`. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: (event: unknown) => unknown): { dispose(): void };
}

/** The end of a connection that sends requests. */
export interface RequestSender {
  sendRequest(method: string, params: unknown, token?: CancellationToken): Promise<unknown>;
}

/** The end that handles requests. */
export interface RequestHandler {
  onRequest(method: string, handler: (params: unknown, token: CancellationToken) => Promise<unknown>): unknown;
}

/** The end that handles notifications. */
export interface NotificationHandler {
  onNotification(method: string, handler: (params: unknown) => void): unknown;
}

/** Ignores notifications that do not match the schema. */
export function onNotification<Params>(
  listener: NotificationHandler,
  { method, params }: NotificationType<Params>,
  handler: (params: Params) => void,
): void {
  listener.onNotification(method, (raw) => {
    const { success, data } = z.safeParse(params, raw);
    if (success) handler(data);
  });
}

/** Rejects when the other end fails, or when its answer does not match the schema. */
export async function sendRequest<Params, Result>(
  asker: RequestSender,
  { method, result }: RequestType<Params, Result>,
  params: Params,
  token?: CancellationToken,
): Promise<Result> {
  // An undefined token would be sent as a parameter.
  const answer = await (token ? asker.sendRequest(method, params, token) : asker.sendRequest(method, params));
  return parseMessage(result, answer, `The answer to ${method}`);
}

/** Errors that the handler throws are sent to the other end with their message. */
export function onRequest<Params, Result>(
  answerer: RequestHandler,
  { method, params }: RequestType<Params, Result>,
  handler: (params: Params, token: CancellationToken) => Result | Promise<Result>,
): void {
  answerer.onRequest(method, async (raw, token) => handler(parseMessage(params, raw, `The request ${method}`), token));
}

function parseMessage<T>(schema: z.ZodMiniType<T>, value: unknown, what: string): T {
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return data;
  throw new Error(`${what} does not have the agreed shape:\n${z.prettifyError(error)}`);
}
