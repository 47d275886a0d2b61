import type { Agent } from 'node:http';
import { isLoopback } from '../core/loopback.ts';
import { ModelError } from './model-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` or `HTTP_PROXY` by the URL's protocol, else `ALL_PROXY`,
 * in upper or lower case; null where there is none. `NO_PROXY` lists hosts to connect to directly: `example.org` with its
 * subdomains, `host:port`, an address, or `*`. Loopback is always direct.
 *
 * @throws ModelError if the proxy's URL is invalid.
 */
export function proxyFor(url: URL, env: Environment): URL | null {
  const read = (name: string) => env[name.toLowerCase()] || env[name.toUpperCase()];
  const value = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (!value || isLoopback(url.hostname) || isInNoProxy(url, read('no_proxy') ?? '')) return null;
  const proxy = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  throw new ModelError('refused', `The environment names a proxy for ${url.host} that is not an http or https URL.`);
}

function isInNoProxy(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, host = entry, entryPort] = /^(.*[^:]):(\d+)$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const name = host.replace(/^\*?\./, '');
      return url.hostname === name || url.hostname === `[${name}]` || url.hostname.endsWith(`.${name}`);
    });
}

/** Connects to a URL through a proxy. For https it is a tunnel, so that the proxy sees no more than the host. */
export async function createProxyAgent(proxy: URL, url: URL): Promise<Agent> {
  const options = { keepAlive: true };
  if (url.protocol === 'https:') {
    const { HttpsProxyAgent } = await import('https-proxy-agent');
    return new HttpsProxyAgent(proxy, options);
  }
  const { HttpProxyAgent } = await import('http-proxy-agent');
  return new HttpProxyAgent(proxy, options);
}
