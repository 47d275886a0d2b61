import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { extension } from './extension.ts';

/** A message that the extension has shown. */
interface UiMessage {
  readonly kind: 'error' | 'warning' | 'information';
  readonly text: string;
  readonly buttons: readonly string[];
}

type Call = (args: readonly unknown[]) => unknown;

/**
 * Stands where the extension meets the window: hears what it says there, and is the person who answers. Each extension has an
 * API of its own; what is replaced here is replaced for this one alone. Made before it is active, this sees all there is.
 */
export class UiRecorder implements Disposable {
  /** All messages, in order. */
  readonly said: UiMessage[] = [];
  /** What it asked for: titles of lists, fields and dialogs. */
  readonly asked: string[] = [];
  readonly statusItems: vscode.StatusBarItem[] = [];
  /** What stood above the rows of the results, in order. */
  readonly above: (string | undefined)[] = [];
  /** What reports were sent, as JSON. */
  readonly posted: string[] = [];
  /** Commands that it has called, with what it gave. */
  readonly called: { readonly command: string; readonly given: readonly unknown[] }[] = [];
  /** How often its log was shown. */
  logsShown = 0;
  readonly #reactions: { readonly to: RegExp; readonly with: string }[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #restoring: (() => void)[] = [];

  /** Anything of the above. */
  readonly onDidChange = this.#changed.event;

  constructor() {
    const { window, commands } = apiOf(extension());
    this.#replace(window, 'showErrorMessage', (args) => this.#message('error', args));
    this.#replace(window, 'showWarningMessage', (args) => this.#message('warning', args));
    this.#replace(window, 'showInformationMessage', (args) => this.#message('information', args));
    this.#replace(window, 'showInputBox', async ([options]) => this.#ask(options));
    this.#replace(window, 'showQuickPick', async ([items, options]) => pick(await items, options, this.#ask(options)));
    this.#replace(window, 'showOpenDialog', async ([options]) => {
      const path = this.#ask(options);
      return path === undefined ? undefined : [vscode.Uri.file(path)];
    });
    this.#replace(window, 'createStatusBarItem', (args, next) => {
      const item = next(args);
      if (isStatusItem(item)) this.statusItems.push(item);
      return spyOn(item, () => this.#changed.fire());
    });
    this.#replace(window, 'createTreeView', (args, next) =>
      spyOn(next(args), (name, value) => {
        if (name !== 'message') return;
        this.above.push(value === undefined ? undefined : String(value));
        this.#changed.fire();
      }),
    );
    this.#replace(window, 'createWebviewPanel', (args, next) => this.#hearPosts(next(args)));
    this.#replace(window, 'registerCustomEditorProvider', (args, next) => {
      const [, provider] = args;
      // One provider can be registered for several editors.
      if (isObject(provider) && !Object.hasOwn(provider, 'resolveCustomEditor')) {
        this.#replace(provider, 'resolveCustomEditor', ([document, panel, token], resolve) =>
          resolve([document, this.#hearPosts(panel), token]),
        );
      }
      return next(args);
    });
    this.#replace(window, 'createOutputChannel', (args, next) => {
      const channel = next(args);
      if (isObject(channel)) this.#replace(channel, 'show', () => this.#isShown());
      return channel;
    });
    this.#replace(commands, 'executeCommand', (args, next) => {
      const [command, ...rest] = args;
      this.called.push({ command: String(command), given: rest });
      this.#changed.fire();
      return next(args);
    });
  }

  /** What the person does who is asked something like this: writes it, chooses it, or presses that button. Each once. */
  react(to: RegExp, reaction: string): void {
    this.#reactions.push({ to, with: reaction });
  }

  /** What the status bar says; null where nothing is shown. */
  get status(): Pick<vscode.StatusBarItem, 'text' | 'tooltip' | 'command' | 'backgroundColor'> | null {
    return this.statusItems.at(-1) ?? null;
  }

  /** The value that one of the manifest's conditions has now. */
  contextOf(key: string): unknown {
    return this.called.findLast(({ command, given }) => command === 'setContext' && given[0] === key)?.given[1];
  }

  /** Forgets what was said and asked so far. */
  forget(): void {
    for (const list of [this.said, this.asked, this.above, this.posted, this.called]) list.length = 0;
  }

  #replace(target: object, name: string, replacement: (args: readonly unknown[], next: Call) => unknown): void {
    const before: unknown = Reflect.get(target, name);
    if (typeof before !== 'function') throw new Error(`There is no ${name} to replace.`);
    const next: Call = (args) => Reflect.apply(before, target, args);
    const value = (...args: readonly unknown[]) => replacement(args, next);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    this.#restoring.push(() =>
      Object.defineProperty(target, name, { value: before, configurable: true, writable: true }),
    );
  }

  async #message(kind: UiMessage['kind'], [text, ...rest]: readonly unknown[]): Promise<string | undefined> {
    const buttons = rest.filter((item) => typeof item === 'string');
    this.said.push({ kind, text: String(text), buttons });
    this.#changed.fire();
    return this.#reaction(String(text));
  }

  #ask(options: unknown): string | undefined {
    const title = isObject(options) ? String(Reflect.get(options, 'title') ?? Reflect.get(options, 'placeHolder')) : '';
    this.asked.push(title);
    this.#changed.fire();
    return this.#reaction(title);
  }

  #reaction(text: string): string | undefined {
    const at = this.#reactions.findIndex(({ to }) => to.test(text));
    return at < 0 ? undefined : this.#reactions.splice(at, 1)[0]?.with;
  }

  #isShown(): void {
    this.logsShown += 1;
    this.#changed.fire();
  }

  #hearPosts(panel: unknown): unknown {
    const webview: unknown = isObject(panel) ? Reflect.get(panel, 'webview') : undefined;
    if (!isObject(webview)) return panel;
    this.#replace(webview, 'postMessage', (args, next) => {
      this.posted.push(JSON.stringify(args[0]));
      this.#changed.fire();
      return next(args);
    });
    return panel;
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restoring.reverse()) restore();
    this.#changed.dispose();
  }
}

/** The API as an extension has it: which one is given out depends on where it is asked for. */
function apiOf({ extensionPath }: vscode.Extension<unknown>): typeof vscode {
  return createRequire(join(extensionPath, 'dist', 'extension.cjs'))('vscode');
}

/** The same, and hears when anything of it is set, or done with it. */
function spyOn(object: unknown, hear: (name: string | symbol, value: unknown) => void): unknown {
  if (!isObject(object)) return object;
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(value, target, args);
        hear(name, undefined);
        return answer;
      };
    },
    set(target, name, value) {
      const isSet = Reflect.set(target, name, value);
      hear(name, value);
      return isSet;
    },
  });
}

/** @param label of the item; of several where many can be picked, a line each. */
function pick(items: unknown, options: unknown, label: string | undefined): unknown {
  if (label === undefined || !Array.isArray(items)) return undefined;
  const picked = label.split('\n').map((line) => {
    const result = items.find((item: unknown) => (isObject(item) ? Reflect.get(item, 'label') : item) === line);
    if (result === undefined) throw new Error(`There is no "${line}" to choose.`);
    return result;
  });
  return isObject(options) && Reflect.get(options, 'canPickMany') === true ? picked : picked[0];
}

function isStatusItem(value: unknown): value is vscode.StatusBarItem {
  return isObject(value) && 'text' in value && 'tooltip' in value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
