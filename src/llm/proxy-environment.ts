import { ModelError } from './model-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` or `HTTP_PROXY` by the URL's protocol, else `ALL_PROXY`,
 * in either case; null where there is none. `NO_PROXY` lists hosts that are reached directly (`example.org` with all
 * below it, `host:port`, an address, or `*`), and loopback always is: what stays on the machine has no business with a proxy.
 *
 * @throws ModelFault where the proxy's URL is none.
 */
export function proxyFor(url: URL, env: Environment): URL | null {
  const read = (name: string) => env[name.toLowerCase()] || env[name.toUpperCase()];
  const value = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (!value || isLoopback(url.hostname) || isInNoProxy(url, read('no_proxy') ?? '')) return null;
  const proxy = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  throw new ModelError('refused', `The environment names a proxy for ${url.host} that is no http or https URL.`);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}

function isInNoProxy(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, host = entry, onPort] = /^(.*[^:]):(\d+)$/.exec(entry) ?? [];
      if (onPort !== undefined && onPort !== port) return false;
      const name = host.replace(/^\*?\./, '');
      return url.hostname === name || url.hostname === `[${name}]` || url.hostname.endsWith(`.${name}`);
    });
}
