import * as vscode from 'vscode';

export interface FakeRequest {
  readonly texts: readonly string[];
  readonly tools: readonly vscode.LanguageModelChatTool[];
  readonly toolMode: vscode.LanguageModelChatToolMode;
}

/** What the only model does with a request. */
export type Behaviour = (
  request: FakeRequest,
  report: (part: vscode.LanguageModelResponsePart) => void,
  token: vscode.CancellationToken,
) => void | Promise<void>;

/** What this extension is to the suite, which runs in the same process. */
export interface FakeModels {
  behaviour: Behaviour;
  readonly requests: FakeRequest[];
  /** Another version of the model; null: there is none. */
  setVersion(version: string | null): void;
}

/** Registers `acme/large`, a model that does what the suite says. */
export function activate({ subscriptions }: vscode.ExtensionContext): FakeModels {
  const changed = new vscode.EventEmitter<void>();
  let version: string | null = '1';
  const models: FakeModels = {
    behaviour: () => {},
    requests: [],
    setVersion(next) {
      version = next;
      changed.fire();
    },
  };
  const provider: vscode.LanguageModelChatProvider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: () =>
      version === null
        ? []
        : [
            {
              id: 'l1',
              name: 'Acme Large',
              family: 'large',
              version,
              maxInputTokens: 100_000,
              maxOutputTokens: 10_000,
              capabilities: { toolCalling: true },
            },
          ],
    async provideLanguageModelChatResponse(_model, messages, { tools = [], toolMode }, progress, token) {
      const texts = messages.map(({ content }) =>
        content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join(''),
      );
      const request = { texts, tools, toolMode };
      models.requests.push(request);
      await models.behaviour(request, (part) => progress.report(part), token);
    },
    provideTokenCount: async (_model, text) => Math.ceil((typeof text === 'string' ? text.length : 0) / 4),
  };
  subscriptions.push(changed, vscode.lm.registerLanguageModelChatProvider('acme', provider));
  return models;
}
