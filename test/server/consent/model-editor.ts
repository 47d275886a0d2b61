import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  createConnection,
  createProtocolConnection,
  type ProtocolConnection,
  ShowMessageNotification,
  ShowMessageRequest,
  StreamMessageReader,
  StreamMessageWriter,
  WorkspaceFoldersRequest,
} from 'vscode-languageserver/node';
import * as z from 'zod/mini';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import type { Report } from '../../../src/core/report.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { apiKey, apiKeyNeeded } from '../../../src/protocol/models.ts';
import { onNotification, onRequest } from '../../../src/protocol/rpc.ts';
import { type InitializationSettings, initialization } from '../../../src/protocol/settings.ts';
import type { Overrides } from '../../../src/server/evaluation/group-evaluation.ts';
import { createEvaluateFiles } from '../../../src/server/features/model-requests.ts';
import type { StubModels, StubRequest } from '../../support/stub-models.ts';

/** What stands in front of the server: a person, and what an editor keeps. */
export interface ModelEditor extends Disposable {
  readonly connection: ProtocolConnection;
  /** All that the person was asked, with what could be answered. */
  readonly questions: readonly { readonly message: string; readonly answers: readonly string[] }[];
  /** Hosts whose keys the server asked for. */
  readonly keysAsked: readonly string[];
  /** What evaluations told that they wait for. */
  readonly waits: readonly string[];
  /** Sentences that keys are missing, with their hosts where the extension was told. */
  readonly told: readonly { readonly host: string | null; readonly sentence: string }[];
  readonly settings: InitializationSettings;
  /** Changes them, as when trust is granted. */
  set(changes: Partial<InitializationSettings>): void;
  evaluate(
    paths: readonly string[],
    options?: { readonly signal?: AbortSignal; readonly overrides?: Overrides },
  ): Promise<Report>;
}

export interface EditorOptions extends Partial<Pick<InitializationSettings, 'client' | 'trusted'>> {
  /** The data folder. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that are open. */
  readonly folders?: readonly string[];
  /** What the person says; null: nothing. */
  readonly says?: (question: string) => string | null | Promise<string | null>;
  /** Before it is said which folders are open. */
  readonly onFolders?: () => void;
  /** By host. */
  readonly keys?: Readonly<Record<string, string>>;
}

/** A language server of its own, and an editor that asks it to evaluate. */
export function modelEditor({
  home,
  env = {},
  folders = [],
  says = () => null,
  onFolders,
  keys = {},
  ...given
}: EditorOptions) {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const connection = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  let settings: InitializationSettings = z.parse(initialization, { client: 'vscode', ...given });
  const questions: { message: string; answers: string[] }[] = [];
  const keysAsked: string[] = [];
  const waits: string[] = [];
  const messages: { host: string | null; sentence: string }[] = [];
  connection.onRequest(ShowMessageRequest.type, async ({ message, actions = [] }) => {
    questions.push({ message, answers: actions.map(({ title }) => title) });
    const title = await says(message);
    return title === null ? null : { title };
  });
  connection.onRequest(WorkspaceFoldersRequest.type, () => {
    onFolders?.();
    return folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder }));
  });
  onRequest(connection, apiKey, ({ host }) => {
    keysAsked.push(host);
    return Object.hasOwn(keys, host) ? (keys[host] ?? null) : null;
  });
  onNotification(connection, apiKeyNeeded, (needed) => void messages.push(needed));
  connection.onNotification(ShowMessageNotification.type, ({ message }) => {
    messages.push({ host: null, sentence: message });
  });
  const context = { connection: server, settings: () => settings };
  const run = createEvaluateFiles(context, evaluateFiles, { TURNWISE_HOME: home, ...env });
  server.listen();
  connection.listen();
  const editor: ModelEditor = {
    connection,
    questions,
    keysAsked,
    waits,
    told: messages,
    get settings() {
      return settings;
    },
    set: (changes) => {
      settings = { ...settings, ...changes };
    },
    evaluate: async (paths, { signal = new AbortController().signal, overrides = {} } = {}) => {
      const silent = { onFile() {}, onRead() {}, onResult() {} };
      const onWait = (what: string) => void waits.push(what);
      const { report } = await run(paths, {}, { signal, overrides, files: nodeFileSystem, ...silent, onWait });
      // What was told before has arrived once a question is answered.
      await server.workspace.getWorkspaceFolders();
      return report;
    },
    [Symbol.dispose]: () => {
      connection.dispose();
      server.dispose();
    },
  };
  return editor;
}

/** The base URL of a stub under an address that is no loopback by its name, though it leads there. */
export function elsewhere(stub: Pick<StubModels, 'origin'>): string {
  return stub.origin.replace('127.0.0.1', '0.0.0.0');
}

/** What was sent as a key. */
export function keysIn(requests: readonly StubRequest[]): ReadonlySet<string | undefined> {
  return new Set(requests.map(({ headers }) => headers.authorization));
}
