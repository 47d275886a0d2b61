import * as z from 'zod/mini';
import { notification, request } from './request.ts';

/**
 * A server of models as consent and keys are given to it: `api.openai.com`, `localhost:1234`, and with `http://` in front
 * where others on the way could read what is sent.
 *
 * @param address a URL, or a host alone. @returns null where it is neither.
 */
export function hostOf(address: string): string | null {
  const url = URL.parse(address.includes('://') ? address.trim() : `https://${address.trim()}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.protocol === 'http:' && !isLoopback(url.hostname) ? url.origin : url.host;
}

/** Whether what is sent there never leaves the machine. @param hostname as `URL` has it. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

const host = z.string().check(z.minLength(1));

/** The server asks the editor for the key of one host; null where it holds none. */
export const key = request('turnwise/key', z.object({ host }), z.nullable(z.string()));

/** A host answers nobody without a key, or did not accept the one that it was shown. */
export const keyNeeded = notification('turnwise/keyNeeded', z.object({ host, sentence: z.string() }));

/** The hosts that the configuration of a file, or of a folder, asks; the judge's first. */
export const hosts = request(
  'turnwise/hosts',
  z.object({ uri: z.url({ protocol: /^file$/ }) }),
  z.object({ hosts: z.readonly(z.array(z.string())) }),
);

/** Forgets to whom the user has allowed, or forbidden, to send traces: they are asked anew, in every folder. */
export const forgetConsent = request('turnwise/forgetConsent', z.object({}), z.object({}));
