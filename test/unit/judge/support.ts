import * as z from 'zod';
import type { Session } from '../../../src/core/session.ts';
import type { Judge, JudgeSettings } from '../../../src/judge/judge.ts';
import { createJudge, type JudgeOptions } from '../../../src/judge/judge.ts';
import type { AnswerContext, JudgeAnswer, Question } from '../../../src/judge/question.ts';
import type { AnswerCache } from '../../../src/llm/answer-cache.ts';
import type { ChatModel, ChatPrompt, Completion } from '../../../src/llm/chat-model.ts';
import type { Clock } from '../../../src/llm/clock.ts';
import { createRateLimiter } from '../../../src/llm/rate-limiter.ts';
import { minimalValue } from '../../support/minimal-value.ts';
import { sessionOf } from '../metrics/views.ts';

export const NEVER = new AbortController().signal;

/** Time that runs ahead whenever all that is left to do is to wait. */
export interface TestClock extends Clock {
  /** What was waited for, in milliseconds. */
  readonly waits: readonly number[];
}

export function testClock(): TestClock {
  const waits: number[] = [];
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  let now = 0;
  let isRunning = false;
  const step = () => {
    waiting.sort((a, b) => a.at - b.at);
    const next = waiting.shift();
    isRunning = next !== undefined;
    if (!next) return;
    now = Math.max(now, next.at);
    next.go();
    afterAll(step);
  };
  return {
    waits,
    now: () => now,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        waits.push(ms);
        waiting.push({ at: now + ms, go: resolve });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        if (isRunning) return;
        isRunning = true;
        afterAll(step);
      }),
  };
}

/** Behind everything that can go on without waiting. */
function afterAll(step: () => void, ticks = 5): void {
  setImmediate(ticks === 0 ? step : () => afterAll(step, ticks - 1));
}

/** What a scripted model does: a value is answered as JSON, an error is thrown; undefined: the least fitting answer. */
export type Script = (prompt: ChatPrompt, number: number, signal: AbortSignal) => unknown;

export interface ScriptedModel extends ChatModel {
  readonly prompts: readonly ChatPrompt[];
  readonly mostAtOnce: number;
}

const USAGE = { promptTokens: 100, completionTokens: 10 };

export function scriptedModel(script: Script = () => undefined): ScriptedModel {
  const prompts: ChatPrompt[] = [];
  let active = 0;
  let mostAtOnce = 0;
  return {
    provider: 'openai',
    model: 'm',
    fingerprint: 'here',
    prompts,
    get mostAtOnce() {
      return mostAtOnce;
    },
    chat: () => Promise.reject(new Error('Nothing is scripted for a plain chat.')),
    async complete(prompt, signal) {
      prompts.push(prompt);
      active += 1;
      mostAtOnce = Math.max(mostAtOnce, active);
      try {
        const message = await script(prompt, prompts.length - 1, signal);
        if (message instanceof Error) throw message;
        if (isCompletion(message)) return message;
        return createCompletion(message === undefined ? minimalValue(prompt.exactSchema()) : message);
      } finally {
        active -= 1;
      }
    },
  };
}

function isCompletion(value: unknown): value is Completion {
  return typeof value === 'object' && value !== null && 'finish' in value;
}

/** An answer; text as it stands, anything else as JSON. */
export function createCompletion(content: unknown, own: Partial<Completion> = {}): Completion {
  return {
    text: typeof content === 'string' ? content : JSON.stringify(content),
    finish: 'stop',
    usage: USAGE,
    ...own,
  };
}

/** The names of what a call asked, in order. */
export function questionNames({ schema }: ChatPrompt): string[] {
  const { properties } = z.object({ properties: z.record(z.string(), z.unknown()) }).parse(schema);
  return Object.keys(properties);
}

export const SETTINGS: JudgeSettings = {
  questionsPerCall: 10,
  turnsPerCall: 1,
  samples: 1,
  temperature: 0,
  concurrency: 8,
  timeoutMs: 1000,
  patienceMs: 120_000,
  redact: false,
  structuredOutput: 'auto',
};

export const SESSION: Session = sessionOf([{}, {}, {}], { goal: 'An order.' });

export function createTestJudge(
  model: ChatModel,
  settings: Partial<JudgeSettings> = {},
  options: Partial<JudgeOptions> = {},
): Judge {
  const all = { ...SETTINGS, ...settings };
  const clock = options.clock ?? testClock();
  return createJudge(model, all, {
    cache: null,
    boundaryKey: new Uint8Array(32).fill(7),
    limiter: createRateLimiter(all, clock),
    signal: NEVER,
    random: () => 0.5,
    ...options,
    clock,
  });
}

/** Answers kept in memory. */
export function memoryCache(): AnswerCache & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (key) => kept.get(key) ?? null,
    async put(key, answer) {
      kept.set(key, answer);
    },
  };
}

const scored = z.object({ reason: z.string(), score: z.int().min(1).max(5) });

/** A question with a score from 1 to 5. */
export function question(name: string, own: Partial<Question<z.output<typeof scored>>> = {}) {
  return { name, instructions: `How good is ${name}?`, context: 'turn' as const, answer: () => scored, ...own };
}

const stated = z.object({ text: z.string() });

export function fact(name: string, facts: readonly Question[] = []): Question<z.output<typeof stated>> {
  return { name, instructions: `State ${name}.`, context: 'turn', facts, answer: () => stated };
}

/** An answer to `question`. */
export function score(value: number, reason = 'so it is') {
  return { reason, score: value };
}

/** The values of an answer, or why there is none. */
export function summarizeAnswer(answered: JudgeAnswer<unknown>): unknown {
  return answered.status === 'answered' ? answered.values : `${answered.status}: ${answered.reason}`;
}

/** What a question's schema is made from where nothing says which ids a prompt shows: any string is one. */
export const ANY_IDS: AnswerContext = { id: z.string(), call: z.string(), perCall: (entry) => z.array(entry) };
