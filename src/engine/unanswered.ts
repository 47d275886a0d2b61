import { type Problem, problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import type { Answered } from '../judge/question.ts';

/** Counts the questions of a run that got no answer. */
export class Unanswered {
  #count = 0;
  #first: { readonly session: Session; readonly reason: string } | null = null;

  /** Passes on what became of a question. */
  heard<Answer>(session: Session, answered: Answered<Answer>): Answered<Answer> {
    if (answered.status !== 'answered') {
      this.#count += 1;
      this.#first ??= { session, reason: answered.reason };
    }
    return answered;
  }

  /** A warning; with it a run cannot pass: what was not answered may have been what is wrong. */
  problems(): Problem[] {
    if (!this.#first) return [];
    const { session, reason } = this.#first;
    const questions = this.#count === 1 ? '1 question' : `${this.#count} questions`;
    const message = `The judge left ${questions} without an answer, so the run cannot pass. ${reason}`;
    return [problem('warning', 'judge-unanswered', session.source.file, message)];
  }
}
