import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The subset of the `vscode` module that pure parts of the extension use. */

export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeIcon {
  readonly id: string;
  readonly color: ThemeColor | undefined;
  constructor(id: string, color?: ThemeColor) {
    this.id = id;
    this.color = color;
  }
}

export class Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
    this.start = { line: startLine, character: startCharacter };
    this.end = { line: endLine, character: endCharacter };
  }
}

export class Uri {
  static parse(text: string): Uri {
    return new Uri(new URL(text));
  }

  static file(path: string): Uri {
    return new Uri(new URL(`file://${path}`));
  }

  static joinPath(uri: Uri, ...parts: readonly string[]): Uri {
    return new Uri(new URL(new URL(parts.join('/'), `${uri}/`).href.replace(/\/$/, '')));
  }

  readonly #url: URL;

  private constructor(url: URL) {
    this.#url = url;
  }

  get scheme(): string {
    return this.#url.protocol.slice(0, -1);
  }

  get path(): string {
    return decodeURIComponent(this.#url.pathname);
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    return this.#url.href;
  }
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };

export const l10n = {
  t: (message: string | { readonly message: string }, ...values: readonly unknown[]) =>
    (typeof message === 'string' ? message : message.message).replace(/\{(\d+)\}/g, (_, index) =>
      String(values[Number(index)]),
    ),
};

let configuration: Readonly<Record<string, unknown>> = {};
const configurationChanges = new Set<(event: { affectsConfiguration(): boolean }) => void>();

/** Sets the settings of the extension. */
export function setConfiguration(values: Readonly<Record<string, unknown>>): void {
  configuration = values;
  for (const listener of configurationChanges) listener({ affectsConfiguration: () => true });
}

export const workspace = {
  isTrusted: true,
  workspaceFolders: [] as { readonly uri: Uri; readonly name?: string }[],
  getConfiguration: () => ({ get: (key: string) => configuration[key] }),
  onDidChangeConfiguration: (listener: (event: { affectsConfiguration(): boolean }) => void) => {
    configurationChanges.add(listener);
    return { dispose: () => configurationChanges.delete(listener) };
  },
  onDidChangeWorkspaceFolders: () => ({ dispose() {} }),
  onDidGrantWorkspaceTrust: () => ({ dispose() {} }),
  asRelativePath: ({ path }: Uri) => path.replace(/^\/workspace\//, ''),
  findFiles: async (): Promise<readonly Uri[]> => [],
  fs: {
    stat: (uri: Uri) => stat(fileURLToPath(uri.toString())),
    readFile: (uri: Uri) => readFile(fileURLToPath(uri.toString())),
  },
};

export class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

export interface FakeChatModel {
  readonly vendor: string;
  readonly family: string;
  readonly version: string;
  readonly id: string;
  readonly name: string;
}

/** Names of the registered tools. */
const registeredTools = new Set<string>();

export const lm = {
  selectChatModels: async (): Promise<readonly FakeChatModel[]> => [],
  registered: registeredTools,
  registerTool: (name: string) => {
    registeredTools.add(name);
    return { dispose: () => registeredTools.delete(name) };
  },
  registerMcpServerDefinitionProvider: () => ({ dispose() {} }),
};

export class McpStdioServerDefinition {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: unknown;
  readonly version: string;
  constructor(label: string, command: string, args: readonly string[], env: unknown, version: string) {
    this.label = label;
    this.command = command;
    this.args = args;
    this.env = env;
    this.version = version;
  }
}

export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class LanguageModelToolResult {
  readonly content: readonly LanguageModelTextPart[];
  constructor(content: readonly LanguageModelTextPart[]) {
    this.content = content;
  }
}

export const env = { language: 'en' };

export const Disposable = {
  from: (...all: readonly { dispose(): unknown }[]) => ({
    dispose: () => {
      for (const disposable of all) disposable.dispose();
    },
  }),
};

/** The created views, in order. */
export const treeViews: { badge?: unknown; message?: string; visible: boolean; show(visible: boolean): void }[] = [];

export interface QuickPickItem {
  readonly label: string;
  readonly description?: string;
}

export interface InputBoxOptions {
  readonly title: string;
  readonly prompt?: string;
  readonly password?: boolean;
  readonly ignoreFocusOut?: boolean;
  readonly validateInput?: (text: string) => string | undefined;
}

export const window = {
  createTreeView: () => {
    const visibility = new EventEmitter<{ visible: boolean }>();
    const view = {
      visible: false,
      onDidChangeVisibility: visibility.event,
      show: (visible: boolean) => {
        view.visible = visible;
        visibility.fire({ visible });
      },
      dispose: () => {},
    };
    treeViews.push(view);
    return view;
  },
  activeTextEditor: undefined as { readonly document: { readonly uri: Uri; readonly languageId: string } } | undefined,
  showWarningMessage: async (..._parts: unknown[]): Promise<string | undefined> => undefined,
  showErrorMessage: async (..._parts: unknown[]): Promise<string | undefined> => undefined,
  showInformationMessage: async (..._parts: unknown[]): Promise<string | undefined> => undefined,
  showInputBox: async (_options: InputBoxOptions): Promise<string | undefined> => undefined,
  showOpenDialog: async (_options: { readonly title: string }): Promise<readonly Uri[] | undefined> => undefined,
  showQuickPick: async (
    _items: readonly QuickPickItem[] | Promise<readonly QuickPickItem[]>,
    _options: { readonly title: string },
  ): Promise<QuickPickItem | undefined> => undefined,
  showTextDocument: async (_uri: Uri): Promise<void> => {},
  withProgress: <Result>(
    _options: unknown,
    task: (progress: { report(): void }, token: { isCancellationRequested: boolean }) => Promise<Result>,
  ) => task({ report: () => {} }, { isCancellationRequested: false }),
};

export const commands = { executeCommand: async (..._parts: unknown[]): Promise<void> => {} };

export const ProgressLocation = { Notification: 15 };
