import { assertNever } from '../../core/assert-never.ts';
import type { AgentStep, ModelStep, Pointer, RetrievalStep, Step, ToolStep, Turn } from '../../core/session.ts';
import { summarizeCalls } from './call-summary.ts';
import { type PromptExcerpt, toText } from './excerpt.ts';

/** At most so many characters are shown of the passages of a step. */
const MAX_LENGTHS = {
  text: 2000,
  reasoning: 600,
  error: 1000,
  call: 2500,
  result: 6000,
  documents: 6000,
  task: 1000,
  calls: 600,
  answer: 2000,
} as const;

/** The longest name that a note of evidence repeats. */
const MAX_NAME_LENGTH = 60;

/** The passages of one step. */
export interface StepExcerpts {
  readonly excerpts: readonly PromptExcerpt[];
  /** The id of the agent's call. */
  readonly call?: string;
  /** What the agent thought, and nothing of what it did: the first to go where room is short. */
  readonly reasoning?: true;
}

/** Makes a passage of a turn: its name there, and in our own words what it is. */
export type MakeExcerpt = (
  name: string,
  label: string,
  longest: number,
  text: () => string,
  more?: ExcerptOptions,
) => PromptExcerpt;

interface ExcerptOptions {
  /** That of the turn by default. */
  readonly pointer?: Pointer | undefined;
  /** What evidence says that it is; the label by default. */
  readonly note?: string;
  /** The turn of a sub-agent that it stands in. */
  readonly subAgentTurn?: Turn | undefined;
  readonly isSource?: true;
  readonly origin?: () => string;
}

export function stepExcerpts({ steps, output }: Turn, put: MakeExcerpt): readonly StepExcerpts[] {
  const counts = new Map<string, number>();
  const numbered = (kind: string) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}${count}`;
  };
  const answer = steps.findLast((step) => step.type === 'model' && step.text !== undefined && step.text === output);
  const passagesOf = (step: Step): readonly StepExcerpts[] => {
    switch (step.type) {
      case 'model':
        return modelExcerpts(step, step !== answer ? 'said' : step === steps.at(-1) ? 'last' : 'answer', put, numbered);
      case 'tool':
        return [toolExcerpts(step, put, numbered)];
      case 'retrieval':
        return [retrievalExcerpts(step, put, numbered)];
      case 'agent':
        return [subAgentExcerpts(step, put, numbered)];
      default:
        return assertNever(step);
    }
  };
  return steps.flatMap(passagesOf);
}

/** `call` becomes `call1` at first, then `call2`. */
type NextId = (kind: string) => string;

/** @param text `last` is the answer with nothing behind it, which needs no passage here. */
function modelExcerpts(
  { pointer, text = '', reasoning, error, speaker }: ModelStep,
  kind: 'said' | 'answer' | 'last',
  put: MakeExcerpt,
  numbered: NextId,
): StepExcerpts[] {
  const found: StepExcerpts[] = [];
  if (reasoning) {
    const thought = put(numbered('thought'), 'the agent thinks', MAX_LENGTHS.reasoning, () => reasoning, {
      pointer,
      note: 'what the agent thought',
    });
    found.push({ excerpts: [thought], reasoning: true });
  }
  const passages: PromptExcerpt[] = [];
  if (kind === 'answer') {
    const said = put(numbered('text'), 'here the agent gives the answer, shown at the end', 0, () => '', {
      pointer,
      note: 'the answer',
    });
    passages.push(said);
  } else if (kind === 'said' && text !== '') {
    const words = () => (speaker === undefined ? text : `${speaker}: ${text}`);
    const said = put(numbered('text'), 'the agent says', MAX_LENGTHS.text, words, {
      pointer,
      note: 'what the agent said',
    });
    passages.push(said);
  }
  if (error !== undefined) {
    const failed = put(numbered('failure'), 'the call of the model failed', MAX_LENGTHS.error, () => error, {
      pointer,
    });
    passages.push(failed);
  }
  if (passages.length > 0) found.push({ excerpts: passages });
  return found;
}

function toolExcerpts(step: ToolStep, put: MakeExcerpt, numbered: NextId): StepExcerpts {
  const { pointer, resultPointer = pointer, name, outcome, requestedBy } = step;
  const byAgent = requestedBy === 'agent';
  const called = numbered(byAgent ? 'call' : 'user-call');
  const brief = name.slice(0, MAX_NAME_LENGTH);
  const words = () => `${name}(${toText(step.arguments)})`;
  const call = put(called, callLabel(step), MAX_LENGTHS.call, words, {
    pointer,
    note: `the call of ${brief}`,
  });
  const passages = [call];
  if (step.result !== undefined || step.error !== undefined) {
    const label = `${outcome === 'error' ? 'error' : 'result'} of ${call.id}`;
    const result = put(called.replace('call', 'result'), label, MAX_LENGTHS.result, () => resultText(step), {
      pointer: resultPointer,
      note: `what ${brief} came back with`,
      isSource: true,
      origin: words,
    });
    passages.push(result);
  }
  return byAgent ? { excerpts: passages, call: call.id } : { excerpts: passages };
}

function callLabel({ requestedBy, outcome, result, error }: ToolStep): string {
  const label = requestedBy === 'agent' ? 'the agent calls' : 'the user calls';
  if (outcome === 'rejected') return `${label}, and the user refused it`;
  if (outcome === 'missing') return `${label}, and nothing shows that it was executed`;
  if (result !== undefined || error !== undefined) return label;
  return outcome === 'error' ? `${label}, and it failed` : `${label}, and the trace has no result of it`;
}

function resultText({ result, error }: ToolStep): string {
  const text = toText(result);
  const both = error === undefined || text.includes(error) ? text : text === '' ? error : `${error}\n${text}`;
  return both.trim() === '' ? '(empty)' : both;
}

function retrievalExcerpts(
  { pointer, query, documents }: RetrievalStep,
  put: MakeExcerpt,
  numbered: NextId,
): StepExcerpts {
  const text = () =>
    [
      ...(query === undefined ? [] : [`Query: ${query}`]),
      ...documents.map((found, index) => `Document ${index + 1}${found.id ? ` (${found.id})` : ''}: ${found.text}`),
    ].join('\n\n');
  const passage = put(numbered('documents'), 'documents that were found', MAX_LENGTHS.documents, text, {
    pointer,
    isSource: true,
  });
  return { excerpts: [passage] };
}

/** What it was asked to do, what it called, and what it answered. */
function subAgentExcerpts({ pointer, name, turns }: AgentStep, put: MakeExcerpt, numbered: NextId): StepExcerpts {
  const its = numbered('agent');
  const first = turns[0];
  const last = turns.findLast(({ output }) => output !== null);
  const steps = turns.flatMap((turn) => turn.steps);
  const task = () => (first?.input ? `${name}: ${first.input}` : name);
  const passages = [
    put(its, 'the agent hands over to a sub-agent', MAX_LENGTHS.task, task, {
      pointer,
      note: 'the call of the sub-agent',
    }),
  ];
  if (steps.some(({ type }) => type === 'tool' || type === 'agent')) {
    const calls = () => summarizeCalls(steps, MAX_LENGTHS.calls);
    passages.push(
      put(`${its}.calls`, 'all its calls in short', MAX_LENGTHS.calls, calls, { pointer, note: "a sub-agent's calls" }),
    );
  }
  if (last?.output) {
    const { output, outputPointer = last.pointer } = last;
    const answer = put(`${its}.answer`, 'its answer', MAX_LENGTHS.answer, () => output, {
      pointer: outputPointer,
      note: "the sub-agent's answer",
      subAgentTurn: last,
      isSource: true,
      origin: () => name,
    });
    passages.push(answer);
  }
  return { excerpts: passages };
}
