import * as base from '../fake-vscode.ts';

/** The subset of the `vscode` module that the Test Explorer uses, with a record of what it is told. */

export * from '../fake-vscode.ts';

const { EventEmitter, Uri } = base;

export class Range extends base.Range {
  isEqual({ start, end }: base.Range): boolean {
    return JSON.stringify([start, end]) === JSON.stringify([this.start, this.end]);
  }
}

export class Location {
  readonly uri: base.Uri;
  readonly range: Range;
  constructor(uri: base.Uri, range: Range) {
    this.uri = uri;
    this.range = range;
  }
}

export class TestTag {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class TestMessage {
  static diff(message: string, expected: string, actual: string): TestMessage {
    const diff = new TestMessage(message);
    diff.expectedOutput = expected;
    diff.actualOutput = actual;
    return diff;
  }

  readonly message: string;
  expectedOutput?: string;
  actualOutput?: string;
  location?: Location;
  contextValue?: string;
  constructor(message: string) {
    this.message = message;
  }
}

export class TestRunRequest {
  readonly include: readonly FakeItem[] | undefined;
  readonly exclude: readonly FakeItem[] | undefined;
  readonly profile: unknown;
  readonly continuous: boolean;
  readonly preserveFocus: boolean;
  constructor(
    include?: readonly FakeItem[],
    exclude?: readonly FakeItem[],
    profile?: unknown,
    continuous = false,
    preserveFocus = true,
  ) {
    this.include = include;
    this.exclude = exclude;
    this.profile = profile;
    this.continuous = continuous;
    this.preserveFocus = preserveFocus;
  }
}

export class DeclarationCoverage {
  readonly name: string;
  readonly executed: number;
  readonly location: Range;
  constructor(name: string, executed: number, location: Range) {
    this.name = name;
    this.executed = executed;
    this.location = location;
  }
}

export class BranchCoverage {
  readonly executed: number;
  readonly location: Range | undefined;
  readonly label: string | undefined;
  constructor(executed: number, location?: Range, label?: string) {
    this.executed = executed;
    this.location = location;
    this.label = label;
  }
}

export class StatementCoverage {
  readonly executed: number;
  readonly location: Range;
  readonly branches: readonly BranchCoverage[];
  constructor(executed: number, location: Range, branches: readonly BranchCoverage[] = []) {
    this.executed = executed;
    this.location = location;
    this.branches = branches;
  }
}

export class FileCoverage {
  static fromDetails(uri: base.Uri): FileCoverage {
    return new FileCoverage(uri);
  }
  readonly uri: base.Uri;
  constructor(uri: base.Uri) {
    this.uri = uri;
  }
}

export const TestRunProfileKind = { Run: 1, Debug: 2, Coverage: 3 };

class CancellationToken {
  isCancellationRequested = false;
  readonly emitter = new EventEmitter<void>();
  readonly onCancellationRequested = this.emitter.event;
}

export class CancellationTokenSource {
  readonly token = new CancellationToken();
  cancel(): void {
    if (this.token.isCancellationRequested) return;
    this.token.isCancellationRequested = true;
    this.token.emitter.fire();
  }
  dispose(): void {}
}

/** When items were changed, in milliseconds. */
export const changes: number[] = [];

/** VS Code sends each change of an item to its window. */
function watched<Item extends object>(item: Item): Item {
  return new Proxy(item, {
    set(target, name, value) {
      changes.push(performance.now());
      return Reflect.set(target, name, value);
    },
  });
}

export class FakeCollection {
  readonly #items = new Map<string, FakeItem>();
  #change(): void {
    changes.push(performance.now());
  }
  get size(): number {
    return this.#items.size;
  }
  replace(items: readonly FakeItem[]): void {
    if (new Set(items.map(({ id }) => id)).size < items.length) throw new Error('Two items have the same id.');
    this.#items.clear();
    for (const item of items) this.#items.set(item.id, item);
    this.#change();
  }
  add(item: FakeItem): void {
    this.#items.set(item.id, item);
    this.#change();
  }
  delete(id: string): void {
    if (this.#items.delete(id)) this.#change();
  }
  get(id: string): FakeItem | undefined {
    return this.#items.get(id);
  }
  get all(): FakeItem[] {
    return [...this.#items.values()];
  }
}

export class FakeItem {
  readonly children = new FakeCollection();
  readonly id: string;
  label: string;
  readonly uri: base.Uri | undefined;
  range: Range | undefined;
  description: string | undefined;
  error: string | undefined;
  sortText: string | undefined;
  canResolveChildren = false;
  tags: readonly TestTag[] = [];
  constructor(id: string, label: string, uri?: base.Uri) {
    if (id.includes('\0')) throw new Error('An id must not have the delimiter of ids.');
    this.id = id;
    this.label = label;
    this.uri = uri;
  }
}

/** A run and what it was told, as `state label`. */
export class FakeRun {
  readonly #stop = new CancellationTokenSource();
  readonly token = this.#stop.token;
  readonly request: TestRunRequest;
  readonly name: string | undefined;
  readonly isPersisted: boolean;
  readonly events: string[] = [];
  readonly messages = new Map<string, readonly TestMessage[]>();
  readonly durations = new Map<string, number | undefined>();
  readonly coverage: FileCoverage[] = [];
  output = '';
  isOver = false;
  constructor(request: TestRunRequest, name: string | undefined, isPersisted: boolean) {
    this.request = request;
    this.name = name;
    this.isPersisted = isPersisted;
  }

  /** What a click on Stop does. */
  stop(): void {
    this.#stop.cancel();
  }

  /** The last state of an item. */
  stateOf(label: string): string | undefined {
    return this.events.findLast((event) => event.endsWith(` ${label}`))?.split(' ', 1)[0];
  }

  enqueued(item: FakeItem): void {
    this.#set('enqueued', item);
  }
  started(item: FakeItem): void {
    this.#set('started', item);
  }
  skipped(item: FakeItem): void {
    this.#set('skipped', item);
  }
  passed(item: FakeItem, duration?: number): void {
    this.#set('passed', item);
    this.durations.set(item.label, duration);
  }
  failed(item: FakeItem, messages: readonly TestMessage[], duration?: number): void {
    this.#set('failed', item);
    this.messages.set(item.label, messages);
    this.durations.set(item.label, duration);
  }
  errored(item: FakeItem, messages: readonly TestMessage[]): void {
    this.#set('errored', item);
    this.messages.set(item.label, messages);
  }
  appendOutput(text: string): void {
    if (/(?<!\r)\n/.test(text)) throw new Error('A line of the output ends without a carriage return.');
    this.output += text;
  }
  addCoverage(coverage: FileCoverage): void {
    if (this.isOver) throw new Error('Coverage is added after the end of the run.');
    this.coverage.push(coverage);
  }
  end(): void {
    this.isOver = true;
  }

  #set(state: string, { label }: FakeItem): void {
    if (this.isOver) throw new Error(`${label} is ${state} after the end of the run.`);
    this.events.push(`${state} ${label}`);
  }
}

interface FakeProfile {
  readonly label: string;
  readonly kind: number;
  readonly isDefault: boolean;
  supportsContinuousRun: boolean;
  loadDetailedCoverage?: (run: FakeRun, coverage: FileCoverage) => Promise<readonly unknown[]>;
  readonly run: (request: TestRunRequest, token: CancellationToken) => Promise<void>;
}

export class FakeController {
  readonly items = new FakeCollection();
  readonly profiles: FakeProfile[] = [];
  readonly runs: FakeRun[] = [];
  readonly invalidated: string[] = [];
  resolveHandler: ((item: FakeItem | undefined) => Promise<void>) | undefined;
  refreshHandler: ((token: CancellationToken) => Promise<void>) | undefined;

  createTestItem(id: string, label: string, uri?: base.Uri): FakeItem {
    return watched(new FakeItem(id, label, uri));
  }
  createRunProfile(label: string, kind: number, run: FakeProfile['run'], isDefault: boolean): FakeProfile {
    const profile: FakeProfile = { label, kind, run, isDefault, supportsContinuousRun: false };
    this.profiles.push(profile);
    return profile;
  }
  createTestRun(request: TestRunRequest, name?: string, isPersisted = true): FakeRun {
    const run = new FakeRun(request, name, isPersisted);
    this.runs.push(run);
    return run;
  }
  invalidateTestResults(items: FakeItem | readonly FakeItem[]): void {
    for (const { label } of [items].flat()) this.invalidated.push(label);
  }
  dispose(): void {}
}

interface FakeDocument {
  readonly uri: base.Uri;
  isDirty: boolean;
  text: string;
  getText(): string;
}

/** State that tests set and inspect. */
export const fake = {
  controllers: [] as FakeController[],
  /** Files on disk, as URIs. */
  files: [] as string[],
  searches: 0,
  quickPick: ((items: readonly unknown[]) => items) as (items: readonly unknown[]) => unknown,
  debugged: [] as { readonly configuration: Record<string, unknown>; readonly run: unknown }[],
  stoppedSessions: [] as string[],
  /** How long the debugger takes to attach. */
  attaching: Promise.resolve(),
  created: new EventEmitter<base.Uri>(),
  changed: new EventEmitter<base.Uri>(),
  deleted: new EventEmitter<base.Uri>(),
  opened: new EventEmitter<FakeDocument>(),
  edited: new EventEmitter<{ document: FakeDocument }>(),
  closed: new EventEmitter<FakeDocument>(),
  renamed: new EventEmitter<void>(),
  sessions: new EventEmitter<{ id: string; configuration: Record<string, unknown> }>(),
  ended: new EventEmitter<{ id: string }>(),
  /** Opens a file in an editor. */
  open(uri: string, text = ''): FakeDocument {
    const document: FakeDocument = { uri: Uri.parse(uri), isDirty: false, text, getText: () => document.text };
    workspace.textDocuments.push(document);
    fake.opened.fire(document);
    return document;
  },
  reset(): void {
    for (const list of [fake.controllers, fake.files, fake.debugged, fake.stoppedSessions, changes]) list.length = 0;
    // Of Test Explorers that were not disposed.
    for (const event of Object.values(fake)) if (event instanceof EventEmitter) event.dispose();
    workspace.textDocuments.length = 0;
    fake.searches = 0;
    fake.quickPick = (items) => items;
    fake.attaching = Promise.resolve();
  },
};

/** By the end of a name, which is all that the globs of these tests say. */
function matches(glob: string, uri: base.Uri): boolean {
  if (glob === '**') return true;
  if (glob.includes('.config.')) return uri.path.includes('.config.');
  return /\.(sim\.ts|scenario\.yaml)$/.test(uri.path);
}

export const tests = {
  createTestController: () => {
    const controller = new FakeController();
    fake.controllers.push(controller);
    return controller;
  },
};

export const workspace = {
  ...base.workspace,
  textDocuments: [] as FakeDocument[],
  findFiles: async (glob: string) => {
    fake.searches += 1;
    return fake.files.map((uri) => Uri.parse(uri)).filter((uri) => matches(glob, uri));
  },
  createFileSystemWatcher: (glob: string) => {
    const only = (event: typeof fake.created.event) => (listener: (uri: base.Uri) => void) =>
      event((uri) => {
        if (matches(glob, uri)) listener(uri);
      });
    return {
      onDidCreate: only(fake.created.event),
      onDidChange: only(fake.changed.event),
      onDidDelete: only(fake.deleted.event),
      dispose: () => {},
    };
  },
  onDidOpenTextDocument: fake.opened.event,
  onDidChangeTextDocument: fake.edited.event,
  onDidCloseTextDocument: fake.closed.event,
  onDidChangeWorkspaceFolders: () => ({ dispose: () => {} }),
  onDidRenameFiles: fake.renamed.event,
};

export const languages = {
  match: ({ pattern }: { readonly pattern: string }, { uri }: FakeDocument) => (matches(pattern, uri) ? 10 : 0),
};

export const window = {
  ...base.window,
  showQuickPick: async (items: readonly unknown[]) => fake.quickPick(items),
  showErrorMessage: async (..._parts: unknown[]): Promise<string | undefined> => undefined,
};

export const debug = {
  onDidStartDebugSession: fake.sessions.event,
  onDidTerminateDebugSession: fake.ended.event,
  startDebugging: async (_folder: unknown, configuration: Record<string, unknown>, options: { testRun: unknown }) => {
    fake.debugged.push({ configuration, run: options.testRun });
    await fake.attaching;
    fake.sessions.fire({ id: `session ${fake.debugged.length}`, configuration });
    return true;
  },
  stopDebugging: async ({ id }: { id: string }) => {
    fake.stoppedSessions.push(id);
    fake.ended.fire({ id });
  },
};
