import * as vscode from 'vscode';
import { answerQuestion, type OpenQuestion, openQuestions } from '../protocol/questions.ts';
import type { LanguageServer } from './language-server.ts';

/** The part of the server that this class uses. */
type QuestionSource = Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification' | 'onDidChangeState'>;

/** A modal dialog has a Cancel button of its own, which leaves the question open; Stop ends the evaluation. */
const CANCEL = 'cancel';

/** Questions that evaluations wait for. The message that first asks them can be hidden among other notifications. */
export class OpenQuestions implements vscode.Disposable {
  readonly #server: QuestionSource;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listening: vscode.Disposable;
  #all: readonly OpenQuestion[] = [];

  readonly onDidChange = this.#changed.event;

  constructor(server: QuestionSource) {
    this.#server = server;
    server.onNotification(openQuestions, ({ questions }) => this.#set(questions));
    // A server that has stopped asks nothing any more, and one that has just started asks nothing yet.
    this.#listening = server.onDidChangeState(() => this.#set([]));
  }

  get all(): readonly OpenQuestion[] {
    return this.#all;
  }

  #set(questions: readonly OpenQuestion[]): void {
    if (questions.length === 0 && this.#all.length === 0) return;
    this.#all = questions;
    this.#changed.fire();
  }

  /** Asks a question again, in a dialog. @param id from a row or a keybinding, not trusted. */
  async ask(id: unknown): Promise<void> {
    const question = this.#all.find((candidate) => candidate.id === id);
    if (!question) return;
    const answers = question.answers.filter((answer) => answer.id !== CANCEL);
    const labels = answers.map(({ label }) => label);
    const chosen = await vscode.window.showWarningMessage(question.text, { modal: true }, ...labels);
    const answer = answers.find(({ label }) => label === chosen);
    if (answer && this.#server.isRunning)
      await this.#server.request(answerQuestion, { id: question.id, answer: answer.id });
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.dispose();
  }
}
