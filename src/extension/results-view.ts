import * as vscode from 'vscode';
import { sessionProblems } from '../protocol/messages.ts';
import { sessionsIn } from '../protocol/results-outline.ts';
import { exceedsSizeLimit } from './file-size-limit.ts';
import { judgeLabel, verdictLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { toTreeItem } from './result-items.ts';
import { moreNodes, NodeRegistry, nodeUri, type ResultNode, type ResultNodeOf } from './result-nodes.ts';
import { type Grouping, problemNodes, ROOT_LIST, rootNodes, sessionNode, type TreeOptions } from './result-tree.ts';
import type { ChangedFiles, ResultsModel } from './results-model.ts';

/** The number of rows per page. */
const PAGE_SIZE = 200;

type SessionGroup = { readonly file: string } | { readonly verdict: ResultNodeOf<'verdict'>['verdict'] };

interface ResultsViewOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly model: ResultsModel;
  readonly grouping: Grouping;
  readonly initialLoad: () => Promise<void>;
}

/** The Results view: sessions by file or by verdict, with their problems. Rows are requested when they become visible. */
export class ResultsView implements vscode.TreeDataProvider<ResultNode>, vscode.Disposable {
  static readonly id = 'turnwise.results';

  readonly #server: Pick<LanguageServer, 'request'>;
  readonly #model: ResultsModel;
  readonly #changed = new vscode.EventEmitter<ResultNode[] | undefined>();
  readonly #nodes = new NodeRegistry();
  readonly #limits = new Map<string, number>();
  readonly #tooLarge = new Map<string, boolean>();
  readonly #view: vscode.TreeView<ResultNode>;
  readonly #listening: vscode.Disposable;
  /** The ids of the current top-level rows. */
  #roots = '';
  readonly #initialLoad: () => Promise<void>;
  #loaded: Promise<void> | undefined;
  #progress: string | undefined;
  #grouping: Grouping;

  readonly onDidChangeTreeData = this.#changed.event;

  /** @param initialLoad runs when the view becomes visible for the first time. */
  constructor({ server, model, grouping, initialLoad }: ResultsViewOptions) {
    this.#server = server;
    this.#model = model;
    this.#grouping = grouping;
    this.#initialLoad = initialLoad;
    this.#view = vscode.window.createTreeView(ResultsView.id, {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.#listening = model.onDidChange((uris) => this.#update(uris));
  }

  set grouping(grouping: Grouping) {
    this.#grouping = grouping;
    this.#updateAll();
  }

  /** The progress message of an evaluation; undefined: none is running. */
  set progress(words: string | undefined) {
    this.#progress = words;
    this.#tell();
  }

  /** Shows the view without moving the focus. */
  async show(): Promise<void> {
    if (!this.#view.visible) await vscode.commands.executeCommand(`${ResultsView.id}.focus`, { preserveFocus: true });
  }

  /** Whether a value is a row of this view. */
  isNode(value: unknown): value is ResultNode {
    return this.#nodes.isNode(value);
  }

  /** Shows one more page of a list. */
  async showMore(list: string): Promise<void> {
    if (list === ROOT_LIST) return this.#model.loadMore();
    const parent = this.#nodes.get(list);
    if (!parent) return;
    this.#limits.set(list, this.#limit(list) + PAGE_SIZE);
    this.#changed.fire([parent]);
  }

  async getChildren(parent?: ResultNode): Promise<ResultNode[]> {
    switch (parent?.type) {
      case undefined:
        return this.#uppermost();
      case 'file':
        return this.#keep([...problemNodes(parent.row), ...(await this.#sessions(parent, { file: parent.row.uri }))]);
      case 'verdict':
        return this.#keep(await this.#sessions(parent, { verdict: parent.verdict }));
      case 'session':
        return this.#keep(await this.#failures(parent));
      default:
        return [];
    }
  }

  getTreeItem(node: ResultNode): vscode.TreeItem {
    return toTreeItem(node);
  }

  /** Called when the view becomes visible. */
  async #uppermost(): Promise<ResultNode[]> {
    this.#loaded ??= this.#initialLoad();
    await this.#loaded;
    await this.#measure(this.#model.snapshot.rows.map(({ file }) => file.uri));
    const rows = this.#rootNodes();
    this.#roots = joinIds(rows);
    return this.#keep(rows);
  }

  async #sessions({ id }: ResultNode, of: SessionGroup): Promise<ResultNode[]> {
    const { total, rows } = await this.#server.request(sessionsIn, { of, offset: 0, limit: this.#limit(id) });
    await this.#measure(rows.map(({ location }) => location.uri));
    const look = this.#look();
    return [...rows.map((row) => sessionNode(row, look, 'verdict' in of)), ...moreNodes(id, total - rows.length)];
  }

  async #failures({ id, row: { key } }: ResultNodeOf<'session'>): Promise<ResultNode[]> {
    const params = { session: key, offset: 0, limit: this.#limit(id) };
    const { total, rows } = await this.#server.request(sessionProblems, params);
    const nodes = rows.map(
      (row, at): ResultNode => ({ type: 'failure', id: `failure ${key} ${at}`, row, session: key }),
    );
    return [...nodes, ...moreNodes(id, total - rows.length)];
  }

  /** Updates the line above the rows. */
  #tell(): void {
    const { verdicts, unreadable, judges } = this.#model.snapshot;
    const verdict = verdictLabel(verdicts, unreadable);
    this.#view.message = this.#progress ?? (verdict === null ? undefined : `${verdict} · ${judgeLabel(judges)}`);
  }

  /** Refreshes the changed rows only. */
  #update(uris: ChangedFiles): void {
    this.#tell();
    const { failed } = this.#model.snapshot.verdicts;
    this.#view.badge = failed === 0 ? undefined : { value: failed, tooltip: vscode.l10n.t('{0} failed', failed) };
    const rows = this.#rootNodes();
    if (uris === undefined || joinIds(rows) !== this.#roots) {
      this.#updateAll();
      return;
    }
    const { nodes, changed } = this.#nodes.reconcile(rows);
    const touched = nodes.filter((node) => node.type === 'verdict' || uris.has(nodeUri(node) ?? ''));
    const all = new Set([...changed, ...touched]);
    if (all.size > 0) this.#changed.fire([...all]);
  }

  #updateAll(): void {
    this.#nodes.clear();
    this.#tooLarge.clear();
    this.#changed.fire(undefined);
  }

  #rootNodes(): ResultNode[] {
    return rootNodes(this.#model.snapshot, this.#grouping, this.#look());
  }

  #look(): TreeOptions {
    const { failed, undecided, passed, pending } = this.#model.snapshot.verdicts;
    return { sessions: failed + undecided + passed + pending, isTooLarge: (uri) => this.#tooLarge.get(uri) === true };
  }

  /** Checks the size of each file once. */
  async #measure(uris: readonly string[]): Promise<void> {
    const unknown = [...new Set(uris)].filter((uri) => !this.#tooLarge.has(uri));
    await Promise.all(unknown.map(async (uri) => this.#tooLarge.set(uri, await exceedsSizeLimit(uri))));
  }

  #keep(rows: readonly ResultNode[]): ResultNode[] {
    return this.#nodes.reconcile(rows).nodes;
  }

  #limit(list: string): number {
    return this.#limits.get(list) ?? PAGE_SIZE;
  }

  dispose(): void {
    this.#listening.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }
}

function joinIds(nodes: readonly ResultNode[]): string {
  return nodes.map(({ id }) => id).join('\n');
}
