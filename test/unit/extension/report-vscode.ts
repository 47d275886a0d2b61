import { EventEmitter } from './fake-vscode.ts';

/** The subset of the `vscode` module that reports use, with a record of the calls. */

export { EventEmitter } from './fake-vscode.ts';

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: Position | number, b: Position | number, line = 0, character = 0) {
    this.start = a instanceof Position ? a : new Position(a, typeof b === 'number' ? b : 0);
    this.end = b instanceof Position ? b : new Position(line, character);
  }

  contains(range: Range): boolean {
    return compare(this.start, range.start) <= 0 && compare(range.end, this.end) <= 0;
  }

  isEqual({ start, end }: Range): boolean {
    return compare(this.start, start) === 0 && compare(this.end, end) === 0;
  }
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

export class Selection extends Range {
  get active(): Position {
    return this.end;
  }
}

export class Uri {
  static parse(text: string): Uri {
    return new Uri(new URL(text));
  }

  static from({ scheme, path, query }: { scheme: string; path: string; query: string }): Uri {
    return new Uri(new URL(`${scheme}://${encodeURI(path)}?${encodeURIComponent(query)}`));
  }

  static joinPath({ url }: Uri, ...parts: readonly string[]): Uri {
    return new Uri(new URL(`${url.href}/${parts.join('/')}`));
  }

  readonly url: URL;
  private constructor(url: URL) {
    this.url = url;
  }

  get scheme(): string {
    return this.url.protocol.slice(0, -1);
  }

  get path(): string {
    return decodeURIComponent(this.url.pathname);
  }

  toString(): string {
    return this.url.href;
  }
}

export class Location {
  readonly uri: Uri;
  readonly range: Range;
  constructor(uri: Uri, range: Range) {
    this.uri = uri;
    this.range = range;
  }
}

/** No line is too long, and no file has a formatted copy. */
export const noCopies = {
  visible: async <Where>(location: Where): Promise<Where> => location,
  locate: async <Where>(location: Where): Promise<Where> => location,
};

export const Disposable = {
  from: (...some: readonly { dispose(): void }[]) => ({
    dispose() {
      for (const item of some) item.dispose();
    },
  }),
};

export const ViewColumn = { Active: -1, Beside: -2, One: 1, Two: 2 };

export class TabInputText {
  readonly uri: Uri;
  constructor(uri: Uri) {
    this.uri = uri;
  }
}

export class TabInputCustom {
  readonly uri: Uri;
  readonly viewType: string;
  constructor(uri: Uri, viewType: string) {
    this.uri = uri;
    this.viewType = viewType;
  }
}

export class TabInputWebview {
  readonly viewType: string;
  constructor(viewType: string) {
    this.viewType = viewType;
  }
}

interface FakeTab {
  readonly label: string;
  readonly input: unknown;
}

interface FakeColumn {
  readonly viewColumn: number;
  readonly tabs: readonly FakeTab[];
  readonly activeTab: FakeTab | undefined;
}

export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };
export const l10n = {
  t: (message: string, ...values: readonly unknown[]) =>
    message.replace(/\{(\d+)\}/g, (_, index) => String(values[Number(index)])),
};

export class CancellationTokenSource {
  readonly #cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };

  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }

  dispose(): void {
    this.#cancelled.dispose();
  }
}

export class FakePanel {
  #visible = true;
  readonly #changed = new EventEmitter<void>();
  readonly onDidChangeViewState = this.#changed.event;
  title: string;
  iconPath: unknown;
  readonly viewColumn: number;
  /** The messages sent to the page. */
  readonly posted: unknown[] = [];
  readonly revealed: unknown[][] = [];
  readonly messages = new EventEmitter<unknown>();
  readonly #disposed = new EventEmitter<void>();
  readonly onDidDispose = this.#disposed.event;
  isDisposed = false;
  active = false;
  readonly webview: {
    html: string;
    options: unknown;
    readonly cspSource: string;
    asWebviewUri(uri: Uri): Uri;
    postMessage(message: unknown): Promise<boolean>;
    onDidReceiveMessage(listener: (message: unknown) => void): { dispose(): void };
  };

  constructor(title: string, viewColumn: number) {
    this.title = title;
    this.viewColumn = viewColumn;
    this.webview = {
      html: '',
      options: {},
      cspSource: 'https://webview.example',
      asWebviewUri: (uri) => uri,
      postMessage: async (message) => {
        this.posted.push(structuredClone(message));
        return true;
      },
      onDidReceiveMessage: (listener) => this.messages.event(listener),
    };
  }

  get visible(): boolean {
    return this.#visible;
  }

  set visible(visible: boolean) {
    this.#visible = visible;
    this.#changed.fire();
  }

  reveal(...args: unknown[]): void {
    this.revealed.push(args);
  }

  dispose(): void {
    this.isDisposed = true;
    this.#disposed.fire();
  }
}

export class FakeEditor {
  readonly document: { readonly uri: Uri; readonly languageId: string };
  readonly viewColumn = 1;
  readonly revealed: Range[] = [];
  /** The marked ranges. */
  decorated: readonly Range[] = [];
  #selection = new Selection(new Position(0, 0), new Position(0, 0));

  constructor(uri: string, languageId = 'json') {
    this.document = { uri: Uri.parse(uri), languageId };
  }

  get selection(): Selection {
    return this.#selection;
  }

  /** VS Code notifies of every selection change, whatever caused it. */
  set selection(selection: Selection) {
    this.#selection = selection;
    fake.selections.fire({ textEditor: this, selections: [selection] });
  }

  revealRange(range: Range): void {
    this.revealed.push(range);
  }

  setDecorations(_type: unknown, ranges: readonly Range[]): void {
    this.decorated = ranges;
  }

  /** Types a character as a person does: it replaces the selection. */
  type(): void {
    const { start, end } = this.#selection;
    fake.edits.fire({ document: this.document, contentChanges: [{ range: new Range(start, end), text: 'x' }] });
  }

  go(line: number): void {
    this.selection = new Selection(new Position(line, 0), new Position(line, 0));
  }

  /** Simulates a mouse click. */
  click(line: number): void {
    this.#selection = new Selection(new Position(line, 0), new Position(line, 0));
    fake.selections.fire({
      textEditor: this,
      selections: [this.#selection],
      kind: TextEditorSelectionChangeKind.Mouse,
    });
  }
}

/** State that tests set and inspect. */
export const fake = {
  panels: [] as FakePanel[],
  /** The view types of registered custom editors. */
  editors: [] as string[],
  created: [] as unknown[][],
  executed: [] as unknown[][],
  shown: [] as unknown[][],
  opened: [] as string[],
  clipboard: '',
  /** The button the user picks. */
  answer: undefined as string | undefined,
  /** Arranges tabs in columns: the URI of a file, `editor:` and the URI of one that is open as its report, or the title of a report; the last tab of each column is active. */
  arrange(...columns: readonly (readonly string[])[]) {
    window.tabGroups.all = columns.map((labels, index) => {
      const tabs = labels.map((label) => ({ label, input: inputOf(label) }));
      return { viewColumn: index + 1, tabs, activeTab: tabs.at(-1) };
    });
  },
  settings: new Map<string, unknown>(),
  edits: new EventEmitter<{ document: unknown; contentChanges: readonly { range: Range; text: string }[] }>(),
  visible: new EventEmitter<void>(),
  selections: new EventEmitter<{ textEditor: FakeEditor; selections: Selection[]; kind?: number }>(),
  reset() {
    for (const list of [fake.panels, fake.editors, fake.created, fake.executed, fake.shown, fake.opened])
      list.length = 0;
    window.visibleTextEditors = [];
    fake.arrange([]);
    fake.clipboard = '';
    fake.answer = undefined;
    fake.settings.clear();
  },
};

function inputOf(label: string): unknown {
  if (label.startsWith('editor:')) return new TabInputCustom(Uri.parse(label.slice(7)), 'turnwise.traceReport');
  if (label.startsWith('file:')) return new TabInputText(Uri.parse(label));
  return new TabInputWebview(label.startsWith('Report: ') ? 'mainThreadWebview-turnwise.report' : 'markdown.preview');
}

const say = async (...args: unknown[]) => {
  fake.shown.push(args);
  return fake.answer;
};

export const window = {
  visibleTextEditors: [] as FakeEditor[],
  tabGroups: { all: [] as FakeColumn[] },
  createOutputChannel: () => ({ warn: () => {}, error: () => {}, show: () => {} }),
  registerWebviewPanelSerializer: () => ({ dispose: () => {} }),
  registerCustomEditorProvider: (viewType: string) => {
    fake.editors.push(viewType);
    return { dispose: () => {} };
  },
  createWebviewPanel: (viewType: string, title: string, where: number | { viewColumn: number }) => {
    fake.created.push([viewType, where]);
    const panel = new FakePanel(title, typeof where === 'number' ? where : where.viewColumn);
    fake.panels.push(panel);
    return panel;
  },
  onDidChangeTextEditorSelection: fake.selections.event,
  onDidChangeVisibleTextEditors: fake.visible.event,
  createTextEditorDecorationType: () => ({ dispose: () => {} }),
  showInformationMessage: say,
  showWarningMessage: say,
  showErrorMessage: say,
};

export const env = {
  language: 'en',
  clipboard: {
    writeText: async (text: string) => {
      fake.clipboard = text;
    },
  },
  openExternal: async (uri: Uri) => {
    fake.opened.push(uri.toString());
    return true;
  },
};

export const workspace = {
  onDidChangeTextDocument: fake.edits.event,
  getConfiguration: () => ({
    get: (name: string, otherwise: unknown) => fake.settings.get(name) ?? otherwise,
  }),
};

/** A visible editor of an opened file selects what it is asked to. */
function openInFake(uri: unknown, options: unknown): void {
  const editor = window.visibleTextEditors.find(({ document }) => document.uri.toString() === String(uri));
  if (!editor || typeof options !== 'object' || !options || !('selection' in options)) return;
  const { selection } = options;
  if (selection instanceof Range) editor.selection = new Selection(selection.start, selection.end);
}

export const commands = {
  executeCommand: async (...args: unknown[]) => {
    fake.executed.push(args);
    if (args[0] === 'vscode.open') openInFake(args[1], args[2]);
  },
};

export class ThemeIcon {}
export class ThemeColor {}
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
