import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { SORT_ORDERS } from '../protocol/results-outline.ts';

/** 0.1.0 stored only the grouping, by file or by verdict. */
const GROUPING_KEY = 'turnwise.grouping';
const KEY = 'turnwise.view';

const viewSettings = z.object({
  grouping: z.enum(['file', 'outcome']),
  sort: z.enum(SORT_ORDERS),
  problemsOnly: z.boolean(),
});
/** What the Results view lists, and how. */
export type ViewSettings = z.infer<typeof viewSettings>;

export const DEFAULT_VIEW: ViewSettings = { grouping: 'file', sort: 'outcome', problemsOnly: false };

/** The settings of the Results view, stored in the workspace state and shown in context keys. */
export class ViewSettingsStore {
  readonly #state: vscode.Memento;
  readonly #publish: (settings: ViewSettings) => Promise<void>;

  /** @param publish sets the context keys that the manifest's menus depend on. */
  constructor(state: vscode.Memento, publish: (settings: ViewSettings) => Promise<void>) {
    this.#state = state;
    this.#publish = publish;
    void publish(this.value);
  }

  get value(): ViewSettings {
    const stored = z.safeParse(viewSettings, this.#state.get<unknown>(KEY));
    if (stored.success) return stored.data;
    const wasGrouped = this.#state.get<unknown>(GROUPING_KEY) === 'verdict';
    return { ...DEFAULT_VIEW, grouping: wasGrouped ? 'outcome' : 'file' };
  }

  async update(change: Partial<ViewSettings>): Promise<void> {
    await this.#state.update(KEY, { ...this.value, ...change });
    await this.#publish(this.value);
  }
}
