import {
  describeEditorModel,
  EDITOR_PROVIDER,
  type EditorModel,
  type EditorModelAnswer,
  type EditorModelRequest,
  findEditorModel,
} from '../../core/editor-models.ts';
import { type ChatModel, type ChatPrompt, type Completion, toMessages, toUsage } from '../chat-model.ts';
import { ModelError, type ModelErrorKind } from '../model-error.ts';
import { errorText } from '../server-error.ts';
import type { ChatModelSettings } from './provider.ts';

/** The editor's models, where an editor is there to ask them. */
export interface EditorModels {
  /** Those that it had when the run began. */
  readonly models: readonly EditorModel[];
  /** Asks once. Never rejects. */
  readonly ask: (request: EditorModelRequest, signal: AbortSignal) => Promise<EditorModelAnswer>;
}

/** What to do where the editor's models cannot be asked. */
export const NO_EDITOR_MODELS =
  "The editor's own models answer only in VS Code, with the Turnwise extension. Here, choose a model on a server (openai:MODEL or ollama:MODEL), or rules for none.";

/**
 * One of the editor's models, which answers by calling a tool. A model that does not call it is asked for JSON in words.
 *
 * @param editor null: the model is never asked.
 */
export function editorChatModel(
  { model: name, temperature, timeoutMs, jsonFence }: ChatModelSettings,
  editor: EditorModels | null,
): ChatModel {
  const model = editor ? findEditorModel(editor.models, name) : undefined;
  let hasCalledTool = false;
  let takesTemperature = true;

  const send = async (prompt: Omit<EditorModelRequest, 'model' | 'timeoutMs' | 'temperature'>, signal: AbortSignal) => {
    if (!editor) throw new ModelError('unavailable', NO_EDITOR_MODELS);
    if (!model) throw new ModelError('unavailable', `The editor has no model ${name}. ${CHOOSE}`);
    signal.throwIfAborted();
    const request = { ...prompt, model, timeoutMs, temperature: takesTemperature ? temperature : null };
    const answer = await editor.ask(request, signal);
    signal.throwIfAborted();
    return answer;
  };

  const complete = async (prompt: ChatPrompt, signal: AbortSignal): Promise<Completion> => {
    const asTool = prompt.structured === 'schema';
    const messages = toMessages({ ...prompt, structured: asTool ? 'schema' : 'text' }, jsonFence);
    const request = { messages: messages.map(({ content }) => content), schema: asTool ? prompt.schema : null };
    const answer = await send(request, signal);
    if (answer.status === 'failed') {
      if (takesTemperature && answer.cause === 'other' && /\btemperature\b/i.test(answer.message)) {
        takesTemperature = false;
        return complete(prompt, signal);
      }
      throw toModelError(name, answer, asTool);
    }
    hasCalledTool ||= answer.isToolCall;
    // Words of a model that can call the tool are an answer, such as a refusal.
    if (asTool && !hasCalledTool) {
      throw new ModelError('structured_output', `${name} answered in words and did not call the tool.`);
    }
    const { promptTokens, completionTokens } = answer.usage ?? {};
    const version = model && describeEditorModel(model);
    return { text: answer.text, finish: 'stop', usage: toUsage(promptTokens, completionTokens), version };
  };
  return {
    provider: EDITOR_PROVIDER,
    model: name,
    ...(model && { identity: `${EDITOR_PROVIDER}/${describeEditorModel(model)}` }),
    fingerprint: JSON.stringify([model?.id, model?.version, temperature]),
    complete,
    chat: async () => {
      throw new ModelError(
        'unavailable',
        `The editor's own models only judge. Name another model in simulation.simulator to play users.`,
      );
    },
  };
}

const CHOOSE = 'Run "Turnwise: Choose Judge" to choose another.';

type Failure = Extract<EditorModelAnswer, { readonly status: 'failed' }>;

/** The sentence, without that of the editor, and what kind of error it is. */
const FAILURES: Readonly<Record<Failure['cause'], readonly [kind: ModelErrorKind, sentence: string]>> = {
  consent: [
    'unavailable',
    'may not be used by Turnwise; allow it when VS Code asks, or by "Manage Language Model Access" in the menu of your account',
  ],
  quota: ['unavailable', 'is blocked for Turnwise: its quota may be used up'],
  rate_limit: ['rate_limit', 'gets too many requests'],
  gone: ['unavailable', 'is no longer there in this version; evaluate again or choose another'],
  too_long: ['prompt_cut', 'does not take prompts of this length'],
  timeout: ['timeout', 'did not answer in time (judge.timeoutMs)'],
  cancelled: ['refused', 'was not asked: the editor cancelled the request'],
  cut: ['connection', 'stopped in the middle of its answer'],
  empty: ['no_answer', 'answered with no text'],
  endless: ['no_answer', 'did not end its answer'],
  other_tool: ['no_answer', 'called a tool that it was not given'],
  other: ['server', 'failed'],
};

function toModelError(name: string, { cause, message }: Failure, asTool: boolean): ModelError {
  const [kind, sentence] = FAILURES[cause];
  const words = errorText(message, []);
  const text = `${name} ${sentence}${words === '' ? '.' : `: ${words}`}`;
  const rejectsTool = asTool && cause === 'other' && /\b(tools?|functions?|tool_?choice|toolMode)\b/i.test(message);
  return new ModelError(rejectsTool ? 'structured_output' : kind, text);
}
