import type * as vscode from 'vscode';
import { setContext } from './context-keys.ts';
import type { Grouping } from './result-tree.ts';

const KEY = 'turnwise.grouping';

/** The grouping of the Results view, stored in the workspace state. */
export class GroupingSetting {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get value(): Grouping {
    return this.#state.get<unknown>(KEY) === 'verdict' ? 'verdict' : 'file';
  }

  async set(grouping: Grouping): Promise<void> {
    await this.#state.update(KEY, grouping);
    await setContext(KEY, grouping);
  }
}
