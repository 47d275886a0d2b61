import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import {
  type CancellationToken,
  type NotificationType,
  onNotification,
  onRequest,
  type RequestSender,
  type RequestType,
  sendRequest,
} from '../protocol/rpc.ts';
import type { InitializationSettings } from '../protocol/settings.ts';
import type { BoundCommands } from './bound-commands.ts';
import { NotificationHandlers } from './notification-handlers.ts';
import { redactedLog } from './protocol-log.ts';
import { describeRestart, RestartPolicy } from './restart-policy.ts';
import type { TraceFilter } from './trace-selector.ts';

/** `broken`: it stopped and is restarted only on request. */
export type ServerState = 'off' | 'on' | 'restarting' | 'broken';

/** The options of a start, requested each time the server starts. */
export interface ServerStartOptions {
  readonly selector: readonly TraceFilter[];
  readonly initialization: InitializationSettings;
}

/** The client's end of a connection. */
export interface LanguageServerConnection extends RequestSender {
  sendNotification(method: string, params: unknown): Promise<void>;
}

/** Keeps the young generation small: by default, garbage of an evaluation takes 150 MB more for no measurable speed. */
const SERVER_FLAGS = ['--max-semi-space-size=8'];

/** The language server process. It starts on demand, and restarts a limited number of times when it crashes. */
export class LanguageServer implements vscode.Disposable {
  readonly #module: string;
  readonly #log: vscode.LogOutputChannel;
  readonly #introduce: () => ServerStartOptions;
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly #restarts = new RestartPolicy();
  readonly #commands: Pick<BoundCommands, 'bind'>;
  readonly #greetings: ((connection: LanguageServerConnection) => Promise<void>)[] = [];
  readonly #preludes: ((connection: LanguageServerConnection) => Promise<void>)[] = [];
  readonly #listening: ((client: LanguageClient) => void)[] = [];
  readonly #notifications = new NotificationHandlers();
  /** Of notifications, by method. */
  readonly #handlers = new Map<string, ((params: unknown) => void)[]>();
  /** The client of the running process. */
  #live: LanguageClient | undefined;
  /** The same, once all start handlers have run. */
  #client: Promise<LanguageClient> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #state: ServerState = 'off';

  readonly onDidChangeState = this.#changed.event;

  constructor(
    module: string,
    log: vscode.LogOutputChannel,
    commands: Pick<BoundCommands, 'bind'>,
    introduce: () => ServerStartOptions,
  ) {
    this.#commands = commands;
    this.#module = module;
    this.#log = log;
    this.#introduce = introduce;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Whether it is running or starting. */
  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** Adds a handler that runs on every start, before the first request. */
  onStart(greeting: (connection: LanguageServerConnection) => Promise<void>): void {
    this.#greetings.push(greeting);
  }

  /** Adds a handler that runs before every request and before save notifications. */
  useMiddleware(prelude: (connection: LanguageServerConnection) => Promise<void>): void {
    this.#preludes.push(prelude);
  }

  /** Handles a notification of the server, beside other handlers of it. */
  onNotification<Params>(notification: NotificationType<Params>, handler: (params: Params) => void): void {
    onNotification({ onNotification: (method, raw) => this.#addHandler(method, raw) }, notification, handler);
  }

  /** The client keeps one handler of each method: it calls all of ours. */
  #addHandler(method: string, handler: (params: unknown) => void): void {
    const known = this.#handlers.get(method);
    if (known) {
      known.push(handler);
      return;
    }
    const handlers = [handler];
    this.#handlers.set(method, handlers);
    this.#listening.push((client) =>
      client.onNotification(method, (params: unknown) => {
        for (const handle of handlers) handle(params);
      }),
    );
  }

  /** Handles a request of the server. */
  onRequest<Params, Result>(
    request: RequestType<Params, Result>,
    handler: (params: Params, token: CancellationToken) => Promise<Result>,
  ): void {
    this.#listening.push((client) => onRequest(client, request, handler));
  }

  /** Resolves when the server accepts requests. */
  async start(): Promise<void> {
    await this.#running();
  }

  /** Stops a running server and starts it. */
  async restart(): Promise<void> {
    this.#restarts.reset();
    await this.#stop();
    await this.start();
  }

  async request<Params, Result>(
    request: RequestType<Params, Result>,
    params: Params,
    token?: CancellationToken,
  ): Promise<Result> {
    const client = await this.#running();
    try {
      return await sendRequest(client, request, params, token);
    } catch (error) {
      if (this.#live === client) throw error;
      const message = vscode.l10n.t('The language server stopped before it could answer. Evaluate again.');
      throw new Error(message, { cause: error });
    }
  }

  /** Sends a notification to a running server; for a later start use `onStart`. */
  notify<Params>({ method }: NotificationType<Params>, params: Params): void {
    // A failed notification means that the process has ended.
    void this.#live?.sendNotification(method, params).catch(() => {});
  }

  /** Reports the progress of a work-done token until it is disposed. */
  async onProgress(
    token: string,
    listener: (progress: { readonly message?: string; readonly percentage?: number }) => void,
  ): Promise<vscode.Disposable> {
    const [client, { WorkDoneProgress }] = await Promise.all([this.#running(), importLanguageClient()]);
    return client.onProgress(WorkDoneProgress.type, token, (value) => {
      if (value.kind === 'report') listener(value);
    });
  }

  #running(): Promise<LanguageClient> {
    if (this.#client) return this.#client;
    clearTimeout(this.#restart);
    const client = this.#start();
    this.#client = client;
    client.catch(() => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#is('broken');
    });
    return client;
  }

  async #start(): Promise<LanguageClient> {
    const client = await this.#make();
    const { State } = await importLanguageClient();
    client.onDidChangeState(({ oldState, newState }) => {
      if (oldState === State.Running && newState === State.Stopped) this.#ended(client);
    });
    for (const listening of this.#listening) listening(client);
    this.#notifications.connect(client);
    await client.start();
    this.#live = client;
    for (const greeting of this.#greetings) {
      // A failed handler does not prevent requests.
      await greeting(client).catch((error: unknown) => this.#log.error(String(error)));
    }
    if (this.#live !== client) throw new Error(vscode.l10n.t('The language server stopped while it was starting.'));
    this.#log.info(vscode.l10n.t('The language server is running.'));
    this.#is('on');
    return client;
  }

  async #make(): Promise<LanguageClient> {
    const { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, TransportKind } =
      await importLanguageClient();
    const { selector, initialization } = this.#introduce();
    /** Logs errors without showing them; callers show them. */
    class QuietClient extends LanguageClient {
      override error(message: string, data?: unknown): void {
        super.error(message, data, false);
      }
    }
    const prelude = async (): Promise<void> => {
      if (this.#live === client) await Promise.all(this.#preludes.map((prelude) => prelude(client)));
    };
    const client = new QuietClient(
      'turnwise',
      'Turnwise',
      {
        module: this.#module,
        transport: TransportKind.ipc,
        options: { env: translationsEnvironment(), execArgv: SERVER_FLAGS },
      },
      {
        documentSelector: [...selector],
        initializationOptions: initialization,
        outputChannel: this.#log,
        traceOutputChannel: redactedLog(this.#log),
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationFailedHandler: () => false,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
        },
        middleware: {
          sendRequest: async (type, params, token, next) => {
            await prelude();
            return next(type, params, token);
          },
          didSave: async (document, next) => {
            await prelude();
            await next(document);
          },
          provideCodeLenses: async (document, token, next) => {
            const lenses = await next(document, token);
            return lenses?.map((lens) => this.#commands.bind(lens));
          },
          resolveCodeLens: async (unresolved, token, next) => {
            const lens = await next(unresolved, token);
            return lens && this.#commands.bind(lens);
          },
        },
      },
    );
    return client;
  }

  /** The process has crashed, and its results are lost. */
  #ended(client: LanguageClient): void {
    if (this.#live !== client) return;
    this.#live = undefined;
    this.#client = undefined;
    const wait = this.#restarts.nextDelay(Date.now());
    this.#log.warn(describeRestart(wait));
    if (wait !== null) {
      this.#restart = setTimeout(() => {
        // A failed start is logged and shown as the server's state.
        this.#running().catch(() => {});
      }, wait);
    }
    this.#is(wait === null ? 'broken' : 'restarting');
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restart);
    const starting = this.#client;
    const client = await starting?.catch(() => undefined);
    this.#live = undefined;
    if (this.#client === starting) this.#client = undefined;
    // An unresponsive process is killed.
    await client?.dispose().catch(() => {});
  }

  #is(state: ServerState): void {
    this.#state = state;
    this.#changed.fire(state);
  }

  async dispose(): Promise<void> {
    await this.#stop();
    this.#changed.dispose();
  }
}

/** Loads the language client library on the first start: most of the bundle. */
function importLanguageClient() {
  return import('vscode-languageclient/node');
}

/** Tells the server where the strings of the editor's language are. */
function translationsEnvironment(): Record<string, string> {
  const bundle = vscode.l10n.uri;
  return bundle?.scheme === 'file' ? { TURNWISE_L10N_BUNDLE: bundle.fsPath } : {};
}
