import type { JsonObject } from './json.ts';

/** The provider of the models that the editor has itself. They have no server: only the Turnwise extension of VS Code asks them. */
export const EDITOR_PROVIDER = 'editor';

/** Requests in progress at the same time: the default for `judge.concurrency`. */
export const EDITOR_CONCURRENCY = 4;

/** How one of them is written, after `editor:`. */
export const EDITOR_MODEL_EXAMPLE = 'copilot/gpt-4o';

/** One of the editor's models. Its version is part of what it is: a changed version is another judge. */
export interface EditorModel {
  readonly vendor: string;
  readonly family: string;
  readonly version: string;
  /** Unique among the models of its vendor. */
  readonly id: string;
  /** For display. */
  readonly name: string;
}

/** One question to a model. */
export interface EditorModelRequest {
  readonly model: EditorModel;
  /** Messages of the user, in order: the editor's models have no system role. */
  readonly messages: readonly string[];
  /** Of the only tool, which the model has to call with its answer; null: it answers in words. */
  readonly schema: JsonObject | null;
  /** Null: the model's own. */
  readonly temperature: number | null;
  /** From when the request may be sent: the editor asks the user for consent before the first. */
  readonly timeoutMs: number;
}

/** How a model answered. Text is its words, or the input of the tool as JSON. */
export type EditorModelAnswer =
  | {
      readonly status: 'answered';
      readonly text: string;
      readonly isToolCall: boolean;
      /** As the model's own tokenizer counts them; null where it does not. */
      readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
    }
  | { readonly status: 'failed'; readonly cause: EditorModelFailure; readonly message: string };

export const EDITOR_MODEL_FAILURES = [
  /** The user, or an organization, does not let Turnwise ask the model. */
  'consent',
  'quota',
  'rate_limit',
  /** There is no such model, or another version of it. */
  'gone',
  'too_long',
  'timeout',
  'cancelled',
  /** The stream broke off with an error. */
  'cut',
  'empty',
  'endless',
  'other_tool',
  'other',
] as const;
export type EditorModelFailure = (typeof EDITOR_MODEL_FAILURES)[number];

/** What is written of a model: the vendor, and its family or id. Null for any other text. */
export function parseEditorModel(text: string): { readonly vendor: string; readonly model: string } | null {
  // The vendor is shown in questions to the user, and a folder that comes from anybody can name it.
  const [, vendor, model] = /^([\w.-]{1,60})\/(.+)$/s.exec(text) ?? [];
  return vendor === undefined || model === undefined ? null : { vendor, model };
}

/** The model that a text names; undefined where the editor has none. */
export function findEditorModel(models: readonly EditorModel[], text: string): EditorModel | undefined {
  const named = parseEditorModel(text);
  const ofVendor = models.filter(({ vendor }) => vendor === named?.vendor);
  return ofVendor.find(({ id }) => id === named?.model) ?? ofVendor.find(({ family }) => family === named?.model);
}

/** How a model is written: by its family where that names it alone, else by its id. */
export function editorModelName(model: EditorModel, models: readonly EditorModel[]): string {
  const byFamily = `${model.vendor}/${model.family}`;
  return findEditorModel(models, byFamily)?.id === model.id ? byFamily : `${model.vendor}/${model.id}`;
}

/** What consent to send traces is about, where a model has no host. Null where the text names no model. */
export function editorHost(text: string): string | null {
  const named = parseEditorModel(text);
  return named && `${EDITOR_PROVIDER}:${named.vendor}`;
}

/** Vendor, family and version in one line. */
export function describeEditorModel({ vendor, family, version }: EditorModel): string {
  return `${vendor}/${family} ${version}`.trim();
}
