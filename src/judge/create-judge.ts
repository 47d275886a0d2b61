import type { Session } from '../core/session.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import { type Budget, createBudget } from '../llm/budget.ts';
import { type CallLog, createChatClient } from '../llm/chat-client.ts';
import type { ChatModel } from '../llm/chat-model.ts';
import { type Clock, SYSTEM_CLOCK } from '../llm/clock.ts';
import type { RateLimiter } from '../llm/rate-limiter.ts';
import type { JudgeSettings } from '../llm/settings.ts';
import { createAnswerSchemas } from './answer-schemas.ts';
import type { Judge, SessionJudge } from './judge.ts';
import type { JudgeTarget } from './judge-target.ts';
import { createSessionPrompts } from './prompting/session-prompts.ts';
import type { AskOptions, JudgeAnswer, Question } from './question.ts';
import { createQuestionBatcher, type PendingQuestion, type QuestionBatcher } from './question-batcher.ts';

export interface JudgeOptions {
  /** Null: nothing is kept, and every question is asked. */
  readonly cache: AnswerCache | null;
  /** Of this installation: what marks the passages of a prompt is drawn with it. */
  readonly boundaryKey: Uint8Array;
  /** Shared by everything that asks models in a run. */
  readonly limiter: RateLimiter;
  /** Shared as well; by default one of its own, by the settings. */
  readonly budget?: Budget;
  /** Ends all that is under way; what is finished stays. */
  readonly signal: AbortSignal;
  readonly log?: ((call: CallLog) => void) | undefined;
  /** For tests. */
  readonly clock?: Clock;
  /** In [0, 1); for tests. */
  readonly random?: () => number;
}

/** Asks a model, within all limits, and never twice what it has answered. */
export function createJudge(model: ChatModel, settings: JudgeSettings, options: JudgeOptions): Judge {
  const { boundaryKey, clock = SYSTEM_CLOCK, random = Math.random } = options;
  const { budget = createBudget(settings) } = options;
  const caller = createChatClient(model, settings, { ...options, budget, clock, random });
  const forms = createAnswerSchemas();
  const judge = `${model.provider}/${model.model}`;

  return {
    provider: model.provider,
    model: model.model,
    questionsPerCall: settings.questionsPerCall,
    usage: caller.usage,
    forSession(session, findings = []) {
      const prompts = createSessionPrompts(session, { boundaryKey, redact: settings.redact, findings });
      return createSessionJudge((place) =>
        createQuestionBatcher(
          { target: place, title: targetTitle(session, place), prompts, client: caller, schemas: forms, judge },
          settings,
        ),
      );
    },
  };
}

/**
 * Subjects that are kept for questions that come later and rest on the same facts. A session may have many turns, and
 * those that are asked about at once are next to each other.
 */
const MAX_BATCHERS = 256;

/** @param subjectAt makes what gathers the questions about one place. */
function createSessionJudge(subjectAt: (place: JudgeTarget) => QuestionBatcher): SessionJudge {
  const subjects = new Map<JudgeTarget, QuestionBatcher>();
  const at = (place: JudgeTarget): QuestionBatcher => {
    const known = subjects.get(place);
    if (known) return known;
    if (subjects.size >= MAX_BATCHERS) dropOldestIdle(subjects);
    const subject = subjectAt(place);
    subjects.set(place, subject);
    return subject;
  };
  const ask = async <Answer>(
    place: JudgeTarget,
    question: Question<Answer>,
    asking?: AskOptions,
  ): Promise<JudgeAnswer<Answer>> => {
    const asked = at(place).ask(question, asking);
    if (isForQuestion(asked, question)) return asked.answer;
    throw new Error(`"${question.name}" was mistaken for "${asked.question.name}".`);
  };
  return { askTurn: ask, askSession: (question, asking) => ask('session', question, asking) };
}

/** A map keeps its keys in the order in which they came: the oldest goes. */
function dropOldestIdle(subjects: Map<JudgeTarget, QuestionBatcher>): void {
  for (const [place, { isIdle }] of subjects) {
    if (!isIdle) continue;
    subjects.delete(place);
    return;
  }
}

/** Values of an answer have come through the schema of its question, so that the question tells their type. */
function isForQuestion<Answer>(asked: PendingQuestion, question: Question<Answer>): asked is PendingQuestion<Answer> {
  return asked.question === question;
}

function targetTitle({ id }: Session, place: JudgeTarget): string {
  return place === 'session' ? `session ${id}` : `session ${id}, turn ${place + 1}`;
}
