import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface AgentServer extends AsyncDisposable {
  readonly endpoint: string;
  /** Bodies of the requests, in order. */
  readonly requests: { readonly body: Record<string, unknown>; readonly headers: IncomingMessage['headers'] }[];
}

/** A server on this machine that answers as a test says. */
export async function startAgentServer(
  answer: (response: ServerResponse, body: Record<string, unknown>, index: number) => void,
): Promise<AgentServer> {
  const requests: AgentServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    requests.push({ body, headers: request.headers });
    answer(response, body, requests.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/v1/chat/completions`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends an answer of chat completions. */
export function sendMessage(response: ServerResponse, message: unknown, extra: object = {}): void {
  sendJson(response, { choices: [{ message, finish_reason: 'stop' }], ...extra });
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Sends chunks of a stream, each as one event. */
export function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.end(events.map((event) => `data: ${event}\n\n`).join(''));
}
