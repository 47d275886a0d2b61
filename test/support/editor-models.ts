import { sampleFromSchema } from '../../src/app/sample-from-schema.ts';
import type { EditorModel, EditorModelRequest } from '../../src/core/editor-models.ts';
import { isObject, type JsonObject, parseJson } from '../../src/core/json.ts';
import { ANSWER_TOOL, type AskableModel, askModel } from '../../src/extension/editor-answer.ts';
import type { EditorModels } from '../../src/llm/providers/editor.ts';
import { pinShownIds } from './shown-ids.ts';

export const ACME: EditorModel = { vendor: 'acme', family: 'large', version: '2026-01', id: 'l1', name: 'Acme Large' };

/** The parts that an extension streams: as VS Code hands them on. */
export const text = (value: string) => ({ value });
export const toolCall = (input: unknown, name: string = ANSWER_TOOL.name) => ({ callId: 'call-1', name, input });

/** What a model streams, given the answer that fits. */
export type Shape = (answer: JsonObject, request: EditorModelRequest) => readonly unknown[];

/** Letter by letter as UTF-16 has them, so that signs of two units are torn apart. */
const torn = (words: string) => Array.from({ length: words.length }, (_, at) => text(words.charAt(at)));

/** Five kinds of provider. Where a model is not given the tool, all of them write JSON in some way. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'calls the tool': (answer, { schema }) => (schema ? [toolCall(answer)] : [text(JSON.stringify(answer))]),
  'ignores the tool and writes JSON in a fence': (answer) => [text(`\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``)],
  'writes prose around JSON': (answer) => [
    text('Let me {think} about it.\n\n'),
    text(JSON.stringify(answer)),
    text('\n\nI hope that helps {you}!'),
  ],
  'streams the input of the tool as pieces of text': (answer, { schema }) => {
    const pieces = JSON.stringify(answer).match(/.{1,7}/gsu) ?? [];
    return schema ? pieces.map((piece) => toolCall(piece)) : pieces.map(text);
  },
  'writes single code units, thoughts and signs of all scripts': (answer) => [
    { thinking: 'This is no text part.' },
    ...torn(`判断 👩‍👩‍👧 são:\n${JSON.stringify({ ...answer, note: '🙂 {' })}`),
  ],
};

/** What goes wrong with one request: an error before the stream, or what is streamed instead. */
export interface EditorFault {
  /** Thrown when the request is sent. */
  readonly throws?: () => unknown;
  readonly parts?: Shape;
  /** After the parts, instead of the end. */
  readonly ends?: 'never' | (() => unknown);
}

/** An answer that fits a schema and what the messages show, with good scores. */
export function goodAnswer(schema: unknown, messages: readonly string[]): JsonObject {
  const sample = sampleFromSchema(pinShownIds(isObject(schema) ? schema : {}, messages.join('\n')));
  const parts = Object.entries(isObject(sample) ? sample : {});
  return Object.fromEntries(
    parts.map(([name, part]) => [name, isObject(part) && 'score' in part ? { ...part, score: 4 } : part]),
  );
}

/** The schema that a request has, or describes in words. */
function schemaOf({ schema, messages }: EditorModelRequest): JsonObject {
  const described = /fits this JSON Schema: (\{.*\})$/m.exec(messages.join('\n'))?.[1] ?? '{}';
  const parsed = parseJson(described);
  return schema ?? (isObject(parsed) ? parsed : {});
}

export interface FakeEditor extends EditorModels {
  readonly requests: readonly EditorModelRequest[];
  /** Tokens as the provider counts them, of all that it was sent and has written. */
  readonly tokens: { sent: number; written: number };
}

/** Four characters are a token, and each message takes three more than its text. */
const tokensOf = (words: string) => Math.ceil(words.length / 4);

/** An editor with one model, which is asked by the code of the extension. */
export function fakeEditor(
  shape: Shape,
  {
    fault = () => null,
    maxInputTokens = 100_000,
    models = [ACME],
  }: {
    readonly fault?: (request: EditorModelRequest, number: number) => EditorFault | null;
    readonly maxInputTokens?: number;
    readonly models?: readonly EditorModel[];
  } = {},
): FakeEditor {
  const requests: EditorModelRequest[] = [];
  const tokens = { sent: 0, written: 0 };
  const model: AskableModel = {
    maxInputTokens,
    countTokens: async (words) => tokensOf(words),
    send: async (request) => {
      requests.push(request);
      const sent = [...request.messages, JSON.stringify(request.schema ?? '')];
      tokens.sent += sent.reduce((sum, words) => sum + tokensOf(words) + 3, 0);
      const happens = fault(request, requests.length);
      if (happens?.throws) throw happens.throws();
      const answer = goodAnswer(schemaOf(request), request.messages);
      const parts = (happens?.parts ?? shape)(answer, request);
      tokens.written += tokensOf(parts.map((part) => JSON.stringify(part)).join(''));
      return stream(parts, happens?.ends);
    },
  };
  return {
    models,
    requests,
    tokens,
    ask: (request, signal) => askModel(model, request, { signal, asksUser: false }),
  };
}

async function* stream(parts: readonly unknown[], ends: EditorFault['ends']): AsyncGenerator<unknown> {
  yield* parts;
  if (ends === 'never') await new Promise<never>(() => {});
  if (typeof ends === 'function') throw ends();
}
