/**
 * The child process that runs a scenario file: its mocks, and the functions of agents. It is a separate process so that this
 * code can neither change nor stop the one that runs attempts. What belongs to an attempt is found by the asynchronous context
 * of its calls.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isObject } from '../core/json.ts';
import { CONFIGURATION_EXPORTS } from '../sandbox/agentest-module.ts';
import { valueAt } from '../sandbox/arguments.ts';
import { errorLocation } from '../sandbox/error-location.ts';
import { importDefault, importModule, isInstalled } from '../sandbox/import-default.ts';
import type { VirtualModules } from '../sandbox/node-loader.ts';
import { endWithParent } from '../sandbox/parent-watcher.ts';
import { collectScenarios, type RegisteredScenario, scenario, sequence } from './api.ts';
import { AttemptContext, resolveMocks, toJson } from './attempt-context.ts';
import {
  handlerMessage,
  type ScenarioFileProblem,
  type ScenarioLoadRequest,
  type ScenarioReply,
  type ScenarioRequest,
  scenarioRequest,
} from './child-messages.ts';
import { mocksFromData } from './data-mocks.ts';
import type { HandlerCall } from './scenario-process.ts';

type Handler = (messages: unknown, context: object) => unknown;
type CodeRequest = Extract<ScenarioRequest, { at: object }>;

interface OpenAttempt {
  readonly conversationId: string;
  readonly context: AttemptContext;
  /** Why it cannot go on: what its code did outside a call, or what ends a process. */
  failure: string | null;
  /** Ends the calls under way. */
  readonly running: Set<(reason: string) => void>;
}

const API = { ...CONFIGURATION_EXPORTS, scenario, sequence };
const API_MODULES: VirtualModules = { turnwise: API, agentest: API, '@agentesting/agentest': API };

const current = new AsyncLocalStorage<OpenAttempt>();
const attempts = new Map<string, OpenAttempt>();
const scenarios = new Map<string, RegisteredScenario>();
const handlers = new Map<string, Handler>();
let load: ScenarioLoadRequest | null = null;

async function loadFile(request: ScenarioLoadRequest): Promise<ScenarioReply> {
  load = request;
  const { file } = request;
  const problems: ScenarioFileProblem[] = [];
  let registered: readonly RegisteredScenario[];
  if (request.scenarios) {
    registered = request.scenarios.map(({ name, options }) => ({ name, options: mocksFromData(options) }));
  } else {
    registered = collectScenarios();
    await importModule(file, API_MODULES);
  }
  for (const [agent, { file: configuration, path }] of Object.entries(request.handlers)) {
    // Where the package is installed, a configuration may import more of it than scenario files do.
    const modules = isInstalled('turnwise', configuration) ? {} : API_MODULES;
    const loaded = await importDefault(configuration, modules);
    const handler = valueAt(loaded?.value, path);
    if (typeof handler === 'function') handlers.set(agent, handler.bind(valueAt(loaded?.value, path.slice(0, -1))));
  }
  const described = registered.map((own) => describeScenario(own, problems));
  for (const own of registered) scenarios.set(own.name, own);
  return { type: 'loaded', scenarios: described, problems };
}

/** The scenario as plain data, without its code. */
function describeScenario(
  { name, options }: RegisteredScenario,
  problems: ScenarioFileProblem[],
): Record<string, unknown> {
  const where = typeof name === 'string' ? name : null;
  if (!isObject(options)) return { name };
  const { mocks: written, ...rest } = options;
  let mocks: unknown;
  try {
    mocks = resolveMocks(written);
  } catch (error) {
    const message = `mocks() threw an error: ${describeError(error, load?.file ?? '')}`;
    problems.push({ severity: 'error', message, scenario: where });
  }
  const tools = isObject(mocks) && isObject(mocks.tools) ? Object.keys(mocks.tools) : [];
  const hasState = isObject(mocks) && typeof mocks.state === 'function';
  try {
    const plain = toJson(rest, `The scenario "${where ?? ''}"`);
    return { ...(isObject(plain) ? plain : {}), name, mockedTools: tools, hasState };
  } catch (error) {
    problems.push({ severity: 'error', message: describeError(error, ''), scenario: where });
    return { name };
  }
}

function attemptOf({ conversationId, scenario: name }: CodeRequest['at']): OpenAttempt {
  const known = attempts.get(conversationId);
  if (known) return known;
  const mocks = isObject(scenarios.get(name)?.options) ? valueAt(scenarios.get(name)?.options, ['mocks']) : undefined;
  const unmockedTools = load?.unmockedTools ?? 'error';
  const context = new AttemptContext({ scenarioName: name, conversationId, mocks, unmockedTools });
  const open: OpenAttempt = { conversationId, context, failure: null, running: new Set() };
  attempts.set(conversationId, open);
  return open;
}

/** What a request's code did, or why the attempt cannot go on. */
async function answerRequest(request: CodeRequest): Promise<ScenarioReply> {
  const { id, at } = request;
  const attempt = attemptOf(at);
  await send({ type: 'started', id });
  if (attempt.failure !== null) return { type: 'broken', id, reason: attempt.failure };
  const { promise: broken, resolve } = Promise.withResolvers<ScenarioReply>();
  const onBreak = (reason: string) => resolve({ type: 'broken', id, reason });
  attempt.running.add(onBreak);
  const answer = current.run(attempt, () => runCode(request, attempt));
  return Promise.race([answer, broken]).finally(() => attempt.running.delete(onBreak));
}

async function runCode(request: CodeRequest, { context }: OpenAttempt): Promise<ScenarioReply> {
  const { id, at } = request;
  switch (request.type) {
    case 'tool':
      return { type: 'tool', id, answer: await context.answer(request.name, request.args, at.turnIndex) };
    case 'state':
      try {
        return { type: 'state', id, state: await context.finalState() };
      } catch (error) {
        return { type: 'broken', id, reason: `mocks.state threw an error: ${describeError(error, load?.file ?? '')}` };
      }
    case 'handler': {
      const onCall = (call: HandlerCall) => void send({ type: 'call', id, call });
      return { type: 'handler', id, reply: await callHandler(request, context.handlerContext(at.turnIndex, onCall)) };
    }
  }
}

type HandlerReply = Extract<ScenarioReply, { type: 'handler' }>['reply'];

async function callHandler(
  { agent, messages }: Extract<CodeRequest, { type: 'handler' }>,
  context: object,
): Promise<HandlerReply> {
  const handler = handlers.get(agent);
  const failed = (what: string): HandlerReply => ({
    type: 'failed',
    reason: `The handler of the agent "${agent}" ${what}`,
  });
  if (!handler) return failed('is not in the configuration any more: run again.');
  try {
    const answer = handlerMessage.safeParse(toJson(await handler(messages, context), 'It'));
    if (answer.success) return { type: 'message', message: answer.data };
    return failed('returned no message: it must return { role: "assistant", content: text or null, tool_calls? }.');
  } catch (error) {
    return failed(`threw an error${describeError(error, load?.handlers[agent]?.file ?? '', ': ')}`);
  }
}

/** `(shop.sim.ts:12) message` with the line in that file where it is known. */
function describeError(error: unknown, file: string, before = ''): string {
  const { message, stack = '' } = error instanceof Error ? error : { message: String(error) };
  const location = file === '' ? null : errorLocation(file, { message, stack });
  const where = location ? ` (${basename(file)}:${location.line})` : '';
  const said = stripVTControlCharacters(message.split('\n', 1)[0] ?? '');
  return before === '' ? `${said}${where}` : `${where}${before}${said}`;
}

function send(message: ScenarioReply): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}

process.on('message', (message) => {
  const request = scenarioRequest.parse(message);
  switch (request.type) {
    case 'load':
      void loadFile(request.load)
        .catch((error: unknown): ScenarioReply => {
          const { message: text, stack = '' } = error instanceof Error ? error : { message: String(error) };
          return { type: 'failed', message: stripVTControlCharacters(text), stack: stripVTControlCharacters(stack) };
        })
        .then(send);
      break;
    case 'ping':
      void send({ type: 'pong' });
      break;
    case 'close':
      attempts.delete(request.conversationId);
      break;
    default:
      void answerRequest(request).then(send);
  }
});

/** Ends the attempt whose code it was. @returns false where it was none's. */
function breakAttempt(reason: string): boolean {
  const attempt = current.getStore();
  if (!attempt) return false;
  attempt.failure ??= reason;
  for (const end of attempt.running) end(reason);
  return true;
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    const text = describeError(error, load?.file ?? '');
    breakAttempt(`Its code failed outside a call: ${text}`);
    process.stderr.write(`turnwise: error outside a call: ${text}\n`);
  });
}

const exit = process.exit.bind(process);
process.exit = (code) => {
  if (!breakAttempt(`Its code called process.exit(${code ?? ''}).`)) exit(code);
  throw new Error('process.exit() ends the attempt.');
};

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const attempt = current.getStore();
    if (attempt) {
      const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
      void send({ type: 'output', conversationId: attempt.conversationId, text });
    }
    return write(chunk, ...rest);
  };
}

/** The whole group, with what the user's code started. On Windows there are no groups. */
const group = process.platform === 'win32' ? process.pid : -process.pid;
process.once('disconnect', () => process.kill(group, 'SIGKILL'));
endWithParent(group);
