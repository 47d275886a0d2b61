import * as z from 'zod/mini';
import { isLoopback } from '../core/loopback.ts';
import { fileUri } from './messages.ts';
import { defineNotification, defineRequest } from './rpc.ts';

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

const host = z.string().check(z.minLength(1));

/** The server asks the editor for the key of one host; null where it holds none. */
export const apiKey = defineRequest('turnwise/key', z.object({ host }), z.nullable(z.string()));

/** A host answers nobody without a key, or did not accept the one that it was shown. */
export const apiKeyNeeded = defineNotification('turnwise/keyNeeded', z.object({ host, sentence: z.string() }));

/** The hosts that the configuration of a file, or of a folder, asks; the judge's first. */
export const modelHosts = defineRequest(
  'turnwise/hosts',
  z.object({ uri: fileUri }),
  z.object({ hosts: z.readonly(z.array(z.string())) }),
);

/** Who is to judge. */
export const judgeChoice = z.discriminatedUnion('provider', [
  z.object({ provider: z.literal('rules') }),
  z.object({
    provider: z.enum(['openai', 'ollama']),
    model: z.string().check(z.minLength(1)),
    /** Without it, the provider's own. */
    baseUrl: z.optional(z.url({ protocol: /^https?$/ })),
  }),
]);
export type JudgeChoice = z.infer<typeof judgeChoice>;

/** Writes it into the configuration that is nearest to a file, or applies to a folder. */
export const saveJudge = defineRequest(
  'turnwise/chooseJudge',
  z.object({ uri: fileUri, judge: judgeChoice }),
  z.union([
    z.object({
      written: z.string(),
      /** Metrics that ask a model of their own all the same. */
      asking: z.readonly(z.array(z.string())),
    }),
    z.object({ refused: z.string() }),
  ]),
);

/** Forgets to whom the user has allowed, or forbidden, to send traces: they are asked anew, in every folder. */
export const clearConsent = defineRequest('turnwise/forgetConsent', z.object({}), z.object({}));
