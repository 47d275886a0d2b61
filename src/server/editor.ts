import { MessageType, ShowMessageNotification } from 'vscode-languageserver/node';
import { apiKey, apiKeyNeeded } from '../protocol/models.ts';
import { sendRequest } from '../protocol/rpc.ts';
import type { ServerContext } from './context.ts';
import { openFolders } from './disk/open-folders.ts';

/** What models need from the editor: a user who decides, and what only the editor stores. Nothing here rejects. */
export interface Editor {
  /** Whether the open folders are trusted to decide what runs and which models are used. */
  readonly isTrusted: () => boolean;
  /** Whether the client is VS Code with the Turnwise extension and its commands. */
  readonly hasTurnwiseExtension: () => boolean;
  /** Paths of the open folders. */
  readonly folders: () => Promise<readonly string[]>;
  /**
   * @param buttons the label of each answer, in the order of the buttons.
   * @returns one of the answers; null where the question was dismissed or cannot be asked.
   */
  readonly choose: <Answer extends string>(
    question: string,
    buttons: Readonly<Record<Answer, string>>,
  ) => Promise<Answer | null>;
  /** The key that the editor stores for a host; null where it has none. */
  readonly findKey: (host: string) => Promise<string | null>;
  /** Shows a message once, where the Turnwise extension can show it. */
  readonly notify: (sentence: string) => void;
  /** Reports once that a host needs a key, or another key than this. */
  readonly reportMissingKey: (host: string, reason: string | null, sentence: string) => void;
}

export function createEditor({ connection, settings }: Pick<ServerContext, 'connection' | 'settings'>): Editor {
  const isOurs = (): boolean => settings().client === 'vscode';
  const refused = new Map<string, string | null>();
  const shownMessages = new Set<string>();
  return {
    isTrusted: () => settings().trusted,
    hasTurnwiseExtension: isOurs,
    folders: () => openFolders(connection),
    choose: async <Answer extends string>(question: string, buttons: Readonly<Record<Answer, string>>) => {
      const answers = Object.keys(buttons) as Answer[];
      const actions = answers.map((answer) => ({ title: buttons[answer] }));
      const chosen = await connection.window.showWarningMessage(question, ...actions).catch(() => null);
      return answers.find((answer) => buttons[answer] === chosen?.title) ?? null;
    },
    findKey: async (host) => (isOurs() ? sendRequest(connection, apiKey, { host }).catch(() => null) : null),
    notify: (message) => {
      if (!isOurs() || shownMessages.has(message)) return;
      shownMessages.add(message);
      connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message }).catch(() => {});
    },
    reportMissingKey: (host, reason, sentence) => {
      if (refused.get(host) === reason) return;
      refused.set(host, reason);
      const sent = isOurs()
        ? connection.sendNotification(apiKeyNeeded.method, { host, sentence })
        : connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message: sentence });
      // A closed connection cannot be notified.
      sent.catch(() => {});
    },
  };
}
