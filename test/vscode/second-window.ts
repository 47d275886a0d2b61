import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  createMessageConnection,
  IPCMessageReader,
  IPCMessageWriter,
  LogMessageNotification,
  type MessageConnection,
  MessageType,
  ShowMessageNotification,
} from 'vscode-languageserver/node';
import { type FileRow, files, restore } from '../../src/protocol/messages.ts';
import { type RequestType, sendRequest } from '../../src/protocol/rpc.ts';
import { extension, folder } from './extension.ts';

/** What another window has of its own: a server of the same folder, which keeps its results at the same place. */
export class SecondWindow implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #connection: MessageConnection;
  /** What its server had to say to a person, and what it wrote to the log as a warning or as an error. */
  readonly said: unknown[] = [];

  private constructor() {
    this.#child = fork(join(extension().extensionPath, 'dist', 'server.js'), ['--node-ipc'], { execArgv: [] });
    this.#connection = createMessageConnection(new IPCMessageReader(this.#child), new IPCMessageWriter(this.#child));
    this.#connection.onNotification(ShowMessageNotification.type, (params) => void this.said.push(params));
    this.#connection.onNotification(LogMessageNotification.type, (params) => {
      if (params.type <= MessageType.Warning) this.said.push(params);
    });
    this.#connection.listen();
  }

  /** With what was kept of the folder. */
  static async open(): Promise<SecondWindow> {
    const window = new SecondWindow();
    const uri = folder().toString();
    await window.#connection.sendRequest('initialize', {
      processId: null,
      rootUri: uri,
      capabilities: {},
      workspaceFolders: [{ uri, name: 'folder' }],
      initializationOptions: { client: 'vscode' },
    });
    await window.#connection.sendNotification('initialized', {});
    await window.ask(restore, { folders: [uri] });
    return window;
  }

  ask<Params, Result>(request: RequestType<Params, Result>, params: Params): Promise<Result> {
    return sendRequest(this.#connection, request, params);
  }

  /** How its results stand to their files, by the files' names. */
  async states(): Promise<Readonly<Record<string, FileRow['state']>>> {
    const { rows } = await this.ask(files, { offset: 0, limit: 100 });
    return Object.fromEntries(rows.map(({ uri, state }) => [uri.slice(uri.lastIndexOf('/') + 1), state]));
  }

  /** What it holds is kept when it is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.sendRequest('shutdown');
    const ended = once(this.#child, 'exit');
    await this.#connection.sendNotification('exit');
    await ended;
    this.#connection.dispose();
  }
}
