import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openai } from '../../src/llm/providers/openai.ts';
import { startStubModels } from '../support/stub-models.ts';

const schema = { type: 'object' };
const prompt = {
  system: 'Judge.',
  parts: ['The turn.'],
  schema,
  exactSchema: () => schema,
  structured: 'schema' as const,
};
const ask = (baseUrl: string) =>
  openai
    .createChatModel({ model: 'm', baseUrl, key: 'k-0123456789', temperature: 0, timeoutMs: 10_000 })
    .complete(prompt, new AbortController().signal);

/** A proxy that sends everything to one origin, wherever it was meant to go, and tunnels nothing. */
async function proxyTo(origin: string) {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const { pathname } = new URL(incoming.url ?? '');
    const onward = httpRequest(`${origin}${pathname}`, { method: 'POST', headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization'] ?? ''}`.trim());
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    host: `127.0.0.1:${address.port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

beforeEach(() => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toLowerCase(), '');
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a proxy from the environment', () => {
  it('forwards a request to a host that only it can reach', async () => {
    await using stub = await startStubModels();
    await using proxy = await proxyTo(stub.origin);
    vi.stubEnv('HTTP_PROXY', `http://${proxy.host}`);
    expect(await ask('http://models.invalid/v1')).toMatchObject({ text: '{}' });
    expect(proxy.seen).toEqual(['POST http://models.invalid/v1/chat/completions']);
    expect(stub.requests).toHaveLength(1);
  });

  it('sees only the host of an https URL', async () => {
    await using stub = await startStubModels();
    await using proxy = await proxyTo(stub.origin);
    vi.stubEnv('HTTPS_PROXY', `http://me:mine@${proxy.host}`);
    await expect(ask('https://models.invalid/v1')).rejects.toMatchObject({
      kind: 'refused',
      message: 'The proxy in front of models.invalid/v1/chat/completions requires credentials (407).',
    });
    expect(proxy.seen).toEqual([`CONNECT models.invalid:443 Basic ${btoa('me:mine')}`]);
    expect(stub.requests).toEqual([]);
  });

  it('is not used for loopback', async () => {
    await using stub = await startStubModels();
    await using proxy = await proxyTo(stub.origin);
    vi.stubEnv('HTTP_PROXY', `http://${proxy.host}`);
    await ask(stub.openai);
    expect(proxy.seen).toEqual([]);
    expect(stub.requests).toHaveLength(1);
  });

  it('is named without its password if it is down', async () => {
    const gone = await proxyTo('http://127.0.0.1');
    await gone[Symbol.asyncDispose]();
    vi.stubEnv('HTTPS_PROXY', `http://me:mine@${gone.host}`);
    await expect(ask('https://models.invalid/v1')).rejects.toMatchObject({
      kind: 'connection',
      message: `models.invalid, through the proxy ${gone.host}, does not answer (connection refused).`,
    });
  });
});
