import {
  CancellationTokenSource,
  type Connection,
  MessageType,
  ShowMessageNotification,
} from 'vscode-languageserver/node';
import { raceAbort } from '../core/async/race-abort.ts';
import type { EditorModel, EditorModelAnswer, EditorModelRequest } from '../core/editor-models.ts';
import { errorMessage } from '../core/error-message.ts';
import { askEditorModel, listEditorModels } from '../protocol/editor-models.ts';
import { apiKey, apiKeyNeeded } from '../protocol/models.ts';
import { openQuestions } from '../protocol/questions.ts';
import { sendRequest } from '../protocol/rpc.ts';
import type { InitializationSettings } from '../protocol/settings.ts';
import { QuestionBoard, type UserQuestion } from './consent/question-board.ts';
import { openFolders } from './disk/open-folders.ts';

/** What models need from the editor: a user who decides, and what only the editor stores. Nothing here rejects. */
export interface Editor {
  /** Whether the open folders are trusted to decide what runs and which models are used. */
  readonly isTrusted: () => boolean;
  /** Whether the client is VS Code with the Turnwise extension and its commands. */
  readonly hasTurnwiseExtension: () => boolean;
  /** Paths of the open folders. */
  readonly folders: () => Promise<readonly string[]>;
  /** @returns one of the answers; null where the question was dismissed or cannot be asked. */
  readonly choose: <Answer extends string>(question: UserQuestion<Answer>) => Promise<Answer | null>;
  /** The questions that are asked. */
  readonly questions: Pick<QuestionBoard, 'answer' | 'waitFor'>;
  /** The key that the editor stores for a host; null where it has none. */
  readonly findKey: (host: string) => Promise<string | null>;
  /** The language models that the editor has itself; none where the client is not VS Code with the Turnwise extension. */
  readonly listEditorModels: () => Promise<readonly EditorModel[]>;
  /** Asks one of them. */
  readonly askEditorModel: (request: EditorModelRequest, signal: AbortSignal) => Promise<EditorModelAnswer>;
  /** Shows a message once, where the Turnwise extension can show it. */
  readonly notify: (sentence: string) => void;
  /** Reports once that a host needs a key, or another key than this. */
  readonly reportMissingKey: (host: string, reason: string | null, sentence: string) => void;
}

/** The part of it that an evaluation uses. */
export type ModelEditor = Omit<Editor, 'questions'> & { readonly questions: Pick<QuestionBoard, 'waitFor'> };

interface EditorConnection {
  readonly connection: Connection;
  /** The current settings. */
  readonly settings: () => InitializationSettings;
}

export function createEditor({ connection, settings }: EditorConnection): Editor {
  const isOurs = (): boolean => settings().client === 'vscode';
  const refused = new Map<string, string | null>();
  const shownMessages = new Set<string>();
  const board = new QuestionBoard((questions) => {
    // A closed connection cannot be notified.
    if (isOurs()) connection.sendNotification(openQuestions.method, { questions }).catch(() => {});
  });
  return {
    isTrusted: () => settings().trusted,
    hasTurnwiseExtension: isOurs,
    folders: () => openFolders(connection),
    choose: <Answer extends string>(question: UserQuestion<Answer>) =>
      board.ask(question, showQuestion(connection, question)),
    questions: board,
    findKey: async (host) => (isOurs() ? sendRequest(connection, apiKey, { host }).catch(() => null) : null),
    listEditorModels: async () => {
      if (!isOurs()) return [];
      return sendRequest(connection, listEditorModels, {}).then(
        ({ models }) => models,
        () => [],
      );
    },
    askEditorModel: (request, signal) => askOverConnection(connection, request, signal),
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

/** An answer that arrives after the abort is dropped. */
async function askOverConnection(
  connection: Connection,
  { schema, ...request }: EditorModelRequest,
  signal: AbortSignal,
): Promise<EditorModelAnswer> {
  const cancellation = new CancellationTokenSource();
  const cancel = () => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const answer: Promise<EditorModelAnswer> = sendRequest(
    connection,
    askEditorModel,
    { ...request, schema: schema && { ...schema } },
    cancellation.token,
  ).catch((error: unknown) => ({ status: 'failed', cause: 'other', message: errorMessage(error) }));
  try {
    return (await raceAbort(answer, signal)) ?? { status: 'failed', cause: 'cancelled', message: '' };
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

async function showQuestion<Answer extends string>(
  connection: Connection,
  { text, buttons }: UserQuestion<Answer>,
): Promise<Answer | null> {
  const answers = Object.keys(buttons) as Answer[];
  const actions = answers.map((answer) => ({ title: buttons[answer] }));
  const chosen = await connection.window.showWarningMessage(text, ...actions).catch(() => null);
  return answers.find((answer) => buttons[answer] === chosen?.title) ?? null;
}
