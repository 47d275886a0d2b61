import type { Configuration } from '../config/schema.ts';
import { isObject } from '../core/json.ts';
import { type ChatModel, type EmbeddingModel, toMessages } from '../llm/chat-model.ts';
import { ModelError } from '../llm/model-error.ts';
import type { FunctionReply, FunctionRunner } from '../sandbox/function-runner.ts';
import { inProcessRunner } from '../sandbox/in-process-runner.ts';
import { ModuleFunction, type UserFunction } from '../sandbox/module-function.ts';
import { ModuleFunctionRunner } from '../sandbox/module-function-runner.ts';

/** A judge or an embedder that is a function of the configuration. */
export interface FunctionModel {
  readonly provider: string;
  /** The name that the configuration gives it, else the file it is in. */
  readonly model: string;
  /** Answers of a function without a name are not cached: nothing tells it from the function it is tomorrow. */
  readonly isNamed: boolean;
  readonly fn: UserFunction;
}

export function judgeFunction({ judge: { provider, name, model, ask } }: Configuration): FunctionModel | null {
  return provider === 'function' && ask ? functionModel(ask, model, name) : null;
}

export function embedderFunction({ embedder: { provider, model, embed } }: Configuration): FunctionModel | null {
  return provider === 'function' && embed ? functionModel(embed, model) : null;
}

function functionModel(fn: UserFunction, model: string | undefined, provider = 'function'): FunctionModel {
  const file = fn instanceof ModuleFunction ? fn.displayName : 'in-process';
  return { provider, model: model ?? file, isNamed: model !== undefined, fn };
}

/** Runs several calls at a time, in a process of its own where the function is in a file. */
export function modelFunctionRunner(): FunctionRunner & Disposable {
  const inProcess = inProcessRunner();
  const inModule = new ModuleFunctionRunner();
  return {
    call: (call, signal) => (typeof call.fn === 'function' ? inProcess : inModule).call(call, signal),
    [Symbol.dispose]: () => inModule[Symbol.dispose](),
  };
}

interface CallSettings {
  readonly timeoutMs: number;
  readonly jsonFence?: readonly [string, string] | undefined;
}

/** Calls `ask({ system, prompt, schema, model })`, which returns the answer as an object or as text. */
export function functionChatModel(
  { provider, model, isNamed, fn }: FunctionModel,
  { timeoutMs, jsonFence }: CallSettings,
  runner: FunctionRunner,
): ChatModel {
  // With a name, its user says when it is another one.
  const version = !isNamed && fn instanceof ModuleFunction ? fn.digest : undefined;
  return {
    provider,
    model,
    fingerprint: provider,
    chat: () =>
      Promise.reject(new ModelError('refused', `${describe(fn, 'judge')()} answers only questions with a schema.`)),
    async complete(request, signal) {
      const [system, user] = toMessages(request, jsonFence);
      const named = isNamed ? model : null;
      const args = [{ system: system.content, prompt: user.content, schema: request.exactSchema(), model: named }];
      const reply = await runner.call({ name: 'judge', fn, args, timeoutMs }, signal);
      const value = returnedValue(reply, describe(fn, 'judge'), signal);
      const text = typeof value === 'string' ? value : isObject(value) ? JSON.stringify(value) : '';
      if (text.trim() === '') {
        const what =
          value === null
            ? 'null'
            : Array.isArray(value)
              ? 'a list'
              : typeof value === 'string'
                ? 'an empty text'
                : typeof value;
        throw new ModelError(
          'no_answer',
          `${describe(fn, 'judge')()} returned ${what}; it must return an object or its JSON.`,
        );
      }
      return { text, finish: 'stop', usage: null, version };
    },
  };
}

/** Calls `embed(texts)`, which returns one vector for each text. */
export function functionEmbeddingModel(
  { provider, model, fn }: FunctionModel,
  timeoutMs: number,
  runner: FunctionRunner,
): EmbeddingModel {
  const subject = describe(fn, 'embedder');
  return {
    provider,
    model,
    host: subject(),
    async embed(texts, signal) {
      const reply = await runner.call({ name: 'embedder', fn, args: [texts], timeoutMs }, signal);
      const value = returnedValue(reply, subject, signal);
      if (!Array.isArray(value)) {
        throw new ModelError('no_answer', `${subject()} must return a list of vectors, one for each text.`);
      }
      return value;
    },
  };
}

/** The beginning of a sentence about the function. */
function describe(fn: UserFunction, role: 'judge' | 'embedder'): (line?: number) => string {
  return (line) => {
    if (typeof fn === 'function') return `The ${role} function`;
    return `${fn.displayName}${line === undefined ? '' : `:${line}`}: the ${role} function`;
  };
}

/** @throws ModelError, or the signal's reason. */
function returnedValue(reply: FunctionReply, subject: (line?: number) => string, signal: AbortSignal): unknown {
  switch (reply.kind) {
    case 'returned':
      return reply.value;
    case 'threw':
      throw new ModelError('refused', `${subject(reply.line)} ${reply.reason}.`);
    // Another call may have stopped the process: a retry starts a new one.
    case 'lost':
      throw new ModelError('timeout', `${subject()} ${reply.reason}.`);
    case 'cancelled':
      throw signal.reason;
  }
}
