import * as z from 'zod/mini';
import { PROVIDER_NAMES } from '../core/model-providers.ts';
import { fileUri } from './messages.ts';
import { defineNotification, defineRequest } from './rpc.ts';

const host = z.string().check(z.minLength(1));

/** Asks the editor for the API key of a host; null if there is none. */
export const apiKey = defineRequest('turnwise/key', z.object({ host }), z.nullable(z.string()));

/** A host requires an API key or rejected the one it got. */
export const apiKeyNeeded = defineNotification('turnwise/keyNeeded', z.object({ host, sentence: z.string() }));

/** The model hosts in the configuration of a file or folder, the judge's first. */
export const modelHosts = defineRequest(
  'turnwise/hosts',
  z.object({ uri: fileUri }),
  z.object({ hosts: z.readonly(z.array(z.string())) }),
);

/** The choice of a judge. */
export const judgeChoice = z.discriminatedUnion('provider', [
  z.object({ provider: z.literal('rules') }),
  z.object({
    provider: z.enum(PROVIDER_NAMES),
    model: z.string().check(z.minLength(1)),
    /** Default: the provider's own. */
    baseUrl: z.optional(z.url({ protocol: /^https?$/ })),
  }),
]);
export type JudgeChoice = z.infer<typeof judgeChoice>;

/** Saves the judge to the configuration of a file or folder. */
export const saveJudge = defineRequest(
  'turnwise/chooseJudge',
  z.object({ uri: fileUri, judge: judgeChoice }),
  z.union([
    z.object({
      written: z.string(),
      /** Metrics that still use their own model. */
      asking: z.readonly(z.array(z.string())),
    }),
    z.object({ error: z.string() }),
  ]),
);

/** Clears which hosts may receive traces, for all folders. */
export const clearConsent = defineRequest('turnwise/clearConsent', z.object({}), z.object({}));
