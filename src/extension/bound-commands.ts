import * as vscode from 'vscode';
import { LruCache } from '../core/cache/lru-cache.ts';

/** More than the lenses and rows on screen that have commands. */
const MAX_COMMANDS = 5000;

/**
 * Registers a command without arguments for each command of a lens, or of a row of a view. VS Code keeps arguments only until it has
 * a newer list of them, but shows the old ones for some time after that: a click on one would fail with "Actual command not found"
 * (microsoft/vscode#84153).
 */
export class BoundCommands implements vscode.Disposable {
  readonly #registered = new LruCache<string, vscode.Disposable>(MAX_COMMANDS);

  /** Replaces the command of a lens or a row. */
  bind<Item extends vscode.CodeLens | vscode.TreeItem>(item: Item): Item {
    const { command } = item;
    if (command?.arguments && command.command !== '') {
      item.command = { title: command.title, command: this.#register(command.command, command.arguments) };
    }
    return item;
  }

  #register(command: string, given: readonly unknown[]): string {
    // VS Code lists no commands that begin with an underscore.
    const id = `_${command} ${JSON.stringify(given)}`;
    if (this.#registered.get(id)) return id;
    const registered = vscode.commands.registerCommand(id, () => vscode.commands.executeCommand(command, ...given));
    const [, dropped] = this.#registered.set(id, registered) ?? [];
    dropped?.dispose();
    return id;
  }

  dispose(): void {
    for (const registered of this.#registered.values()) registered.dispose();
    this.#registered.clear();
  }
}
