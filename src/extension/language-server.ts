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
import { redactedLog } from './protocol-log.ts';
import { describeRestart, RestartPolicy } from './restart-policy.ts';
import type { TraceFilter } from './trace-selector.ts';

/** `broken`: it has stopped, and is started again only when somebody asks for it. */
export type ServerState = 'off' | 'on' | 'restarting' | 'broken';

/** What it is made with, asked for each time that it starts. */
export interface ServerStartOptions {
  readonly selector: readonly TraceFilter[];
  readonly initialization: InitializationSettings;
}

/** The end of a connection that asks and tells. */
export interface ServerConnection extends RequestSender {
  sendNotification(method: string, params: unknown): Promise<void>;
}

/** The process that evaluates. It is started when it is first needed, and again when it breaks, but not for ever. */
export class LanguageServer implements vscode.Disposable {
  readonly #module: string;
  readonly #log: vscode.LogOutputChannel;
  readonly #introduce: () => ServerStartOptions;
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly #restarts = new RestartPolicy();
  readonly #greetings: ((connection: ServerConnection) => Promise<void>)[] = [];
  readonly #preludes: ((connection: ServerConnection) => Promise<void>)[] = [];
  readonly #listening: ((client: LanguageClient) => void)[] = [];
  /** The client that speaks to a process that runs. */
  #live: LanguageClient | undefined;
  /** The same, once everything has been said that is said at the beginning. */
  #client: Promise<LanguageClient> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #state: ServerState = 'off';

  readonly onDidChangeState = this.#changed.event;

  constructor(module: string, log: vscode.LogOutputChannel, introduce: () => ServerStartOptions) {
    this.#module = module;
    this.#log = log;
    this.#introduce = introduce;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Whether it runs, or is about to. */
  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** What is said to every process before anything else is asked of it. */
  onStart(greeting: (connection: ServerConnection) => Promise<void>): void {
    this.#greetings.push(greeting);
  }

  /** What is done before any request is sent, whoever sends it, and before it is told of a file that was saved. */
  useMiddleware(prelude: (connection: ServerConnection) => Promise<void>): void {
    this.#preludes.push(prelude);
  }

  /** Hears what any process tells. */
  onNotification<Params>(notification: NotificationType<Params>, handler: (params: Params) => void): void {
    this.#listening.push((client) => onNotification(client, notification, handler));
  }

  /** Answers what any process asks. */
  onRequest<Params, Result>(request: RequestType<Params, Result>, handler: (params: Params) => Promise<Result>): void {
    this.#listening.push((client) => onRequest(client, request, handler));
  }

  /** Resolves when it can be asked. */
  async start(): Promise<void> {
    await this.#running();
  }

  /** Ends it where it runs, and starts it. */
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

  /** Tells it something where it runs; one that is started later has to be told by a greeting. */
  notify<Params>({ method }: NotificationType<Params>, params: Params): void {
    // What cannot be sent any more is for a process that has ended.
    void this.#live?.sendNotification(method, params).catch(() => {});
  }

  /** What it reports under a work-done token until this is disposed. */
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
    await client.start();
    this.#live = client;
    for (const greeting of this.#greetings) {
      // It can be asked all the same.
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
    /** What goes wrong is logged here, and told by who had asked. */
    class QuietClient extends LanguageClient {
      override error(message: string, data?: unknown): void {
        super.error(message, data, false);
      }
    }
    const prelude = async (): Promise<void> => {
      if (this.#live === client) await Promise.all(this.#preludes.map((one) => one(client)));
    };
    const client = new QuietClient(
      'turnwise',
      'Turnwise',
      { module: this.#module, transport: TransportKind.ipc, options: { env: translationsEnvironment() } },
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
        },
      },
    );
    return client;
  }

  /** It has broken, and what it held is lost. */
  #ended(client: LanguageClient): void {
    if (this.#live !== client) return;
    this.#live = undefined;
    this.#client = undefined;
    const wait = this.#restarts.nextDelay(Date.now());
    this.#log.warn(describeRestart(wait));
    if (wait !== null) {
      this.#restart = setTimeout(() => {
        // That it could not be started is its state, and in the log.
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
    // One that does not answer any more is ended.
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

/** Most of what is bundled, loaded when a process is first started. */
function importLanguageClient() {
  return import('vscode-languageclient/node');
}

/** Tells the server where the strings of the editor's language are. */
function translationsEnvironment(): Record<string, string> {
  const bundle = vscode.l10n.uri;
  return bundle?.scheme === 'file' ? { TURNWISE_L10N_BUNDLE: bundle.fsPath } : {};
}
