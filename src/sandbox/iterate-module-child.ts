/** The child process that iterates over something in a user's module, one value for each request. */
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod/mini';
import { errorMessage } from '../core/error-message.ts';
import { valueAt } from './arguments.ts';
import { importDefault } from './import-default.ts';
import type { IterationReply } from './iterate-module.ts';
import { toAsyncIterator } from './iterator.ts';

const [file = '', json = '[]'] = process.argv.slice(2);
const path = z.array(z.union([z.string(), z.int()])).parse(JSON.parse(json));

let opening: Promise<AsyncIterator<unknown>> | undefined;

async function open(): Promise<AsyncIterator<unknown>> {
  const loaded = await importDefault(file);
  return toAsyncIterator(valueAt(loaded?.value, path), valueAt(loaded?.value, path.slice(0, -1)));
}

async function next(): Promise<IterationReply> {
  try {
    opening ??= open();
    const result = await (await opening).next();
    if (result.done) return { kind: 'done' };
    const text = JSON.stringify(result.value);
    if (text === undefined) throw new Error(`It yielded ${typeof result.value}, which JSON does not have.`);
    return { kind: 'value', json: text };
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    return {
      kind: 'threw',
      message: stripVTControlCharacters(errorMessage(error)),
      stack: stripVTControlCharacters(stack),
    };
  }
}

process.on('message', async () => {
  const reply = await next();
  process.send?.(reply, () => {});
});
process.once('disconnect', () => process.exit());
