import { PassThrough } from 'node:stream';
import {
  type ClientCapabilities,
  CodeLensRefreshRequest,
  createConnection,
  createProtocolConnection,
  type Diagnostic,
  type FileSystemWatcher,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  UnregistrationRequest,
  WorkDoneProgressCreateRequest,
} from 'vscode-languageserver/node';
import { evaluateFiles as ofLibrary } from '../../src/app/evaluate-files.ts';
import type { FileSystem } from '../../src/input/file-system.ts';
import { type FileRow, files as fileRows, resultsChanged } from '../../src/protocol/messages.ts';
import { onNotification, sendRequest } from '../../src/protocol/rpc.ts';
import type { RunStore } from '../../src/runs/run-store.ts';
import type { ServerOptions } from '../../src/server/create-context.ts';
import { serve } from '../../src/server/serve.ts';
import type { ResultsStore } from '../../src/store/results-store.ts';

export interface Given {
  readonly files: FileSystem;
  /** By default the library's, without models. */
  readonly evaluateFiles?: ServerOptions['evaluation'];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly store?: ResultsStore;
  readonly runs?: RunStore;
  readonly folders?: readonly string[];
}

const CAPABILITIES: ClientCapabilities = {
  window: { workDoneProgress: true },
  workspace: {
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    codeLens: { refreshSupport: true },
  },
};

/** An editor, and a server with a pipe between them. */
export class ConnectedEditor implements AsyncDisposable {
  readonly connection: ProtocolConnection;
  readonly #server: { dispose(): void };
  readonly #isOurs: boolean;
  /** What is shown on each file. */
  readonly shown = new Map<string, readonly Diagnostic[]>();
  /** What changed, each time that anything did. */
  readonly changes: (readonly string[] | undefined)[] = [];
  /** What the editor is to watch, by registration. */
  readonly watchers = new Map<string, readonly FileSystemWatcher[]>();
  readonly progress: (string | number)[] = [];
  introduced: InitializeResult | undefined;
  #waiting: { readonly isSo: () => boolean; readonly resolve: () => void }[] = [];

  private constructor({ files, evaluateFiles = ofLibrary, store, runs, options }: Given) {
    this.#isOurs = options?.client !== 'other';
    const [up, down] = [new PassThrough(), new PassThrough()];
    const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
    this.connection = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
    this.#server = server;
    serve(server, evaluateFiles, files, store ?? null, runs ?? null);
    this.#listen();
    this.connection.listen();
  }

  static async to(input: Given): Promise<ConnectedEditor> {
    const connected = new ConnectedEditor(input);
    const { options = {}, folders = [] } = input;
    connected.introduced = await connected.connection.sendRequest(InitializeRequest.type, {
      processId: null,
      rootUri: null,
      capabilities: CAPABILITIES,
      workspaceFolders: folders.map((path) => ({ uri: `file://${path}`, name: path })),
      // Most tests write files to see them outdated.
      initializationOptions: { client: 'vscode', evaluateOnChange: 'off', ...options },
    });
    await connected.connection.sendNotification(InitializedNotification.type, {});
    return connected;
  }

  #listen(): void {
    const { connection } = this;
    connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.shown.set(uri, diagnostics);
      this.#settle();
    });
    onNotification(connection, resultsChanged, ({ uris }) => {
      this.changes.push(uris);
      this.#settle();
    });
    connection.onRequest(CodeLensRefreshRequest.type, () => {
      // Which files changed is told to the extension alone.
      if (this.#isOurs) return;
      this.changes.push(undefined);
      this.#settle();
    });
    connection.onRequest(WorkDoneProgressCreateRequest.type, ({ token }) => {
      this.progress.push(token);
      this.#settle();
    });
    connection.onRequest(RegistrationRequest.type, ({ registrations }) => {
      for (const { id, registerOptions } of registrations) this.watchers.set(id, registerOptions?.watchers ?? []);
      this.#settle();
    });
    connection.onRequest(UnregistrationRequest.type, ({ unregisterations }) => {
      for (const { id } of unregisterations) this.watchers.delete(id);
      this.#settle();
    });
  }

  #settle(): void {
    const over = this.#waiting.filter(({ isSo }) => isSo());
    this.#waiting = this.#waiting.filter((item) => !over.includes(item));
    for (const { resolve } of over) resolve();
  }

  /** Resolves when something is so, which it may be after any message of the server. */
  async until(isSo: () => boolean): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ isSo, resolve });
    });
  }

  async rows(): Promise<readonly FileRow[]> {
    return (await sendRequest(this.connection, fileRows, { offset: 0, limit: 1000 })).rows;
  }

  /** The states of all files, by their names. */
  async states(): Promise<Readonly<Record<string, string>>> {
    const rows = await this.rows();
    return Object.fromEntries(rows.map(({ uri, state }) => [uri.slice(uri.lastIndexOf('/') + 1), state]));
  }

  /** Resolves when the files are in these states; every change of theirs is told. */
  async untilStates(states: Readonly<Record<string, string>>): Promise<void> {
    const wanted = JSON.stringify(Object.entries(states).sort());
    for (;;) {
      const changeCount = this.changes.length;
      if (JSON.stringify(Object.entries(await this.states()).sort()) === wanted) return;
      await this.until(() => this.changes.length > changeCount);
    }
  }

  async shutdown(): Promise<void> {
    await this.connection.sendRequest(ShutdownRequest.type);
  }

  /** As an editor does it: what is still being asked is answered first. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
    this.connection.dispose();
    this.#server.dispose();
  }
}

/** A trace of one session: the user asks, and the agent calls a tool that it does not have as often as wanted. */
export function trace({
  turns = 2,
  says = 'It is done.',
}: {
  readonly turns?: number;
  readonly says?: string;
} = {}): string {
  const messages = Array.from({ length: turns }, (_, index) => [
    { role: 'user', content: `Question ${index}?` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `c${index}`, type: 'function', function: { name: 'unknown_tool', arguments: `{"n":${index}}` } },
      ],
    },
    { role: 'tool', tool_call_id: `c${index}`, content: 'Error: no such tool' },
    { role: 'assistant', content: says },
  ]);
  const tools = [
    { type: 'function', function: { name: 'known_tool', parameters: { type: 'object', properties: {} } } },
  ];
  return JSON.stringify({ tools, messages: messages.flat() }, null, 1);
}
