import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { errorMessage } from '../core/error-message.ts';
import { checkedLookup, forbiddenHost } from '../scenarios/agents/address-rules.ts';
import { RefusedEvent } from './event.ts';

export interface DownloadRules {
  /** `host` or `host:port`, as a URL has it. */
  readonly allowedHosts: readonly string[];
  /** Of these, hosts that may be this machine or in a private network. */
  readonly privateHosts: readonly string[];
}

/** Downloads one trace. No redirect is followed. @throws RefusedEvent, or the signal's reason */
export async function downloadTrace(
  address: string,
  { allowedHosts, privateHosts }: DownloadRules,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new RefusedEvent('The address of a trace begins with https://.');
  const { host } = url;
  const isPrivate = privateHosts.includes(host);
  if (!isPrivate && !allowedHosts.includes(host)) {
    throw new RefusedEvent(
      `Traces are not downloaded from ${host}: TURNWISE_TRACE_HOSTS of the deployment does not name it.`,
    );
  }
  if (url.username !== '' || url.password !== '')
    throw new RefusedEvent('The address of a trace has no user and password.');
  if (url.protocol === 'http:' && !isPrivate)
    throw new RefusedEvent(`Traces are downloaded from ${host} by https:// alone.`);
  const rules = {
    privateNetwork: isPrivate,
    loopback: isPrivate,
    advice: 'TURNWISE_PRIVATE_TRACE_HOSTS of the deployment allows it.',
  };
  const forbidden = forbiddenHost(url, rules);
  if (forbidden !== null) throw new RefusedEvent(forbidden);
  try {
    return await download(url, maxBytes, { signal, lookup: checkedLookup(rules) });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RefusedEvent) throw error;
    throw new RefusedEvent(`The trace at ${host} cannot be downloaded: ${errorMessage(error)}`);
  }
}

type DownloadOptions = { readonly signal: AbortSignal; readonly lookup: ReturnType<typeof checkedLookup> };

function download(url: URL, maxBytes: number, options: DownloadOptions): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, { ...options, headers: { 'accept-encoding': 'identity' } }, (response) => {
    readResponse(response, url.host, maxBytes).then(resolve, (error) => {
      response.destroy();
      reject(error);
    });
  });
  request.on('error', reject);
  request.end();
  return promise;
}

async function readResponse(response: IncomingMessage, host: string, maxBytes: number): Promise<Uint8Array> {
  const { statusCode = 0 } = response;
  if (statusCode >= 300 && statusCode < 400) {
    throw new RefusedEvent(`${host} redirects, and redirects are not followed. Name the address that it leads to.`);
  }
  if (statusCode !== 200) throw new RefusedEvent(`${host} answered with status ${statusCode} instead of a trace.`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new RefusedEvent(`The traces are larger than ${maxBytes} bytes together.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
