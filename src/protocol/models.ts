import * as z from 'zod/mini';
import { EDITOR_PROVIDER } from '../core/editor-models.ts';
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

const baseUrl = z.url({ protocol: /^https?$/ });

const serverModelChoice = z.object({
  provider: z.enum(PROVIDER_NAMES),
  model: z.string().check(z.minLength(1)),
  /** Default: the provider's own. */
  baseUrl: z.optional(baseUrl),
});
/** The choice of a model on a server. */
export type ServerModelChoice = z.infer<typeof serverModelChoice>;

const modelChoice = z.object({
  provider: z.enum([...PROVIDER_NAMES, EDITOR_PROVIDER]),
  model: z.string().check(z.minLength(1)),
  /** Default: the provider's own. The editor's models have none. */
  baseUrl: z.optional(baseUrl),
});
/** The choice of a model and its server. */
export type ModelChoice = z.infer<typeof modelChoice>;

/** The choice of a judge. */
export const judgeChoice = z.discriminatedUnion('provider', [z.object({ provider: z.literal('rules') }), modelChoice]);
export type JudgeChoice = z.infer<typeof judgeChoice>;

/** The choice of an embedder: by words, a model in a folder, or one on a server. */
export const embedderChoice = z.discriminatedUnion('provider', [
  z.object({ provider: z.literal('lexical') }),
  z.object({
    provider: z.literal('static'),
    /** The path of the folder. */
    model: z.string().check(z.minLength(1)),
  }),
  serverModelChoice,
]);
export type EmbedderChoice = z.infer<typeof embedderChoice>;

/** An API key that is used for one request and stored nowhere. Default: the key that an evaluation would use. */
const enteredKey = z.optional(z.string().check(z.minLength(1)));

/** Asks a server that the user chose for the names of its models. */
export const listModels = defineRequest(
  'turnwise/listModels',
  z.object({ provider: z.enum(PROVIDER_NAMES), baseUrl, key: enteredKey, use: z.enum(['judge', 'embedder']) }),
  z.union([
    z.object({ models: z.readonly(z.array(z.string())) }),
    z.object({ error: z.string(), cause: z.enum(['unreachable', 'key', 'other']) }),
  ]),
);

export type ModelListParams = z.infer<(typeof listModels)['params']>;
export type ModelList = z.infer<(typeof listModels)['result']>;

/** Sends one small question, without any text of a trace, to a judge. */
export const testJudge = defineRequest(
  'turnwise/testJudge',
  z.object({
    /** The file or folder whose configuration applies. */
    uri: fileUri,
    /** Default: the judge of the configuration. Its host is named in a question to the user, unless it is this machine. */
    judge: z.optional(modelChoice),
    key: enteredKey,
  }),
  z.discriminatedUnion('status', [
    z.object({
      status: z.literal('answered'),
      /** As its server names it. */
      model: z.string(),
      /** Of the question and the answer. */
      tokens: z.int(),
      /** Whether the server did not count the tokens. */
      isEstimated: z.boolean(),
      ms: z.number(),
    }),
    z.object({ status: z.literal('failed'), error: z.string() }),
    z.object({ status: z.literal('cancelled') }),
  ]),
);
export type JudgeTestParams = z.infer<(typeof testJudge)['params']>;
export type JudgeTest = z.infer<(typeof testJudge)['result']>;

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

/** Turns two short sentences, which have nothing of a trace, into vectors. */
export const testEmbedder = defineRequest(
  'turnwise/testEmbedder',
  z.object({
    /** The file or folder whose configuration applies. */
    uri: fileUri,
    embedder: embedderChoice,
    key: enteredKey,
  }),
  z.discriminatedUnion('status', [
    z.object({
      status: z.literal('answered'),
      model: z.string(),
      /** Numbers in a vector. */
      dimensions: z.int(),
      ms: z.number(),
    }),
    z.object({ status: z.literal('failed'), error: z.string() }),
    z.object({ status: z.literal('cancelled') }),
  ]),
);
export type EmbedderTestParams = z.infer<(typeof testEmbedder)['params']>;
export type EmbedderTest = z.infer<(typeof testEmbedder)['result']>;

/** Saves the embedder to the configuration of a file or folder. */
export const saveEmbedder = defineRequest(
  'turnwise/chooseEmbedder',
  z.object({ uri: fileUri, embedder: embedderChoice }),
  z.union([z.object({ written: z.string() }), z.object({ error: z.string() })]),
);

/** Clears which hosts may receive traces, for all folders. */
export const clearConsent = defineRequest('turnwise/clearConsent', z.object({}), z.object({}));
