import * as vscode from 'vscode';
import type { FileProblemRow } from '../../protocol/messages.ts';
import type { AttemptRow, RunningScenario, ScenarioRow } from '../../protocol/scenarios.ts';
import { escapeLabel } from '../labels.ts';
import { toRange } from '../locations.ts';
import { attemptLabel, describeAttempt, describeScenario } from './test-labels.ts';

/** What an item of the Test Explorer is about. `uri`: the scenario file. */
export type TestSubject =
  | { readonly kind: 'file'; readonly uri: string }
  | { readonly kind: 'scenario'; readonly uri: string; readonly name: string }
  | { readonly kind: 'attempt'; readonly uri: string; readonly name: string; readonly attempt: AttemptRow };

interface ScenarioFileItem {
  readonly item: vscode.TestItem;
  /** By the names of scenarios. */
  readonly scenarios: Map<string, vscode.TestItem>;
  /** Null until its scenarios were requested. */
  rows: readonly ScenarioRow[] | null;
}

/** The items of the Test Explorer: files, their scenarios, and the attempts of the last run of each. */
export class TestTree {
  readonly #controller: Pick<vscode.TestController, 'items' | 'createTestItem'>;
  readonly #files = new Map<string, ScenarioFileItem>();
  readonly #subjects = new WeakMap<object, TestSubject>();
  readonly #results = new WeakMap<vscode.TestItem, RunningScenario>();

  constructor(controller: Pick<vscode.TestController, 'items' | 'createTestItem'>) {
    this.#controller = controller;
  }

  /** The files, as URIs. */
  get uris(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** What an item is about; undefined for anything else. */
  subject(item: unknown): TestSubject | undefined {
    return typeof item === 'object' && item !== null ? this.#subjects.get(item) : undefined;
  }

  hasFile(uri: string): boolean {
    return this.#files.has(uri);
  }

  /** Whether the scenarios of a file are known. */
  isResolved(uri: string): boolean {
    return (this.#files.get(uri)?.rows ?? null) !== null;
  }

  file(uri: string): vscode.TestItem | undefined {
    return this.#files.get(uri)?.item;
  }

  scenario(uri: string, name: string): vscode.TestItem | undefined {
    return this.#files.get(uri)?.scenarios.get(name);
  }

  /** All known scenarios of a file, in no order. */
  scenarios(uri: string): ReadonlyMap<string, vscode.TestItem> {
    return this.#files.get(uri)?.scenarios ?? new Map();
  }

  /** The last result that a scenario shows. */
  result(scenario: vscode.TestItem): RunningScenario | undefined {
    return this.#results.get(scenario);
  }

  /** Replaces the files. Those that stay keep their scenarios. */
  setFiles(uris: readonly string[]): void {
    const present = new Set(uris);
    for (const uri of this.#files.keys()) if (!present.has(uri)) this.#files.delete(uri);
    const items = [...present].map((uri) => this.#ensureFile(uri).item);
    this.#controller.items.replace(items);
  }

  addFile(uri: string): void {
    if (!this.#files.has(uri)) this.#controller.items.add(this.#ensureFile(uri).item);
  }

  /** Removes a file, or all files of a folder. */
  delete(uri: string): void {
    for (const [known, { item }] of this.#files) {
      if (known !== uri && !known.startsWith(`${uri}/`)) continue;
      this.#files.delete(known);
      this.#controller.items.delete(item.id);
    }
  }

  /** Replaces the scenarios of a file. Those that stay keep their results. */
  setScenarios(uri: string, rows: readonly ScenarioRow[], problems: readonly FileProblemRow[]): void {
    const file = this.#files.get(uri);
    if (!file) return;
    file.rows = rows;
    const error = problems.find(({ severity }) => severity === 'error');
    setIfChanged(file.item, 'error', error && escapeLabel(error.message));
    const named = new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, row] as const])));
    for (const [name, item] of file.scenarios) {
      // A run reported it: its name is in no literal.
      const isComputed = rows.some((row) => row.name === null) && this.#results.has(item);
      if (!named.has(name) && !isComputed) file.scenarios.delete(name);
    }
    for (const [name, row] of named) this.#setScenario(file, uri, name, row);
    replaceIfChanged(file.item.children, [...file.scenarios.values()]);
  }

  /** Shows a result. @returns its scenario; undefined where the file does not have it. */
  setResult(result: RunningScenario): vscode.TestItem | undefined {
    const file = this.#files.get(result.uri);
    const item = file?.scenarios.get(result.name) ?? this.#addComputed(file, result);
    if (!item) return undefined;
    const before = this.#results.get(item);
    this.#results.set(item, result);
    setIfChanged(item, 'description', describeScenario(result));
    const agents = [...new Set(result.attempts.map(({ agent }) => agent))].filter((agent) => agent !== '');
    if (agents.length > 0) this.#tag(item, agents);
    const isOther = before?.finishedAt !== result.finishedAt || before.pending !== result.pending;
    if (isOther) this.#setAttempts(item, result, agents.length > 1);
    return item;
  }

  /** The item of an attempt; that of its scenario where there is only one attempt. */
  attempt(scenario: vscode.TestItem, { trial, agent }: Pick<AttemptRow, 'trial' | 'agent'>): vscode.TestItem {
    return scenario.children.get(attemptId(trial, agent)) ?? scenario;
  }

  #ensureFile(uri: string): ScenarioFileItem {
    const known = this.#files.get(uri);
    if (known) return known;
    const parsed = vscode.Uri.parse(uri);
    const path = vscode.workspace.asRelativePath(parsed);
    const item = this.#controller.createTestItem(uri, escapeLabel(path), parsed);
    item.canResolveChildren = true;
    this.#subjects.set(item, { kind: 'file', uri });
    const file: ScenarioFileItem = { item, scenarios: new Map(), rows: null };
    this.#files.set(uri, file);
    return file;
  }

  #setScenario(file: ScenarioFileItem, uri: string, name: string, row: ScenarioRow | undefined): vscode.TestItem {
    const item = file.scenarios.get(name) ?? this.#createScenario(file, uri, name);
    const range = row && toRange(row.range);
    if (range && !item.range?.isEqual(range)) item.range = range;
    if (row?.agent !== undefined) this.#tag(item, [row.agent]);
    return item;
  }

  #createScenario(file: ScenarioFileItem, uri: string, name: string): vscode.TestItem {
    const label = escapeLabel(name);
    const item = this.#controller.createTestItem(scenarioId(name), label || JSON.stringify(name), file.item.uri);
    this.#subjects.set(item, { kind: 'scenario', uri, name });
    file.scenarios.set(name, item);
    return item;
  }

  /** A scenario whose name is computed: a run has reported it. */
  #addComputed(file: ScenarioFileItem | undefined, { uri, name }: RunningScenario): vscode.TestItem | undefined {
    const unnamed = file?.rows?.filter((row) => row.name === null) ?? [];
    if (!file || unnamed.length === 0) return undefined;
    const item = this.#setScenario(file, uri, name, unnamed.length === 1 ? unnamed[0] : undefined);
    file.item.children.add(item);
    return item;
  }

  #tag(item: vscode.TestItem, agents: readonly string[]): void {
    const ids = agents.map(escapeLabel);
    if (item.tags.length === ids.length && item.tags.every(({ id }) => ids.includes(id))) return;
    item.tags = ids.map((id) => new vscode.TestTag(id));
  }

  #setAttempts(scenario: vscode.TestItem, result: RunningScenario, isCompared: boolean): void {
    const { uri, name, attempts, pending = 0 } = result;
    const shown = attempts.length + pending < 2 ? [] : attempts;
    const items = shown.map((attempt, index) => {
      const id = attemptId(attempt.trial, attempt.agent);
      const label = attemptLabel(attempt, isCompared);
      const item = scenario.children.get(id) ?? this.#controller.createTestItem(id, label, scenario.uri);
      setIfChanged(item, 'label', label);
      setIfChanged(item, 'range', scenario.range);
      setIfChanged(item, 'description', describeAttempt(attempt));
      setIfChanged(item, 'sortText', String(index).padStart(6, '0'));
      this.#tag(item, [attempt.agent]);
      this.#subjects.set(item, { kind: 'attempt', uri, name, attempt });
      return item;
    });
    replaceIfChanged(scenario.children, items);
  }
}

/** Coding agents read the id as the name of the test. Labels begin with no space, so that ids are unique. */
function scenarioId(name: string): string {
  return name === escapeLabel(name) && name !== '' ? name : ` ${JSON.stringify(name)}`;
}

function attemptId(trial: number, agent: string): string {
  return escapeLabel(`attempt ${trial} of ${agent}`);
}

/** VS Code sends each assignment to its window. */
function setIfChanged<Key extends 'error' | 'label' | 'description' | 'sortText' | 'range'>(
  item: vscode.TestItem,
  key: Key,
  value: vscode.TestItem[Key],
): void {
  if (item[key] !== value) item[key] = value;
}

function replaceIfChanged(collection: vscode.TestItemCollection, items: readonly vscode.TestItem[]): void {
  const isSame = collection.size === items.length && items.every((item) => collection.get(item.id) === item);
  if (!isSame) collection.replace(items);
}
