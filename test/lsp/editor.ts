import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  CodeLensRefreshRequest,
  createProtocolConnection,
  type Diagnostic,
  ExecuteCommandRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  InlayHintRefreshRequest,
  LogMessageNotification,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  ShowMessageNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  WorkDoneProgress,
  type WorkDoneProgressBegin,
  WorkDoneProgressCreateRequest,
  type WorkDoneProgressEnd,
  type WorkDoneProgressReport,
  type WorkspaceFolder,
  WorkspaceFoldersRequest,
} from 'vscode-languageserver/node';
import { childEnvironment } from '../support/child-environment.ts';
import { CLI_MAIN } from '../support/cli.ts';

/** What an editor with everything that Turnwise makes use of says of itself. */
const CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ['utf-8', 'utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    workspaceFolders: true,
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    didChangeConfiguration: {},
  },
};

const HEAD = /^Content-Length: (\d+)\r\n\r\n/;

type Progress = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

export interface Introduction {
  readonly capabilities?: ClientCapabilities;
  readonly options?: unknown;
  readonly processId?: number | null;
}

export interface Start {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly main?: string;
}

/** An editor that knows nothing of Turnwise but the Language Server Protocol, and `turnwise lsp --stdio` in its own process. */
export class Editor implements AsyncDisposable {
  /** The folder that it has open, and in which the server runs. */
  readonly cwd: string;
  readonly process: ChildProcessWithoutNullStreams;
  readonly connection: ProtocolConnection;
  /** The exit code, once it has ended; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** What is shown on each file now. */
  readonly shown = new Map<string, readonly Diagnostic[]>();
  readonly messages: string[] = [];
  readonly logged: string[] = [];
  /** All that was reported, by token. */
  readonly progress = new Map<string | number, Progress[]>();
  /** What came on standard error. */
  errors = '';
  /** What the server said of messages that have no id to answer. */
  readonly complaints: string[] = [];
  /** Methods of what it was told and does not know. */
  readonly strange: string[] = [];
  /** The method of each request of the server. */
  readonly asked: string[] = [];
  folders: readonly WorkspaceFolder[] | null = null;
  #output = '';
  #waiting: { readonly isOver: () => boolean; readonly resolve: () => void }[] = [];

  constructor(cwd: string, { args = [], nodeArgs = [], main = CLI_MAIN }: Start = {}) {
    this.cwd = cwd;
    this.process = spawn(process.execPath, [...nodeArgs, main, 'lsp', '--stdio', ...args], {
      cwd,
      env: childEnvironment(cwd),
      stdio: 'pipe',
    });
    this.process.stderr.on('data', (data) => {
      this.errors += data;
      this.#settle();
    });
    // Lengths are in bytes.
    this.process.stdout.on('data', (data: Buffer) => {
      this.#output += data.toString('latin1');
    });
    this.ended = once(this.process, 'close').then(([code]) => code);
    const reader = new StreamMessageReader(this.process.stdout);
    const writer = new StreamMessageWriter(this.process.stdin);
    // A server that is gone cannot be written to; what a test wants to know of it is how it ended.
    this.process.stdin.on('error', () => {});
    const complain = (message: string) => {
      this.complaints.push(message);
      this.#settle();
    };
    this.connection = createProtocolConnection(reader, writer, {
      error: complain,
      warn: complain,
      info: complain,
      log: complain,
    });
    this.#listen();
    this.connection.listen();
  }

  #listen(): void {
    const { connection } = this;
    connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.shown.set(uri, diagnostics);
      this.#settle();
    });
    connection.onNotification(ShowMessageNotification.type, ({ message }) => {
      this.messages.push(message);
      this.#settle();
    });
    connection.onNotification(LogMessageNotification.type, ({ message }) => {
      this.logged.push(message);
      this.#settle();
    });
    connection.onRequest(WorkDoneProgressCreateRequest.type, ({ token }) => {
      this.asked.push(WorkDoneProgressCreateRequest.method);
      this.follow(token);
    });
    for (const { method } of [CodeLensRefreshRequest, InlayHintRefreshRequest]) {
      connection.onRequest(method, () => {
        this.asked.push(method);
        this.#settle();
        return null;
      });
    }
    connection.onUnhandledNotification(({ method }) => {
      this.strange.push(method);
    });
    connection.onRequest(WorkspaceFoldersRequest.type, () => (this.folders ? [...this.folders] : null));
  }

  /** What came on standard output and is no message. */
  get garbage(): string {
    let rest = this.#output;
    for (let head = HEAD.exec(rest); head; head = HEAD.exec(rest)) rest = rest.slice(head[0].length + Number(head[1]));
    return rest;
  }

  /** Keeps what is reported under a token. */
  follow(token: string | number): void {
    const reported: Progress[] = [];
    this.progress.set(token, reported);
    this.connection.onProgress(WorkDoneProgress.type, token, (value) => {
      reported.push(value);
      this.#settle();
    });
  }

  /** Until something that the server sends makes it so. */
  async until(isOver: () => boolean): Promise<void> {
    if (isOver()) return;
    await new Promise<void>((resolve) => this.#waiting.push({ isOver, resolve }));
  }

  #settle(): void {
    const over = this.#waiting.filter(({ isOver }) => isOver());
    this.#waiting = this.#waiting.filter((item) => !over.includes(item));
    for (const { resolve } of over) resolve();
  }

  async initialize({
    capabilities = CAPABILITIES,
    options,
    processId = null,
  }: Introduction = {}): Promise<InitializeResult> {
    const introduction = { processId, rootUri: null, capabilities, initializationOptions: options };
    const result = await Promise.race([
      this.connection.sendRequest(InitializeRequest.type, introduction),
      this.ended.then((code) => {
        throw new Error(`The server ended with ${code} before it answered.\n${this.errors}`);
      }),
    ]);
    await this.connection.sendNotification(InitializedNotification.type, {});
    return result;
  }

  async execute(command: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: [...args] });
  }

  /** Of a file in its folder. */
  uri(name: string): string {
    return pathToFileURL(join(this.cwd, name)).href;
  }

  /** What is no message of the library's making. */
  raw(body: string, header = `Content-Length: ${Buffer.byteLength(body)}`): void {
    this.process.stdin.write(`${header}\r\n\r\n${body}`);
  }

  /** Leaves as an editor should. @returns the exit code. */
  async leave(): Promise<number | null> {
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
    this.connection.dispose();
  }
}
