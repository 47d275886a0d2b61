import { isLoopback } from './loopback.ts';

/**
 * The host of a model server, by which consent and API keys are stored: `api.openai.com`, `localhost:1234`, with `http://` in
 * front for an unencrypted remote host.
 *
 * @param address a URL or a host. @returns null for anything else.
 */
export function hostOf(address: string): string | null {
  const url = URL.parse(address.includes('://') ? address.trim() : `https://${address.trim()}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.protocol === 'http:' && !isLoopback(url.hostname) ? url.origin : url.host;
}
