import * as vscode from 'vscode';
import {
  describeEditorModel,
  type EditorModel,
  type EditorModelAnswer,
  type EditorModelRequest,
} from '../core/editor-models.ts';
import { askEditorModel, listEditorModels } from '../protocol/editor-models.ts';
import { ANSWER_TOOL, type AskableModel, askModel, describeError, failed } from './editor-answer.ts';
import type { LanguageServer } from './language-server.ts';

interface EditorModelsOptions {
  readonly server: Pick<LanguageServer, 'onRequest'>;
  /** Whether Turnwise may ask models, as far as the user has decided it. */
  readonly access: Pick<vscode.LanguageModelAccessInformation, 'canSendRequest'>;
}

/** The language models that the editor has now. Nothing is sent to any of them. */
export async function editorModels(): Promise<readonly EditorModel[]> {
  const models = await vscode.lm.selectChatModels();
  return models.map(({ vendor, family, version, id, name }) => ({ vendor, family, version, id, name }));
}

/** Asks the editor's models for the server: they exist in this process alone. */
export function serveEditorModels({ server, access }: EditorModelsOptions): void {
  server.onRequest(listEditorModels, async () => ({
    models: vscode.workspace.isTrusted ? await editorModels() : [],
  }));
  /** The request at which the editor asks the user: others wait for what becomes of it. */
  let first: Promise<EditorModelAnswer> | null = null;
  server.onRequest(askEditorModel, async (request, token) => {
    if (!vscode.workspace.isTrusted) return failed('consent', vscode.l10n.t('this folder is not trusted'));
    const stop = new AbortController();
    const listener = token.onCancellationRequested(() => stop.abort());
    try {
      const model = await findModel(request.model);
      if (!model) return failed('gone', describeEditorModel(request.model));
      const isAllowed = () => access.canSendRequest(model) === true;
      const ask = () => askModel(toAskableModel(model), request, { signal: stop.signal, asksUser: !isAllowed() });
      if (isAllowed()) return await ask();
      const before = await first;
      if (before?.status === 'failed' && before.cause === 'consent') return before;
      if (before) return await ask();
      first = ask().finally(() => {
        first = null;
      });
      return await first;
    } catch (error) {
      return describeError(error);
    } finally {
      listener.dispose();
    }
  });
}

/** The same model in the same version. */
async function findModel({ vendor, id, family, version }: EditorModel): Promise<vscode.LanguageModelChat | undefined> {
  const models = await vscode.lm.selectChatModels({ vendor, id });
  return models.find((model) => model.family === family && model.version === version);
}

function toAskableModel(model: vscode.LanguageModelChat): AskableModel {
  return {
    maxInputTokens: model.maxInputTokens,
    send: async (request, signal) => {
      const messages = request.messages.map((text) => vscode.LanguageModelChatMessage.User(text));
      const response = await model.sendRequest(messages, requestOptions(request), toToken(signal));
      return response.stream;
    },
    countTokens: async (text, signal) => model.countTokens(text, toToken(signal)),
  };
}

function requestOptions({ schema, temperature }: EditorModelRequest): vscode.LanguageModelChatRequestOptions {
  return {
    justification: vscode.l10n.t('Turnwise asks a judge how well the agent of a trace did its job.'),
    ...(temperature !== null && { modelOptions: { temperature } }),
    ...(schema && {
      tools: [{ ...ANSWER_TOOL, inputSchema: schema }],
      toolMode: vscode.LanguageModelChatToolMode.Required,
    }),
  };
}

/** A token that is cancelled with the signal. */
function toToken(signal: AbortSignal): vscode.CancellationToken {
  const source = new vscode.CancellationTokenSource();
  signal.addEventListener('abort', () => source.cancel(), { once: true });
  if (signal.aborted) source.cancel();
  return source.token;
}
