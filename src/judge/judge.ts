import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import type { JudgeUsage } from '../llm/usage.ts';
import type { AskOptions, JudgeAnswer, Question } from './question.ts';

/** Asks a model typed questions about sessions; retries, packs, caches and counts. */
export interface Judge {
  readonly provider: string;
  readonly model: string;
  readonly questionsPerCall: number;
  /** @param findings what rules proved of the session; every prompt about a turn has those of the turn, as facts. */
  forSession(session: Session, findings?: readonly Finding[]): SessionJudge;
  readonly usage: JudgeUsage;
}

export interface SessionJudge {
  /**
   * Asks about a turn. Questions of one turn that are asked in the same tick travel together, up to `questionsPerCall`.
   * Never rejects.
   */
  askTurn<Answer>(index: number, question: Question<Answer>, asking?: AskOptions): Promise<JudgeAnswer<Answer>>;
  /** Asks about the session as a whole. Never rejects. */
  askSession<Answer>(question: Question<Answer>, asking?: AskOptions): Promise<JudgeAnswer<Answer>>;
}
