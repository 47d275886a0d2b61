import { raceAbort } from '../../core/async/race-abort.ts';
import type { OpenQuestion } from '../../protocol/questions.ts';

/** A question to the user, by an id of its own. */
export interface UserQuestion<Answer extends string> extends Pick<OpenQuestion, 'id' | 'title' | 'text'> {
  /** The label of each answer, in the order of the buttons. */
  readonly buttons: Readonly<Record<Answer, string>>;
}

/** Questions that the user is asked. Those that an evaluation waits for are listed, and can be answered in the list too. */
export class QuestionBoard {
  readonly #asked = new Map<string, { readonly listed: OpenQuestion; readonly answer: (answer: string) => void }>();
  /** How many evaluations wait for each question. */
  readonly #waiting = new Map<string, number>();
  readonly #tell: (questions: readonly OpenQuestion[]) => void;
  #told = '';

  constructor(tell: (questions: readonly OpenQuestion[]) => void) {
    this.#tell = tell;
  }

  /** The first answer: of the list, or of a message. */
  async ask<Answer extends string>(
    { id, title, text, buttons }: UserQuestion<Answer>,
    message: Promise<Answer | null>,
  ): Promise<Answer | null> {
    const answers = Object.keys(buttons) as Answer[];
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const listed = { id, title, text, answers: answers.map((answer) => ({ id: answer, label: buttons[answer] })) };
    this.#asked.set(id, {
      listed,
      answer: (given) => {
        const answer = answers.find((candidate) => candidate === given);
        if (answer !== undefined) resolve(answer);
      },
    });
    this.#update();
    try {
      return await Promise.race([message, promise]);
    } finally {
      this.#asked.delete(id);
      this.#update();
    }
  }

  answer(id: string, answer: string): void {
    this.#asked.get(id)?.answer(answer);
  }

  /** Waits for the answer to a question, if it is asked; null as soon as the signal is aborted. */
  async waitFor<T>(id: string, answer: Promise<T>, signal: AbortSignal): Promise<T | null> {
    this.#count(id, 1);
    try {
      return await raceAbort(answer, signal);
    } finally {
      this.#count(id, -1);
    }
  }

  #count(id: string, change: 1 | -1): void {
    const count = (this.#waiting.get(id) ?? 0) + change;
    if (count === 0) this.#waiting.delete(id);
    else this.#waiting.set(id, count);
    this.#update();
  }

  #update(): void {
    const questions = [...this.#asked.values()].flatMap(({ listed }) => (this.#waiting.has(listed.id) ? [listed] : []));
    const ids = JSON.stringify(questions.map(({ id }) => id));
    if (ids === (this.#told || '[]')) return;
    this.#told = ids;
    this.#tell(questions);
  }
}
