import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import { type Budget, type BudgetLimits, createBudget } from '../llm/budget.ts';
import {
  type CallLog,
  type ChatClient,
  createChatClient,
  createUsageMeter,
  type ModelUsage,
} from '../llm/chat-client.ts';
import type { ChatModel, ChatSettings } from '../llm/chat-model.ts';
import { type Clock, SYSTEM_CLOCK } from '../llm/clock.ts';
import { createPatience, type Patience } from '../llm/patience.ts';
import type { RateLimiter, RateLimits } from '../llm/rate-limiter.ts';
import { createAnswerSchemas } from './answer-schemas.ts';
import { createPairPrompts } from './prompting/pair-prompts.ts';
import { createSessionPrompts } from './prompting/session-prompts.ts';
import type { AskOptions, JudgeAnswer, JudgeTarget, Question } from './question.ts';
import { createQuestionBatcher, type PendingQuestion, type QuestionBatcher } from './question-batcher.ts';
import { createTurnPairs } from './turn-pairs.ts';

/** Asks a model typed questions about sessions: packs, caches, retries and counts. */
export interface Judge {
  readonly provider: string;
  readonly model: string;
  /** What results say answered; absent: `provider/model`. */
  readonly identity?: string;
  readonly questionsPerCall: number;
  readonly turnsPerCall: 1 | 2;
  /** @param findings of the rules; every prompt about a turn shows those of the turn, as facts. */
  forSession(session: Session, findings?: readonly Finding[]): SessionJudge;
  /** Asks about two sessions of one task, which are shown in this order. */
  forPair(first: Session, second: Session): Pick<SessionJudge, 'askSession'>;
  readonly usage: ModelUsage;
  /** The models that answered, as their server names them. */
  readonly versions: ReadonlySet<string>;
}

export interface SessionJudge {
  /** Of the questions about this session. */
  readonly usage: ModelUsage;
  /**
   * Asks about a turn. Questions about one turn that are asked in the same tick share a call, up to `questionsPerCall`.
   * Never rejects.
   */
  askTurn<Answer>(index: number, question: Question<Answer>, options?: AskOptions): Promise<JudgeAnswer<Answer>>;
  /** Asks about the session as a whole. Never rejects. */
  askSession<Answer>(question: Question<Answer>, options?: AskOptions): Promise<JudgeAnswer<Answer>>;
}

/** How a judge asks, whichever model it is. */
export interface JudgeSettings extends ChatSettings, RateLimits, BudgetLimits {
  /** Questions about one turn in one call; 1 asks each metric's stages separately. */
  readonly questionsPerCall: number;
  /** 2: two turns that follow each other share a call, where the same is asked about both. */
  readonly turnsPerCall: 1 | 2;
  /** How often each question is asked. */
  readonly samples: number;
  /** Whether known patterns of secrets are removed from what is sent. */
  readonly redact: boolean;
  /** Of one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Without an answer of any model, in milliseconds, before no more questions are asked. */
  readonly patienceMs: number;
}

export interface JudgeOptions {
  /** Null: no answer is cached, and every question is asked. */
  readonly cache: AnswerCache | null;
  /** Of this installation: the marker of a prompt's own lines is derived from it. */
  readonly boundaryKey: Uint8Array;
  /** Shared by everything that calls models in a run. */
  readonly limiter: RateLimiter;
  /** Shared as well; by default one for this judge, by the settings. */
  readonly budget?: Budget;
  /** Shared as well; by default one for this judge, by the settings. */
  readonly patience?: Patience;
  /** Cancels everything in progress; what is finished stays. */
  readonly signal: AbortSignal;
  readonly log?: ((call: CallLog) => void) | undefined;
  /** For tests. */
  readonly clock?: Clock;
  /** In [0, 1); for tests. */
  readonly random?: () => number;
}

/** A judge that stays within all limits, and asks nothing twice. */
export function createJudge(model: ChatModel, settings: JudgeSettings, options: JudgeOptions): Judge {
  const { boundaryKey, clock = SYSTEM_CLOCK, random = Math.random } = options;
  const { budget = createBudget(settings), patience = createPatience(settings.patienceMs, clock) } = options;
  const client = createChatClient(model, settings, { ...options, budget, patience, clock, random });
  const schemas = createAnswerSchemas();
  const judge = model.identity ?? `${model.provider}/${model.model}`;

  return {
    provider: model.provider,
    model: model.model,
    identity: judge,
    questionsPerCall: settings.questionsPerCall,
    turnsPerCall: settings.turnsPerCall,
    usage: client.usage,
    versions: client.versions,
    forSession(session, findings = []) {
      const prompts = createSessionPrompts(session, { boundaryKey, redact: settings.redact, findings });
      const usage = createUsageMeter();
      const metered: Pick<ChatClient, 'complete' | 'recall'> = {
        complete: (build, sample) => client.complete(build, sample, usage),
        recall: (build, sample) => client.recall(build, sample, usage),
      };
      const about = { prompts, client: metered, schemas };
      const pairs = settings.turnsPerCall === 1 ? null : createTurnPairs({ title: `session ${session.id}`, ...about });
      return createSessionJudge(usage, (target) =>
        createQuestionBatcher({ target, title: targetTitle(session, target), ...about, judge, pairs }, settings),
      );
    },
    forPair(first, second) {
      const prompts = createPairPrompts(first, second, { boundaryKey, redact: settings.redact });
      const title = `sessions ${first.id} and ${second.id}`;
      return createSessionJudge(createUsageMeter(), () =>
        createQuestionBatcher({ target: 'session', title, prompts, client, schemas, judge, pairs: null }, settings),
      );
    },
  };
}

/**
 * Batchers are kept for later questions that depend on the same facts. A session may have many turns, and those that are asked
 * about at the same time are next to each other.
 */
const MAX_BATCHERS = 256;

function createSessionJudge(usage: ModelUsage, createBatcher: (target: JudgeTarget) => QuestionBatcher): SessionJudge {
  const batchers = new Map<JudgeTarget, QuestionBatcher>();
  const batcherFor = (target: JudgeTarget): QuestionBatcher => {
    const existing = batchers.get(target);
    if (existing) return existing;
    if (batchers.size >= MAX_BATCHERS) dropOldestIdle(batchers);
    const batcher = createBatcher(target);
    batchers.set(target, batcher);
    return batcher;
  };
  const ask = async <Answer>(
    target: JudgeTarget,
    question: Question<Answer>,
    options?: AskOptions,
  ): Promise<JudgeAnswer<Answer>> => {
    const pending = batcherFor(target).ask(question, options);
    if (isForQuestion(pending, question)) return pending.answer;
    throw new Error(`"${question.name}" was mistaken for "${pending.question.name}".`);
  };
  return { usage, askTurn: ask, askSession: (question, options) => ask('session', question, options) };
}

/** A map keeps insertion order. */
function dropOldestIdle(batchers: Map<JudgeTarget, QuestionBatcher>): void {
  for (const [target, { isIdle }] of batchers) {
    if (!isIdle) continue;
    batchers.delete(target);
    return;
  }
}

/** The values of an answer were parsed by the schema of its question, so the question determines their type. */
function isForQuestion<Answer>(
  pending: PendingQuestion,
  question: Question<Answer>,
): pending is PendingQuestion<Answer> {
  return pending.question === question;
}

function targetTitle({ id }: Session, target: JudgeTarget): string {
  return target === 'session' ? `session ${id}` : `session ${id}, turn ${target + 1}`;
}
