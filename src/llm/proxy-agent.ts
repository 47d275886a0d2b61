import type { Agent } from 'node:http';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';

/** Connections to a URL through a proxy: a tunnel where the URL is https, so that the proxy sees no more than the host. */
export function proxyAgent(proxy: URL, url: URL): Agent {
  const options = { keepAlive: true };
  return url.protocol === 'https:' ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
}
