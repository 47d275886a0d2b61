import * as vscode from 'vscode';
import { failures } from '../protocol/messages.ts';
import { sessionsOf } from '../protocol/outline.ts';
import type { Changed, Held } from './held.ts';
import type { LanguageServer } from './language-server.ts';
import { itemOf } from './result-items.ts';
import { more, type Node, type NodeOf, Nodes, uriOf } from './result-nodes.ts';
import { type Grouping, type Look, problemNodes, ROOT, rootNodes, sessionNode } from './result-rows.ts';
import { isTooLarge } from './too-large.ts';
import { judgeWords, verdictWords } from './words.ts';

/** How many rows a list starts with, and grows by. */
const PAGE = 200;

type Group = { readonly file: string } | { readonly verdict: NodeOf<'verdict'>['verdict'] };

interface Parts {
  readonly server: Pick<LanguageServer, 'ask'>;
  readonly held: Held;
  readonly grouping: Grouping;
  readonly firstLook: () => Promise<void>;
}

/** The sessions that the server holds, by file or by verdict, and what failed in them. It asks for what is looked at. */
export class ResultsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  static readonly id = 'turnwise.results';

  readonly #server: Pick<LanguageServer, 'ask'>;
  readonly #held: Held;
  readonly #changed = new vscode.EventEmitter<Node[] | undefined>();
  readonly #nodes = new Nodes();
  readonly #limits = new Map<string, number>();
  readonly #tooLarge = new Map<string, boolean>();
  readonly #view: vscode.TreeView<Node>;
  readonly #listening: vscode.Disposable;
  /** The ids of the uppermost rows, as they were given last. */
  #roots = '';
  readonly #firstLook: () => Promise<void>;
  #looked: Promise<void> | undefined;
  #progress: string | undefined;
  #grouping: Grouping;

  readonly onDidChangeTreeData = this.#changed.event;

  /** @param firstLook is done when somebody looks for the first time, before anything is shown. */
  constructor({ server, held, grouping, firstLook }: Parts) {
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
  isNode(value: unknown): value is Node {
    return this.#nodes.isNode(value);
  }

  /** Lets a list grow by a page. */
  async showMore(list: string): Promise<void> {
    if (list === ROOT) return this.#held.more();
    const parent = this.#nodes.get(list);
    if (!parent) return;
    this.#limits.set(list, this.#limit(list) + PAGE);
    this.#changed.fire([parent]);
  }

  async getChildren(parent?: Node): Promise<Node[]> {
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

  getTreeItem(node: Node): vscode.TreeItem {
    return itemOf(node);
  }

  /** The editor asks for these rows when they are in sight, and not before. */
  async #uppermost(): Promise<Node[]> {
    this.#looked ??= this.#firstLook();
    await this.#looked;
    await this.#measure(this.#held.now.rows.map(({ file }) => file.uri));
    const rows = this.#rootNodes();
    this.#roots = idsOf(rows);
    return this.#keep(rows);
  }

  async #sessions({ id }: Node, of: Group): Promise<Node[]> {
    const { total, rows } = await this.#server.ask(sessionsOf, { of, offset: 0, limit: this.#limit(id) });
    await this.#measure(rows.map(({ place }) => place.uri));
    const look = this.#look();
    return [...rows.map((row) => sessionNode(row, look, 'verdict' in of)), ...more(id, total - rows.length)];
  }

  async #failures({ id, row: { key } }: NodeOf<'session'>): Promise<Node[]> {
    const given = { session: key, offset: 0, limit: this.#limit(id) };
    const { total, rows } = await this.#server.ask(failures, given);
    const nodes = rows.map((row, at): Node => ({ type: 'failure', id: `failure ${key} ${at}`, row, session: key }));
    return [...nodes, ...more(id, total - rows.length)];
  }

  /** A line above all rows, which is there with the first of them and moves none when it says something else. */
  #tell(): void {
    const { verdicts, unreadable, judges } = this.#held.now;
    const verdict = verdictWords(verdicts, unreadable);
    this.#view.message = this.#progress ?? (verdict === null ? undefined : `${verdict} · ${judgeWords(judges)}`);
  }

  /** Shows anew what is another, and no more. */
  #update(uris: Changed): void {
    this.#tell();
    const { failed } = this.#held.now.verdicts;
    this.#view.badge = failed === 0 ? undefined : { value: failed, tooltip: vscode.l10n.t('{0} failed', failed) };
    const rows = this.#rootNodes();
    if (uris === undefined || idsOf(rows) !== this.#roots) {
      this.#updateAll();
      return;
    }
    const { nodes, changed } = this.#nodes.keep(rows);
    const touched = nodes.filter((node) => node.type === 'verdict' || uris.has(uriOf(node) ?? ''));
    const all = new Set([...changed, ...touched]);
    if (all.size > 0) this.#changed.fire([...all]);
  }

  #updateAll(): void {
    this.#nodes.clear();
    this.#tooLarge.clear();
    this.#changed.fire(undefined);
  }

  #rootNodes(): Node[] {
    return rootNodes(this.#held.now, this.#grouping, this.#look());
  }

  #look(): Look {
    const { failed, undecided, passed, underway } = this.#held.now.verdicts;
    return { sessions: failed + undecided + passed + underway, isTooLarge: (uri) => this.#tooLarge.get(uri) === true };
  }

  /** Finds out how large these files are, each once. */
  async #measure(uris: readonly string[]): Promise<void> {
    const unknown = [...new Set(uris)].filter((uri) => !this.#tooLarge.has(uri));
    await Promise.all(unknown.map(async (uri) => this.#tooLarge.set(uri, await isTooLarge(uri))));
  }

  #keep(rows: readonly Node[]): Node[] {
    return this.#nodes.keep(rows).nodes;
  }

  #limit(list: string): number {
    return this.#limits.get(list) ?? PAGE;
  }

  dispose(): void {
    this.#listening.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }
}

function idsOf(nodes: readonly Node[]): string {
  return nodes.map(({ id }) => id).join('\n');
}
