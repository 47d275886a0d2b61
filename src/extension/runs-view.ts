import * as vscode from 'vscode';
import { runChanges, runSessions, runs, runsChanged } from '../protocol/runs.ts';
import type { BoundCommands } from './bound-commands.ts';
import type { LanguageServer } from './language-server.ts';
import { NodeRegistry } from './result-nodes.ts';
import { type RunNode, toRunItem } from './run-items.ts';

/** Runs per page. */
const RUNS_PAGE = 100;
/** Sessions of a run, or changed ones, per page. */
const SESSIONS_PAGE = 50;
/** How often relative times are updated while they are visible. */
const TIMES_MS = 60_000;
/** The id of the list of runs. */
const RUNS_LIST = 'runs';

type RunsSource = Pick<LanguageServer, 'request' | 'state' | 'onNotification' | 'onDidChangeState'>;

/**
 * The Runs view: recorded runs, the newest first. It is collapsed at first; the server starts when it is opened, and lists
 * one page.
 */
export class RunsView implements vscode.TreeDataProvider<RunNode>, vscode.Disposable {
  static readonly id = 'turnwise.runs';

  readonly #server: RunsSource;
  readonly #commands: Pick<BoundCommands, 'bind'>;
  readonly #changed = new vscode.EventEmitter<RunNode[] | undefined>();
  readonly #nodes = new NodeRegistry<RunNode>();
  readonly #limits = new Map<string, number>();
  readonly #view: vscode.TreeView<RunNode>;
  readonly #listening: vscode.Disposable;
  /** The listed runs. */
  #roots: readonly RunNode[] = [];
  #times: NodeJS.Timeout | undefined;
  #isOutdated = false;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(server: RunsSource, commands: Pick<BoundCommands, 'bind'>) {
    this.#server = server;
    this.#commands = commands;
    this.#view = vscode.window.createTreeView(RunsView.id, {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    server.onNotification(runsChanged, () => this.#refresh());
    this.#listening = vscode.Disposable.from(
      server.onDidChangeState((state) => {
        if (state === 'on' && this.#roots.length > 0) this.#refresh();
      }),
      this.#view.onDidChangeVisibility(({ visible }) => this.#onVisibility(visible)),
    );
    this.#onVisibility(this.#view.visible);
  }

  /** Whether a value is a row of this view. */
  isNode(value: unknown): value is RunNode {
    return this.#nodes.isNode(value);
  }

  /** Shows one more page of a list. @returns false where the list is none of this view. */
  showMore(list: string): boolean {
    const parent = this.#nodes.get(list);
    if (!parent && list !== RUNS_LIST) return false;
    this.#limits.set(list, this.#limit(list) + (parent ? SESSIONS_PAGE : RUNS_PAGE));
    this.#changed.fire(parent ? [parent] : undefined);
    return true;
  }

  async getChildren(parent?: RunNode): Promise<RunNode[]> {
    // A request would start the server again.
    if (this.#server.state === 'broken') return [];
    if (parent === undefined) return this.#runs();
    if (parent.type === 'changes') return this.#flips(parent.id, parent.run);
    if (parent.type !== 'run') return [];
    const [changes, sessions] = await Promise.all([
      this.#changes(parent.row.id),
      this.#sessions(parent.id, parent.row.id),
    ]);
    return [...changes, ...sessions];
  }

  getTreeItem(node: RunNode): vscode.TreeItem {
    return this.#commands.bind(toRunItem(node, Date.now()));
  }

  async #runs(): Promise<RunNode[]> {
    const { rows, hasMore } = await this.#server.request(runs, { offset: 0, limit: this.#limit(RUNS_LIST) });
    const nodes = this.#keep(rows.map((row): RunNode => ({ type: 'run', id: `run ${row.id}`, row })));
    this.#roots = nodes;
    return [...nodes, ...(hasMore ? this.#more(RUNS_LIST) : [])];
  }

  async #sessions(list: string, run: string): Promise<RunNode[]> {
    const { total, rows } = await this.#server.request(runSessions, { run, offset: 0, limit: this.#limit(list) });
    const nodes = rows.map(
      (row): RunNode => ({
        type: 'session',
        id: `session ${run} ${row.file} ${row.id}`,
        run,
        row,
      }),
    );
    return [...this.#keep(nodes), ...(total > rows.length ? this.#more(list) : [])];
  }

  /** What changed against the run before. The sessions of a run are listed even where it cannot be compared. */
  async #changes(run: string): Promise<RunNode[]> {
    const changes = await this.#server.request(runChanges, { run, offset: 0, limit: 1 }).catch(() => null);
    if (!changes?.previous) return [];
    const { again } = changes;
    return this.#keep([
      { type: 'changes', id: `changes ${run}`, run, changes },
      ...(again ? [{ type: 'again' as const, id: `again ${run}`, again }] : []),
    ]);
  }

  async #flips(list: string, run: string): Promise<RunNode[]> {
    const { rows, worse, better, unclear } = await this.#server.request(runChanges, {
      run,
      offset: 0,
      limit: this.#limit(list),
    });
    const nodes = rows.map(
      (row): RunNode => ({ type: 'flip', id: `flip ${run} ${row.after.file} ${row.after.session}`, row }),
    );
    return [...this.#keep(nodes), ...(worse + better + unclear > rows.length ? this.#more(list) : [])];
  }

  #more(list: string): RunNode[] {
    return this.#keep([{ type: 'more', id: `more ${list}`, list }]);
  }

  #keep(nodes: readonly RunNode[]): RunNode[] {
    return this.#nodes.reconcile(nodes).nodes;
  }

  #limit(list: string): number {
    return this.#limits.get(list) ?? (list === RUNS_LIST ? RUNS_PAGE : SESSIONS_PAGE);
  }

  /** A hidden view is refreshed when it is shown. */
  #refresh(): void {
    if (this.#view.visible) this.#changed.fire(undefined);
    else this.#isOutdated = true;
  }

  #onVisibility(isVisible: boolean): void {
    clearInterval(this.#times);
    if (!isVisible) return;
    if (this.#isOutdated) {
      this.#isOutdated = false;
      this.#changed.fire(undefined);
    } else this.#updateTimes();
    this.#times = setInterval(() => this.#updateTimes(), TIMES_MS);
  }

  #updateTimes(): void {
    if (this.#roots.length > 0) this.#changed.fire([...this.#roots]);
  }

  dispose(): void {
    clearInterval(this.#times);
    this.#listening.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }
}
