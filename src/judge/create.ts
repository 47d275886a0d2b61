import type { Session } from '../core/session.ts';
import { answerForms } from './answer-forms.ts';
import { type Budget, createBudget } from './budget.ts';
import { type CallLog, createCaller } from './caller.ts';
import type { ChatModel } from './chat-model.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import type { Judge, SessionJudge } from './judge.ts';
import type { Judgements } from './judgements.ts';
import type { Limiter } from './limiter.ts';
import type { Place } from './place.ts';
import { sessionPrompts } from './prompting/session-prompts.ts';
import type { Answered, Asking, Question } from './question.ts';
import type { JudgeSettings } from './settings.ts';
import { type Asked, createSubject, type Subject } from './subject.ts';

export interface JudgeOptions {
  /** Null: nothing is kept, and every question is asked. */
  readonly judgements: Judgements | null;
  /** Of this installation: what marks the passages of a prompt is drawn with it. */
  readonly boundaryKey: Uint8Array;
  /** Shared by everything that asks models in a run. */
  readonly limiter: Limiter;
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
  const caller = createCaller(model, settings, { ...options, budget, clock, random });
  const forms = answerForms();
  const judge = `${model.provider}/${model.model}`;

  return {
    provider: model.provider,
    model: model.model,
    questionsPerCall: settings.questionsPerCall,
    usage: caller.usage,
    about(session, findings = []) {
      const prompts = sessionPrompts(session, { boundaryKey, redact: settings.redact, findings });
      return sessionJudge((place) =>
        createSubject({ place, title: titleOf(session, place), prompts, caller, forms, judge }, settings),
      );
    },
  };
}

/**
 * Subjects that are kept for questions that come later and rest on the same facts. A session may have many turns, and
 * those that are asked about at once are next to each other.
 */
const SUBJECTS_KEPT = 256;

/** @param subjectAt makes what gathers the questions about one place. */
function sessionJudge(subjectAt: (place: Place) => Subject): SessionJudge {
  const subjects = new Map<Place, Subject>();
  const at = (place: Place): Subject => {
    const known = subjects.get(place);
    if (known) return known;
    if (subjects.size >= SUBJECTS_KEPT) dropIdle(subjects);
    const subject = subjectAt(place);
    subjects.set(place, subject);
    return subject;
  };
  const ask = async <Answer>(place: Place, question: Question<Answer>, asking?: Asking): Promise<Answered<Answer>> => {
    const asked = at(place).ask(question, asking);
    if (isAbout(asked, question)) return asked.answer;
    throw new Error(`"${question.name}" was mistaken for "${asked.question.name}".`);
  };
  return { askTurn: ask, askSession: (question, asking) => ask('session', question, asking) };
}

/** A map keeps its keys in the order in which they came: the oldest goes. */
function dropIdle(subjects: Map<Place, Subject>): void {
  for (const [place, { isIdle }] of subjects) {
    if (!isIdle) continue;
    subjects.delete(place);
    return;
  }
}

/** Values of an answer have come through the schema of its question, so that the question tells their type. */
function isAbout<Answer>(asked: Asked, question: Question<Answer>): asked is Asked<Answer> {
  return asked.question === question;
}

function titleOf({ id }: Session, place: Place): string {
  return place === 'session' ? `session ${id}` : `session ${id}, turn ${place + 1}`;
}
