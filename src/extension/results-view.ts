import * as vscode from 'vscode';
import { sessionProblems } from '../protocol/messages.ts';
import { lookalikes, sessionsIn } from '../protocol/results-outline.ts';
import type { BoundCommands } from './bound-commands.ts';
import { exceedsSizeLimit } from './file-size-limit.ts';
import { countSessions, headlinesLabel, judgeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { OpenQuestions } from './open-questions.ts';
import { toTreeItem } from './result-items.ts';
import { moreNodes, NodeRegistry, nodeUri, type ResultNode, type ResultNodeOf } from './result-nodes.ts';
import {
  newNode,
  problemNodes,
  questionNodes,
  ROOT_LIST,
  rootNodes,
  sessionNode,
  type TreeOptions,
} from './result-tree.ts';
import type { ChangedFiles, ResultsModel } from './results-model.ts';
import type { ViewSettings } from './view-settings.ts';

/** The number of rows per page. */
const PAGE_SIZE = 200;

type SessionGroup = { readonly file: string } | { readonly headline: ResultNodeOf<'outcome'>['kind'] };

interface ResultsViewOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly model: ResultsModel;
  /** What evaluations wait for. */
  readonly questions: Pick<OpenQuestions, 'all' | 'onDidChange'>;
  readonly viewSettings: () => ViewSettings;
  readonly initialLoad: () => Promise<void>;
  readonly commands: Pick<BoundCommands, 'bind'>;
}

/** The Results view: sessions by file or by outcome, with their problems. Rows are requested when they become visible. */
export class ResultsView implements vscode.TreeDataProvider<ResultNode>, vscode.Disposable {
  static readonly id = 'turnwise.results';

  readonly #server: Pick<LanguageServer, 'request'>;
  readonly #model: ResultsModel;
  readonly #questions: ResultsViewOptions['questions'];
  readonly #changed = new vscode.EventEmitter<ResultNode[] | undefined>();
  readonly #nodes = new NodeRegistry<ResultNode>();
  readonly #limits = new Map<string, number>();
  /** The rows below a row, until they may have changed. */
  readonly #children = new Map<string, ResultNode[]>();
  /** How often results have changed: an answer from before a change is not kept. */
  #changes = 0;
  readonly #tooLarge = new Map<string, boolean>();
  readonly #view: vscode.TreeView<ResultNode>;
  readonly #listening: vscode.Disposable;
  /** The ids of the current top-level rows. */
  #roots = '';
  readonly #initialLoad: () => Promise<void>;
  readonly #commands: Pick<BoundCommands, 'bind'>;
  #loaded: Promise<void> | undefined;
  #progress: string | undefined;
  readonly #viewSettings: () => ViewSettings;

  readonly onDidChangeTreeData = this.#changed.event;

  /** @param initialLoad runs when the view becomes visible for the first time. */
  constructor({ server, model, questions, viewSettings, initialLoad, commands }: ResultsViewOptions) {
    this.#server = server;
    this.#model = model;
    this.#questions = questions;
    this.#viewSettings = viewSettings;
    this.#initialLoad = initialLoad;
    this.#commands = commands;
    this.#view = vscode.window.createTreeView(ResultsView.id, {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.#listening = vscode.Disposable.from(
      model.onDidChange((uris) => this.#update(uris)),
      questions.onDidChange(() => this.#updateAll()),
    );
  }

  /** The settings of the view have changed. */
  refresh(): void {
    this.#tell();
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
    this.#children.delete(list);
    this.#changed.fire([parent]);
  }

  async getChildren(parent?: ResultNode): Promise<ResultNode[]> {
    if (!parent) return this.#uppermost();
    // While VS Code draws all rows again, a click has no row: what is known makes that short.
    const known = this.#children.get(parent.id);
    if (known) return known;
    const changes = this.#changes;
    const children = await this.#request(parent);
    if (changes === this.#changes) this.#children.set(parent.id, children);
    return children;
  }

  async #request(parent: ResultNode): Promise<ResultNode[]> {
    switch (parent.type) {
      case 'file':
        return this.#keep([...problemNodes(parent.row), ...(await this.#sessions(parent, { file: parent.row.uri }))]);
      case 'outcome':
        return this.#keep(await this.#sessions(parent, { headline: parent.kind }));
      case 'unreadable':
        return this.#keep(parent.files.flatMap(problemNodes));
      case 'lookalikes':
        return this.#keep(await this.#lookalikes(parent));
      case 'session':
        return this.#keep(await this.#failures(parent));
      default:
        return [];
    }
  }

  getTreeItem(node: ResultNode): vscode.TreeItem {
    return this.#commands.bind(toTreeItem(node));
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
    const { total, rows } = await this.#server.request(sessionsIn, {
      of,
      offset: 0,
      limit: this.#limit(id),
      ...this.#listOptions(),
    });
    await this.#measure(rows.map(({ location }) => location.uri));
    const look = this.#look();
    const place = 'headline' in of ? 'listed' : 'inFile';
    return [...rows.map((row) => sessionNode(row, look, place)), ...moreNodes(id, total - rows.length)];
  }

  async #lookalikes({ id }: ResultNode): Promise<ResultNode[]> {
    const { total, rows } = await this.#server.request(lookalikes, { offset: 0, limit: this.#limit(id) });
    return [...rows.map(newNode), ...moreNodes(id, total - rows.length)];
  }

  #listOptions(): Pick<ViewSettings, 'sort' | 'problemsOnly'> {
    const { sort, problemsOnly } = this.#viewSettings();
    return { sort, problemsOnly };
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
    const { headlines, unreadable } = this.#model.snapshot;
    const counts = headlinesLabel(headlines, unreadable);
    const filter = this.#viewSettings().problemsOnly ? [vscode.l10n.t('Problems only')] : [];
    const summary = counts === null ? filter : [...filter, counts, judgeLabel(this.#model.snapshot)];
    this.#view.message = this.#progress ?? (summary.length === 0 ? undefined : summary.join(' · '));
  }

  /** Refreshes the changed rows only. */
  #update(uris: ChangedFiles): void {
    this.#tell();
    const { failed } = this.#model.snapshot.headlines;
    this.#view.badge = failed === 0 ? undefined : { value: failed, tooltip: vscode.l10n.t('{0} failed', failed) };
    const rows = this.#rootNodes();
    if (uris === undefined) {
      this.#updateAll();
      return;
    }
    this.#changes += 1;
    const isTouched = (node: ResultNode) =>
      ['outcome', 'unreadable', 'lookalikes'].includes(node.type) || uris.has(nodeUri(node) ?? '');
    for (const id of this.#children.keys()) {
      const parent = this.#nodes.get(id);
      if (!parent || isTouched(parent)) this.#children.delete(id);
    }
    if (joinIds(rows) !== this.#roots) {
      this.#changed.fire(undefined);
      return;
    }
    const { nodes, changed } = this.#nodes.reconcile(rows);
    const touched = nodes.filter(isTouched);
    const all = new Set([...changed, ...touched]);
    if (all.size > 0) this.#changed.fire([...all]);
  }

  #updateAll(): void {
    this.#changes += 1;
    this.#nodes.clear();
    this.#children.clear();
    this.#tooLarge.clear();
    this.#changed.fire(undefined);
  }

  #rootNodes(): ResultNode[] {
    const rows = rootNodes(this.#model.snapshot, this.#viewSettings().grouping, this.#look());
    return [...questionNodes(this.#questions.all), ...rows];
  }

  #look(): TreeOptions {
    return {
      sessions: countSessions(this.#model.snapshot.headlines),
      isTooLarge: (uri) => this.#tooLarge.get(uri) === true,
    };
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
