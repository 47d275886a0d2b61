import * as z from 'zod/mini';
import { EDITOR_MODEL_FAILURES } from '../core/editor-models.ts';
import { defineRequest } from './rpc.ts';

const editorModel = z.object({
  vendor: z.string(),
  family: z.string(),
  version: z.string(),
  id: z.string(),
  name: z.string(),
});

/** Asks the editor which language models it has now. Nothing is sent to any of them. */
export const listEditorModels = defineRequest(
  'turnwise/editorModels',
  z.object({}),
  z.object({ models: z.readonly(z.array(editorModel)) }),
);

const count = z.int().check(z.nonnegative());

/** Asks one of the editor's models one question. Cancel the request to stop it. */
export const askEditorModel = defineRequest(
  'turnwise/askEditorModel',
  z.object({
    model: editorModel,
    messages: z.readonly(z.array(z.string())),
    schema: z.nullable(z.readonly(z.record(z.string(), z.unknown()))),
    temperature: z.nullable(z.number()),
    timeoutMs: z.number(),
  }),
  z.discriminatedUnion('status', [
    z.object({
      status: z.literal('answered'),
      text: z.string(),
      isToolCall: z.boolean(),
      usage: z.nullable(z.object({ promptTokens: count, completionTokens: count })),
    }),
    z.object({ status: z.literal('failed'), cause: z.enum(EDITOR_MODEL_FAILURES), message: z.string() }),
  ]),
);
