import { get, getString, parseJson } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly } from '../../records.ts';
import { argumentsOf, firstPresent } from '../../values.ts';
import type { LocatedText, Message, RequestedCall } from './conversation.ts';

/** The turns of ShareGPT, `{from, value}`, a format for fine-tuning data. */

type ShareGptRole = 'system' | 'user' | 'agent' | 'call' | 'result';

const SHAREGPT_ROLES: ReadonlyMap<unknown, ShareGptRole> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['user', 'user'],
  ['gpt', 'agent'],
  ['chatgpt', 'agent'],
  ['assistant', 'agent'],
  ['model', 'agent'],
  ['bing', 'agent'],
  ['bard', 'agent'],
  ['function_call', 'call'],
  ['tool_call', 'call'],
  ['observation', 'result'],
  ['tool', 'result'],
  ['function_response', 'result'],
  ['tool_response', 'result'],
]);

/** Whether a list is in this dialect. */
export function isShareGpt(messages: readonly unknown[]): boolean {
  return mostly(
    messages,
    (message) => SHAREGPT_ROLES.has(get(message, 'from')) && typeof get(message, 'value') === 'string',
  );
}

/** The messages of a list; `pointer` is that of the list. */
export function* shareGptMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const value = getString(message, 'value');
    const kind = SHAREGPT_ROLES.get(get(message, 'from'));
    if (kind === undefined || value === undefined) {
      problems.warn('not-a-message', itemPointer, 'Entry skipped: expected {from, value} with a known speaker.');
      continue;
    }
    const content: LocatedText = { text: value, pointer: `${itemPointer}/value` };
    switch (kind) {
      case 'system':
        yield { role: 'system', pointer: itemPointer, content };
        break;
      case 'user':
        yield { role: 'user', pointer: itemPointer, content };
        break;
      case 'agent':
        yield agentMessage(content, itemPointer, problems);
        break;
      case 'call': {
        const calls = callsOf(value, content.pointer, problems);
        yield { role: 'agent', pointer: itemPointer, content: null, calls };
        break;
      }
      case 'result':
        yield* resultsOf(content, itemPointer);
        break;
    }
  }
}

function agentMessage({ text, pointer }: LocatedText, itemPointer: Pointer, problems: Problems): Message {
  const { inside, outside } = splitTags(text, 'tool_call');
  if (inside.length === 0) return { role: 'agent', pointer: itemPointer, content: { text, pointer }, calls: [] };
  const calls = inside.flatMap((call) => callsOf(call, pointer, problems));
  const prose = outside.trim();
  return { role: 'agent', pointer: itemPointer, content: prose === '' ? null : { text: prose, pointer }, calls };
}

/**
 * Hermes writes calls into a model's text and results into a tool's text. Splits a text into the content of such tags
 * and the rest.
 */
function splitTags(text: string, tag: string): { readonly inside: readonly string[]; readonly outside: string } {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const inside: string[] = [];
  let outside = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start);
    if (end < 0) return { inside, outside: outside + text.slice(from) };
    inside.push(text.slice(start + open.length, end).trim());
    outside += text.slice(from, start);
    from = end + close.length;
  }
}

/** Parses `{name, arguments}` as JSON, or a list of these. */
function callsOf(text: string, pointer: Pointer, problems: Problems): RequestedCall[] {
  const parsed = parseJson(text);
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((call) => {
    const name = getString(call, 'name');
    if (name) return { pointer, name, arguments: argumentsOf(firstPresent(call, 'arguments', 'parameters')) };
    problems.warn('call-without-name', pointer, 'Tool call skipped: expected JSON with the `name` of a tool.');
    return [];
  });
}

function* resultsOf({ text, pointer }: LocatedText, itemPointer: Pointer): Generator<Message, void> {
  const { inside } = splitTags(text, 'tool_response');
  if (inside.length === 0) yield { role: 'result', pointer: itemPointer, value: text, valuePointer: pointer };
  for (const response of inside) {
    const parsed = parseJson(response);
    const value = get(parsed, 'content') ?? response;
    yield { role: 'result', pointer: itemPointer, name: getString(parsed, 'name'), value, valuePointer: pointer };
  }
}
