import { get, getNumber, getObject, getString, isObject } from '../../../core/json.ts';
import type { Pointer, ToolOutcome } from '../../../core/session.ts';
import { joinTexts, type LocatedText, type RequestedCall, type ResultMessage } from './conversation.ts';

/** The results of calls among the items of OpenAI's Responses API. */

/** Reads the outcome of a call from its output; undefined to have the content checked. */
export type OutcomeReader = (text: string) => Exclude<ToolOutcome, 'missing'> | undefined;

/** The id that a call and its output share. */
export function idOf(item: unknown): string | undefined {
  return getString(item, 'call_id') ?? getString(item, 'callId') ?? getString(item, 'id');
}

/** A text: a string, a part with a text, or the text parts of a list. */
export function textIn(content: unknown, pointer: Pointer): LocatedText | null {
  if (typeof content === 'string') return { text: content, pointer };
  if (!Array.isArray(content)) return partIn(content, pointer);
  return joinTexts(
    content.flatMap((part, index) => partIn(part, `${pointer}/${index}`) ?? []),
    pointer,
  );
}

function partIn(part: unknown, pointer: Pointer): LocatedText | null {
  if (typeof part === 'string') return { text: part, pointer };
  for (const key of ['text', 'refusal', 'transcript'] as const) {
    const text = getString(part, key);
    if (text !== undefined) return { text, pointer: `${pointer}/${key}` };
  }
  return null;
}

/** The result of a provider's tool, which is part of the call item; undefined if it is not finished. */
export function hostedResult(item: unknown, { pointer, id, name }: RequestedCall): ResultMessage | undefined {
  const status = getString(item, 'status');
  const failure = get(item, 'error') ?? undefined;
  const key = ['results', 'outputs', 'output', 'result'].find((name) => (get(item, name) ?? null) !== null);
  const result = { role: 'result', pointer, call: id, name } as const;
  if (failure !== undefined || status === 'failed') {
    const valuePointer = failure === undefined ? pointer : `${pointer}/error`;
    return { ...result, value: failure, valuePointer, outcome: 'error' };
  }
  if (key !== undefined) {
    return { ...result, value: get(item, key), valuePointer: `${pointer}/${key}`, outcome: 'ok' };
  }
  if (status !== 'completed') return undefined;
  return { ...result, value: undefined, valuePointer: `${pointer}/status`, outcome: 'ok' };
}

/** The result of a program's tool; undefined if the provider ran the call, since its item contains the result. */
export function resultOf(item: unknown, pointer: Pointer, verdict: OutcomeReader): ResultMessage | undefined {
  const isSearch = get(item, 'type') === 'tool_search_output';
  const call = isSearch ? getString(item, 'call_id') : idOf(item);
  if (isSearch && call === undefined) return undefined;
  const key = isSearch ? 'tools' : 'output';
  const output = get(item, key) ?? undefined;
  const itemPointer = output === undefined ? pointer : `${pointer}/${key}`;
  // Codex wraps its outputs: {content, success}.
  const wrapped = isObject(output) && typeof get(output, 'content') === 'string';
  const text = wrapped ? textIn(get(output, 'content'), `${itemPointer}/content`) : textIn(output, itemPointer);
  return {
    role: 'result',
    pointer,
    call,
    name: getString(item, 'name'),
    value: text?.text ?? output,
    valuePointer: text?.pointer ?? itemPointer,
    outcome: flaggedOutcome(item, output) ?? (text ? verdict(text.text) : undefined),
  };
}

/** The outcome by a status, a flag or an exit code. */
function flaggedOutcome(item: unknown, output: unknown): ResultMessage['outcome'] {
  if (get(item, 'status') === 'failed' || get(output, 'success') === false) return 'error';
  const failed = (Array.isArray(output) ? output : []).some((part) => {
    const outcome = getObject(part, 'outcome');
    return get(outcome, 'type') === 'timeout' || (getNumber(outcome, 'exit_code') ?? 0) !== 0;
  });
  return failed ? 'error' : undefined;
}

/** The outcome by the sentences that the Agents SDK sends to the model instead of a result. */
export function readSdkOutcome(text: string): ReturnType<OutcomeReader> {
  if (/^Tool execution was not approved/.test(text)) return 'rejected';
  return /^An error occurred while (?:running the tool|parsing tool arguments)/.test(text) ? 'error' : undefined;
}

/** The rejection of a call by a person. */
export function approvalRefusal(item: unknown, pointer: Pointer): ResultMessage | undefined {
  if (get(item, 'approve') !== false) return undefined;
  const value = getString(item, 'reason');
  const valuePointer = value === undefined ? pointer : `${pointer}/reason`;
  return {
    role: 'result',
    pointer,
    call: getString(item, 'approval_request_id'),
    value,
    valuePointer,
    outcome: 'rejected',
  };
}
