import * as z from 'zod/mini';

/** A question that one process asks another. Both ends check what reaches them. */
export interface Request<Params, Result> {
  readonly method: string;
  readonly params: z.ZodMiniType<Params>;
  readonly result: z.ZodMiniType<Result>;
}

export function request<Params, Result>(
  method: string,
  params: z.ZodMiniType<Params>,
  result: z.ZodMiniType<Result>,
): Request<Params, Result> {
  return { method, params, result };
}

/** Something that one process tells another, which does not answer. */
export interface Notification<Params> {
  readonly method: string;
  readonly params: z.ZodMiniType<Params>;
}

export function notification<Params>(method: string, params: z.ZodMiniType<Params>): Notification<Params> {
  return { method, params };
}

/** What `vscode` and `vscode-jsonrpc` have in common. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: (event: unknown) => unknown): { dispose(): void };
}

/** The asking end of a connection. */
export interface Asker {
  sendRequest(method: string, params: unknown, token?: CancellationToken): Promise<unknown>;
}

/** The answering end. */
export interface Answerer {
  onRequest(method: string, handler: (params: unknown, token: CancellationToken) => Promise<unknown>): unknown;
}

/** The end that listens to what it is told. */
export interface Listener {
  onNotification(method: string, handler: (params: unknown) => void): unknown;
}

/** What does not have the agreed shape is not for this end. */
export function listen<Params>(
  listener: Listener,
  { method, params }: Notification<Params>,
  handler: (params: Params) => void,
): void {
  listener.onNotification(method, (given) => {
    const { success, data } = z.safeParse(params, given);
    if (success) handler(data);
  });
}

/** Rejects when the other end fails, and when its answer does not have the agreed shape. */
export async function ask<Params, Result>(
  asker: Asker,
  { method, result }: Request<Params, Result>,
  params: Params,
  token?: CancellationToken,
): Promise<Result> {
  // A token that is undefined would be sent as one more parameter.
  const answer = await (token ? asker.sendRequest(method, params, token) : asker.sendRequest(method, params));
  return checked(result, answer, `The answer to ${method}`);
}

/** What the handler throws reaches the asking end as an error with the same message. */
export function answer<Params, Result>(
  answerer: Answerer,
  { method, params }: Request<Params, Result>,
  handler: (params: Params, token: CancellationToken) => Result | Promise<Result>,
): void {
  answerer.onRequest(method, async (given, token) => handler(checked(params, given, `The request ${method}`), token));
}

function checked<T>(schema: z.ZodMiniType<T>, value: unknown, what: string): T {
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return data;
  throw new Error(`${what} does not have the agreed shape:\n${z.prettifyError(error)}`);
}
