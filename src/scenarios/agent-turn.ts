import { raceAbort } from '../core/async/race-abort.ts';
import { errorMessage } from '../core/error-message.ts';
import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { ModelStep, ToolStep } from '../core/session.ts';
import type { Agent, AgentReply } from './agents/agent.ts';
import {
  type AgentChatMessage,
  type AgentToolCall,
  type AttemptCode,
  AttemptInterrupted,
  type ToolAnswer,
} from './scenario-process.ts';

/** A step as the session file has it: where it was read from is known only when it is read. */
export type RecordedStep = Omit<ModelStep, 'pointer'> | RecordedToolStep;

type RecordedToolStep = Omit<ToolStep, 'pointer' | 'resultPointer' | 'requestedBy' | 'outcome'> & {
  readonly outcome?: ToolStep['outcome'];
};

/** Requests in one turn: an agent that calls tools more often does not come to an end. */
const MAX_ROUNDS = 50;

export interface TurnParts {
  readonly agent: Agent;
  readonly code: AttemptCode;
  /** What the agent gets for a call of a tool that the scenario does not mock. */
  readonly unmockedTools: 'error' | 'passthrough';
  readonly now: () => number;
}

/** Why an attempt did not finish. */
export interface AttemptFailure {
  /** `agent-error`: what the agent did ended it. `error`: anything else, which says nothing of the agent. */
  readonly cause: 'error' | 'agent-error';
  /** A sentence. */
  readonly reason: string;
  /** Another attempt ended the process of this one, or may have: it is to be made again. */
  readonly isInterrupted?: true;
}

/** What an error that stopped an attempt says about it. */
export function failureOf(error: unknown, signal: AbortSignal): AttemptFailure {
  if (signal.aborted) return STOPPED;
  const failure: AttemptFailure = { cause: 'error', reason: errorMessage(error) };
  return error instanceof AttemptInterrupted ? { ...failure, isInterrupted: true } : failure;
}

export interface AgentTurn {
  readonly steps: readonly RecordedStep[];
  /** The last text of the agent. */
  readonly output: string | null;
  /** Why the turn did not finish. */
  readonly failure: AttemptFailure | null;
  /** The conversation with what this turn added. */
  readonly messages: readonly AgentChatMessage[];
}

/**
 * Has the agent answer one message of the user: asks it, answers the tools that it calls, and asks again, until it calls none.
 * What was done before a failure is kept.
 */
export async function runAgentTurn(
  before: readonly AgentChatMessage[],
  turnIndex: number,
  { agent, code, unmockedTools, now }: TurnParts,
  signal: AbortSignal,
): Promise<AgentTurn> {
  const messages = [...before];
  const steps: RecordedStep[] = [];
  let output: string | null = null;
  const end = (failure: AttemptFailure | null): AgentTurn => ({ steps, output, failure, messages });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const startedAt = now();
    let reply: AgentReply;
    try {
      reply = await agent.ask({ messages, turnIndex, round }, signal);
    } catch (error) {
      return end(failureOf(error, signal));
    }
    const times = { startedAt: isoTime(startedAt), endedAt: isoTime(now()) };
    steps.push(...reply.calls.map((call) => toolStep(call)));
    if (reply.type === 'failed') {
      steps.push({ type: 'model', error: reply.reason, ...times });
      return end({ cause: 'error', reason: reply.reason });
    }
    const { message, model, usage, finishReason, continues } = reply;
    const text = message.content ?? '';
    steps.push({
      type: 'model',
      ...(text === '' ? {} : { text }),
      ...(model === undefined ? {} : { model }),
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(usage === undefined ? {} : { usage }),
      ...times,
    });
    if (text !== '') output = text;
    messages.push(message);
    const { tool_calls: calls = [] } = message;
    if (calls.length === 0 && !continues) return end(null);
    for (const call of calls) {
      const startedAt = now();
      try {
        const answered = await raceAbort(answerCall(call, turnIndex, { agent, code, unmockedTools, now }), signal);
        if (answered === null) return end(STOPPED);
        steps.push(answered.step);
        messages.push({ role: 'tool', tool_call_id: call.id, content: answered.content });
      } catch (error) {
        const failure = failureOf(error, signal);
        steps.push(unansweredStep(call, failure.reason, { startedAt, endedAt: now() }));
        return end(failure);
      }
    }
  }
  const reason = `The agent "${agent.name}" called tools in ${MAX_ROUNDS} messages of one turn without an answer.`;
  return end({ cause: 'agent-error', reason });
}

/** Of an attempt that was cancelled. */
export const STOPPED: AttemptFailure = { cause: 'error', reason: 'The run was stopped.' };

async function answerCall(
  { id, function: { name, arguments: raw } }: AgentToolCall,
  turnIndex: number,
  { agent, code, unmockedTools, now }: TurnParts,
): Promise<{ readonly step: RecordedToolStep; readonly content: string }> {
  const startedAt = now();
  const args = raw.trim() === '' ? {} : parseJson(raw);
  const answer: ToolAnswer = isObject(args)
    ? await code.resolveTool(name, args, { turnIndex })
    : { type: 'error', message: `The arguments of ${name} are not a JSON object.` };
  const recorded = answer.type === 'unmocked' ? agent.recordedAnswer?.({ turnIndex, name, arguments: raw }) : undefined;
  const given = recorded ?? answer;
  const step = toolStep({ name, args: isObject(args) ? args : raw, answer: given, startedAt, endedAt: now() }, id);
  if (given.type === 'result') return { step, content: JSON.stringify(given.value ?? null) };
  if (given.type === 'error') return { step, content: JSON.stringify({ error: given.message }) };
  if (unmockedTools === 'error' && !recorded)
    return { step, content: JSON.stringify({ error: unmockedMessage(name) }) };
  return { step: { ...step, error: undefined, outcome: 'missing' }, content: 'null' };
}

interface AnsweredCall {
  readonly name: string;
  /** The text where it is no JSON object. */
  readonly args: JsonObject | string;
  readonly answer: ToolAnswer;
  readonly startedAt: number;
  readonly endedAt: number;
}

function toolStep({ name, args, answer, startedAt, endedAt }: AnsweredCall, id?: string): RecordedToolStep {
  return {
    type: 'tool',
    ...(id === undefined ? {} : { id }),
    name,
    arguments: args,
    ...(answer.type === 'result'
      ? { result: answer.value ?? null }
      : { error: answer.type === 'error' ? answer.message : unmockedMessage(name) }),
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
  };
}

/** The call that a failure of the scenario's code left without an answer. */
function unansweredStep(
  { id, function: { name, arguments: raw } }: AgentToolCall,
  message: string,
  times: Pick<AnsweredCall, 'startedAt' | 'endedAt'>,
): RecordedStep {
  const args = parseJson(raw);
  return toolStep({ name, args: isObject(args) ? args : raw, answer: { type: 'error', message }, ...times }, id);
}

function unmockedMessage(name: string): string {
  return `The scenario has no tool "${name}": add it to mocks.tools.`;
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
