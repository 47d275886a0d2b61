import {
  get,
  getArray,
  getNumber,
  getObject,
  getString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../core/json.ts';

interface MergedCall {
  id: string | undefined;
  name: string;
  args: string;
}

/**
 * Merges the chunks of a streamed chat completion into one as it is answered without a stream.
 *
 * @returns what is wrong instead, as the end of a sentence about the server.
 */
export function mergeEvents(text: string): JsonObject | string {
  let content: string | null = null;
  let finishReason: string | undefined;
  let isDone = false;
  let hasDelta = false;
  let model: string | undefined;
  let usage: unknown;
  const calls = new Map<number, MergedCall>();
  let number = 0;
  for (const data of eventData(text)) {
    if (data.trim() === '[DONE]') {
      isDone = true;
      break;
    }
    number += 1;
    const chunk = parseJson(data);
    if (!isObject(chunk)) return `sent a stream whose chunk ${number} is not a JSON object.`;
    const failure = get(chunk, 'error');
    if (failure !== undefined && failure !== null) {
      const message = getString(failure, 'message') ?? (typeof failure === 'string' ? failure : '');
      return `ended its stream with an error${message === '' ? '.' : `: ${message.slice(0, 300)}`}`;
    }
    model ??= getString(chunk, 'model');
    usage = get(chunk, 'usage') ?? usage;
    const choice = getArray(chunk, 'choices')?.[0];
    const delta = getObject(choice, 'delta');
    finishReason = getString(choice, 'finish_reason') ?? finishReason;
    if (!delta) continue;
    hasDelta = true;
    const part = getString(delta, 'content');
    if (part !== undefined) content = (content ?? '') + part;
    for (const [position, call] of (getArray(delta, 'tool_calls') ?? []).entries()) {
      addCallPart(calls, getNumber(call, 'index') ?? position, call);
    }
  }
  if (!hasDelta) return 'sent a stream without an answer.';
  if (!isDone && finishReason === undefined) return 'ended its stream in the middle of an answer.';
  const toolCalls = Array.from(calls.values(), ({ id, name, args }) => ({ id, function: { name, arguments: args } }));
  const message = { content, ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }) };
  return { choices: [{ message, finish_reason: finishReason }], model, usage };
}

function addCallPart(calls: Map<number, MergedCall>, index: number, part: unknown): void {
  const call = calls.get(index) ?? { id: undefined, name: '', args: '' };
  const fn = get(part, 'function');
  call.id ??= getString(part, 'id');
  call.name += getString(fn, 'name') ?? '';
  call.args += getString(fn, 'arguments') ?? '';
  calls.set(index, call);
}

/** The data of each event. An event ends with an empty line, and its lines of data are joined. */
function* eventData(text: string): Generator<string> {
  let data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }
  if (data.length > 0) yield data.join('\n');
}
