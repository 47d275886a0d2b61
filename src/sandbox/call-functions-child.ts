/**
 * The child process that calls a user's functions. It is a separate process so that the user's code can neither change
 * nor stop the one that evaluates.
 */
import { stripVTControlCharacters } from 'node:util';
import { completeArguments, deepFreeze, valueAt } from './arguments.ts';
import { createFunctionJudge, type FunctionAnswer, type FunctionJudge } from './function-judge.ts';
import { type ChildReply, type ChildRequest, childRequest } from './function-messages.ts';
import { importDefault } from './import-default.ts';
import { endWithParent } from './parent-watcher.ts';

type CallRequest = Extract<ChildRequest, { type: 'call' }>;

const sharedValues = new Map<number, object>();
const modules = new Map<string, Promise<unknown>>();

async function answerCall({ id, args, shared, judge, ...call }: CallRequest): Promise<ChildReply> {
  let fn: unknown;
  try {
    fn = await loadFunction(call);
  } catch (error) {
    return { type: 'refused', id, reason: `could not be loaded: ${errorText(error).message.split('\n', 1)[0]}` };
  }
  const values = shared.flatMap(({ key, ...paths }) => {
    const value = sharedValues.get(key);
    return value ? [{ ...paths, value }] : [];
  });
  if (typeof fn !== 'function' || values.length < shared.length) {
    return { type: 'refused', id, reason: 'no longer exists' };
  }
  // The call's time limit begins when this is sent: whatever blocks before it was left running by an earlier call.
  await send({ type: 'started', id });
  try {
    const functions = judge ? [{ value: { judge: judgeOf(id) }, from: ['judge'], to: judge }] : [];
    const value: unknown = await fn(...completeArguments(args, [...values, ...functions]));
    return { type: 'returned', id, value };
  } catch (error) {
    return { type: 'threw', id, ...errorText(error) };
  }
}

const openQuestions = new Map<number, (answer: FunctionAnswer) => void>();
let nextQuestion = 0;

/** Asks the process that evaluates, for a call. */
function judgeOf(id: number): FunctionJudge {
  return createFunctionJudge((ask) => {
    const { promise, resolve } = Promise.withResolvers<FunctionAnswer>();
    const question = nextQuestion++;
    openQuestions.set(question, resolve);
    process.send?.({ type: 'ask', id, question, ask } satisfies ChildReply, () => {});
    return promise.finally(() => openQuestions.delete(question));
  });
}

async function loadFunction({
  file,
  path,
  ownerName,
}: Pick<CallRequest, 'file' | 'path' | 'ownerName'>): Promise<unknown> {
  const loading = modules.get(file) ?? importDefault(file).then((loaded) => loaded?.value);
  modules.set(file, loading);
  const module = await loading;
  const owner = valueAt(module, path.slice(0, -1));
  const fn = valueAt(module, path);
  if (typeof fn !== 'function' || (ownerName !== null && valueAt(owner, ['name']) !== ownerName)) return undefined;
  return fn.bind(owner);
}

function errorText(error: unknown): { message: string; stack: string } {
  const { message, stack = '' } = error instanceof Error ? error : { message: String(error) };
  return { message: stripVTControlCharacters(message), stack: stripVTControlCharacters(stack) };
}

function send(message: ChildReply): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}

async function sendReply(call: CallRequest): Promise<void> {
  const reply = await answerCall(call);
  try {
    await send(reply);
  } catch {
    await send({
      type: 'refused',
      id: call.id,
      reason: 'returned something that is not plain data, such as a function',
    });
  }
}

process.on('message', (message) => {
  const request = childRequest.parse(message);
  switch (request.type) {
    case 'share':
      sharedValues.set(request.key, deepFreeze(request.value));
      break;
    case 'forget':
      sharedValues.delete(request.key);
      break;
    case 'answer':
      openQuestions.get(request.question)?.(request.answer);
      break;
    case 'call':
      void sendReply(request);
  }
});

// Work that a call leaves behind may fail later; that is reported, and does not count against the call under way.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) =>
    process.stderr.write(`turnwise: error after a function had returned: ${errorText(error).stack}\n`),
  );
}

process.once('disconnect', () => process.exit());

endWithParent();
