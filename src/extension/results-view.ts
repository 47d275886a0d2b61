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

/** How many rows a list starts with, and grows by. */
const PAGE_SIZE = 200;

type SessionGroup = { readonly file: string } | { readonly verdict: ResultNodeOf<'verdict'>['verdict'] };

interface ResultsViewOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly held: ResultsModel;
  readonly grouping: Grouping;
  readonly initialLoad: () => Promise<void>;
}

/** The sessions that the server holds, by file or by verdict, and what failed in them. It asks for what is looked at. */
export class ResultsView implements vscode.TreeDataProvider<ResultNode>, vscode.Disposable {
  static readonly id = 'turnwise.results';

  readonly #server: Pick<LanguageServer, 'request'>;
  readonly #held: ResultsModel;
  readonly #changed = new vscode.EventEmitter<ResultNode[] | undefined>();
  readonly #nodes = new NodeRegistry();
  readonly #limits = new Map<string, number>();
  readonly #tooLarge = new Map<string, boolean>();
  readonly #view: vscode.TreeView<ResultNode>;
  readonly #listening: vscode.Disposable;
  /** The ids of the uppermost rows, as they were given last. */
  #roots = '';
  readonly #firstLook: () => Promise<void>;
  #looked: Promise<void> | undefined;
  #progress: string | undefined;
  #grouping: Grouping;

  readonly onDidChangeTreeData = this.#changed.event;

  /** @param firstLook is done when somebody looks for the first time, before anything is shown. */
  constructor({ server, held, grouping, initialLoad: firstLook }: ResultsViewOptions) {
    this.#server = server;
    this.#held = held;
    this.#grouping = grouping;
    this.#firstLook = firstLook;
    this.#view = vscode.window.createTreeView(ResultsView.id, {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.#listening = held.onDidChange((uris) => this.#update(uris));
  }

  set grouping(grouping: Grouping) {
    this.#grouping = grouping;
    this.#updateAll();
  }

  /** How far an evaluation is; undefined: none goes on. */
  set progress(words: string | undefined) {
    this.#progress = words;
    this.#tell();
  }

  /** Brings the view into sight and leaves the focus where it is. */
  async show(): Promise<void> {
    if (!this.#view.visible) await vscode.commands.executeCommand(`${ResultsView.id}.focus`, { preserveFocus: true });
  }

  /** Whether it is a row of this view. */
  isNode(value: unknown): value is ResultNode {
    return this.#nodes.isNode(value);
  }

  /** Lets a list grow by a page. */
  async showMore(list: string): Promise<void> {
    if (list === ROOT_LIST) return this.#held.loadMore();
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

  /** The editor asks for these rows when they are in sight, and not before. */
  async #uppermost(): Promise<ResultNode[]> {
    this.#looked ??= this.#firstLook();
    await this.#looked;
    await this.#measure(this.#held.snapshot.rows.map(({ file }) => file.uri));
    const rows = this.#rootNodes();
    this.#roots = joinIds(rows);
    return this.#keep(rows);
  }

  async #sessions({ id }: ResultNode, of: SessionGroup): Promise<ResultNode[]> {
    const { total, rows } = await this.#server.request(sessionsIn, { of, offset: 0, limit: this.#limit(id) });
    await this.#measure(rows.map(({ place }) => place.uri));
    const look = this.#look();
    return [...rows.map((row) => sessionNode(row, look, 'verdict' in of)), ...moreNodes(id, total - rows.length)];
  }

  async #failures({ id, row: { key } }: ResultNodeOf<'session'>): Promise<ResultNode[]> {
    const given = { session: key, offset: 0, limit: this.#limit(id) };
    const { total, rows } = await this.#server.request(sessionProblems, given);
    const nodes = rows.map(
      (row, at): ResultNode => ({ type: 'failure', id: `failure ${key} ${at}`, row, session: key }),
    );
    return [...nodes, ...moreNodes(id, total - rows.length)];
  }

  /** A line above all rows, which is there with the first of them and moves none when it says something else. */
  #tell(): void {
    const { verdicts, unreadable, judges } = this.#held.snapshot;
    const verdict = verdictLabel(verdicts, unreadable);
    this.#view.message = this.#progress ?? (verdict === null ? undefined : `${verdict} · ${judgeLabel(judges)}`);
  }

  /** Shows anew what is another, and no more. */
  #update(uris: ChangedFiles): void {
    this.#tell();
    const { failed } = this.#held.snapshot.verdicts;
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
    return rootNodes(this.#held.snapshot, this.#grouping, this.#look());
  }

  #look(): TreeOptions {
    const { failed, undecided, passed, underway } = this.#held.snapshot.verdicts;
    return { sessions: failed + undecided + passed + underway, isTooLarge: (uri) => this.#tooLarge.get(uri) === true };
  }

  /** Finds out how large these files are, each once. */
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
