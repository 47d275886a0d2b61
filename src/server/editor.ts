import { MessageType, ShowMessageNotification } from 'vscode-languageserver/node';
import { apiKey, apiKeyNeeded } from '../protocol/models.ts';
import { sendRequest } from '../protocol/rpc.ts';
import type { ServerContext } from './context.ts';
import { openFolders } from './disk/open-folders.ts';

/** The editor as far as models go: a person who decides, and what only the editor has. Nothing here rejects. */
export interface Editor {
  /** Whether its folders may decide what runs and who is asked. */
  readonly isTrusted: () => boolean;
  /** Whether our extension is there, with commands of its own. */
  readonly hasTurnwiseExtension: () => boolean;
  /** Paths of the folders that are open. */
  readonly folders: () => Promise<readonly string[]>;
  /** @returns one of the answers; null where the question was put aside, or cannot be asked. */
  readonly choose: <Answer extends string>(question: string, answers: readonly Answer[]) => Promise<Answer | null>;
  /** The key that it keeps for a host; null where it keeps none. */
  readonly findKey: (host: string) => Promise<string | null>;
  /** Says a sentence, once, where our extension shows it. */
  readonly notify: (sentence: string) => void;
  /** Says, once, that a host wants a key, or another one than this. */
  readonly reportMissingKey: (host: string, shown: string | null, sentence: string) => void;
}

export function createEditor({ connection, settings }: Pick<ServerContext, 'connection' | 'settings'>): Editor {
  const isOurs = (): boolean => settings().client === 'vscode';
  const refused = new Map<string, string | null>();
  const said = new Set<string>();
  return {
    isTrusted: () => settings().trusted,
    hasTurnwiseExtension: isOurs,
    folders: () => openFolders(connection),
    choose: async (question, answers) => {
      const actions = answers.map((title) => ({ title }));
      const chosen = await connection.window.showWarningMessage(question, ...actions).catch(() => null);
      return answers.find((answer) => answer === chosen?.title) ?? null;
    },
    findKey: async (host) => (isOurs() ? sendRequest(connection, apiKey, { host }).catch(() => null) : null),
    notify: (message) => {
      if (!isOurs() || said.has(message)) return;
      said.add(message);
      connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message }).catch(() => {});
    },
    reportMissingKey: (host, shown, sentence) => {
      if (refused.get(host) === shown) return;
      refused.set(host, shown);
      const told = isOurs()
        ? connection.sendNotification(apiKeyNeeded.method, { host, sentence })
        : connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message: sentence });
      // A connection that is closed has nobody to be told.
      told.catch(() => {});
    },
  };
}
