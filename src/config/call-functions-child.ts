/**
 * The child process that calls the functions of a configuration written as code. It is a process of its own so that the
 * user's code can neither change nor stop the one that evaluates.
 */
import { stripVTControlCharacters } from 'node:util';
import { Worker } from 'node:worker_threads';
import { getArray, isObject } from '../core/json.ts';
import type { Session } from '../core/session.ts';
import { deepFreeze } from '../metrics/custom/deep-freeze.ts';
import { functionArguments } from '../metrics/custom/function-runner.ts';
import { type ChildReply, type ChildRequest, childRequest } from './function-messages.ts';
import { importDefault } from './import-default.ts';

type CallRequest = Extract<ChildRequest, { type: 'call' }>;

const sessions = new Map<number, Session>();
const modules = new Map<string, Promise<unknown>>();

async function answerCall({ id, session, about, ...call }: CallRequest): Promise<ChildReply> {
  const refused = (reason: string): ChildReply => ({ type: 'refused', id, reason });
  let evaluate: unknown;
  try {
    evaluate = await loadFunction(call);
  } catch (error) {
    return refused(`could not be loaded: ${errorText(error).message.split('\n', 1)[0]}`);
  }
  const known = sessions.get(session);
  if (typeof evaluate !== 'function' || !known) return refused('is not there any more');
  // Once this is out, the time of the call runs: what blocks before it was left running by an earlier call.
  await send({ type: 'started', id });
  try {
    const value: unknown = await evaluate(...functionArguments(known, deepFreeze(about)));
    return { type: 'returned', id, value };
  } catch (error) {
    return { type: 'threw', id, ...errorText(error) };
  }
}

async function loadFunction({ file, index, name }: Pick<CallRequest, 'file' | 'index' | 'name'>): Promise<unknown> {
  const loading = modules.get(file) ?? importDefault(file).then((loaded) => loaded?.value);
  modules.set(file, loading);
  const entry = getArray(await loading, 'custom')?.[index];
  if (!isObject(entry) || entry.name !== name || typeof entry.evaluate !== 'function') return undefined;
  return entry.evaluate.bind(entry);
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
  const answer = await answerCall(call);
  try {
    await send(answer);
  } catch {
    await send({ type: 'refused', id: call.id, reason: 'returned what is no plain data, such as a function' });
  }
}

process.on('message', (message) => {
  const wanted = childRequest.parse(message);
  switch (wanted.type) {
    case 'session':
      sessions.set(wanted.key, deepFreeze(wanted.session));
      break;
    case 'forget':
      sessions.delete(wanted.key);
      break;
    case 'call':
      void sendReply(wanted);
  }
});

// What a call leaves behind that fails later is told, and is no fault of the call that is then under way.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) =>
    process.stderr.write(`turnwise: after a function had answered: ${errorText(error).stack}\n`),
  );
}

process.once('disconnect', () => process.exit());

/** A function that never gives control back would outlive whoever could stop it: a thread looks whether they live. */
const PARENT_WATCHER = `
const { workerData } = require('node:worker_threads');
setInterval(() => {
  try {
    process.kill(workerData, 0);
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}, 1000);
`;
new Worker(PARENT_WATCHER, { eval: true, workerData: process.ppid }).unref();
