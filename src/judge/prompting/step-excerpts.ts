import { assertNever } from '../../core/assert-never.ts';
import type { AgentStep, ModelStep, Pointer, RetrievalStep, Step, ToolStep, Turn } from '../../core/session.ts';
import { summarizeCalls } from './call-summary.ts';
import { type PromptExcerpt, toText } from './excerpt.ts';

/** In characters. */
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

/** Of a name in the note of evidence. */
const MAX_NAME_LENGTH = 60;

/** The excerpts of one step. */
export interface StepExcerpts {
  readonly excerpts: readonly PromptExcerpt[];
  /** The id of the agent's call. */
  readonly call?: string;
  /** Reasoning only, no action: omitted first if there is not enough room. */
  readonly reasoning?: true;
}

/** Creates an excerpt of a turn. @param name in its id. @param label see `PromptExcerpt.label`. */
export type MakeExcerpt = (
  name: string,
  label: string,
  maxLength: number,
  text: () => string,
  options?: ExcerptOptions,
) => PromptExcerpt;

interface ExcerptOptions {
  /** By default that of the turn. */
  readonly pointer?: Pointer | undefined;
  /** Of its evidence; by default the label. */
  readonly note?: string;
  /** The turn of a sub-agent that contains it. */
  readonly subAgentTurn?: Turn | undefined;
  readonly isSource?: true;
  readonly origin?: () => string;
}

export function stepExcerpts({ steps, output }: Turn, makeExcerpt: MakeExcerpt): readonly StepExcerpts[] {
  const counts = new Map<string, number>();
  const nextId = (kind: string) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}${count}`;
  };
  const answer = steps.findLast((step) => step.type === 'model' && step.text !== undefined && step.text === output);
  const excerptsOf = (step: Step): readonly StepExcerpts[] => {
    switch (step.type) {
      case 'model':
        return modelExcerpts(
          step,
          step !== answer ? 'said' : step === steps.at(-1) ? 'last' : 'answer',
          makeExcerpt,
          nextId,
        );
      case 'tool':
        return [toolExcerpts(step, makeExcerpt, nextId)];
      case 'retrieval':
        return [retrievalExcerpts(step, makeExcerpt, nextId)];
      case 'agent':
        return [subAgentExcerpts(step, makeExcerpt, nextId)];
      default:
        return assertNever(step);
    }
  };
  return steps.flatMap(excerptsOf);
}

/** Numbers ids of a kind: `call1`, `call2`. */
type NextId = (kind: string) => string;

/** @param kind `last` is an answer without later steps, which needs no excerpt here. */
function modelExcerpts(
  { pointer, text = '', reasoning, error, speaker }: ModelStep,
  kind: 'said' | 'answer' | 'last',
  makeExcerpt: MakeExcerpt,
  nextId: NextId,
): StepExcerpts[] {
  const stepExcerpts: StepExcerpts[] = [];
  if (reasoning) {
    const reasoningExcerpt = makeExcerpt(
      nextId('thought'),
      'the agent thinks',
      MAX_LENGTHS.reasoning,
      () => reasoning,
      {
        pointer,
        note: 'reasoning of the agent',
      },
    );
    stepExcerpts.push({ excerpts: [reasoningExcerpt], reasoning: true });
  }
  const excerpts: PromptExcerpt[] = [];
  if (kind === 'answer') {
    const textExcerpt = makeExcerpt(nextId('text'), 'here the agent gives the answer, shown at the end', 0, () => '', {
      pointer,
      note: 'the answer',
    });
    excerpts.push(textExcerpt);
  } else if (kind === 'said' && text !== '') {
    const spokenText = () => (speaker === undefined ? text : `${speaker}: ${text}`);
    const textExcerpt = makeExcerpt(nextId('text'), 'the agent says', MAX_LENGTHS.text, spokenText, {
      pointer,
      note: 'text of the agent',
    });
    excerpts.push(textExcerpt);
  }
  if (error !== undefined) {
    const errorExcerpt = makeExcerpt(
      nextId('failure'),
      'the call of the model failed',
      MAX_LENGTHS.error,
      () => error,
      {
        pointer,
      },
    );
    excerpts.push(errorExcerpt);
  }
  if (excerpts.length > 0) stepExcerpts.push({ excerpts });
  return stepExcerpts;
}

function toolExcerpts(step: ToolStep, makeExcerpt: MakeExcerpt, nextId: NextId): StepExcerpts {
  const { pointer, resultPointer = pointer, name, outcome, requestedBy } = step;
  const byAgent = requestedBy === 'agent';
  const callId = nextId(byAgent ? 'call' : 'user-call');
  const shortName = name.slice(0, MAX_NAME_LENGTH);
  const callText = () => `${name}(${toText(step.arguments)})`;
  const call = makeExcerpt(callId, callLabel(step), MAX_LENGTHS.call, callText, {
    pointer,
    note: `the call of ${shortName}`,
  });
  const excerpts = [call];
  if (step.result !== undefined || step.error !== undefined) {
    const label = `${outcome === 'error' ? 'error' : 'result'} of ${call.id}`;
    const result = makeExcerpt(callId.replace('call', 'result'), label, MAX_LENGTHS.result, () => resultText(step), {
      pointer: resultPointer,
      note: `the result of ${shortName}`,
      isSource: true,
      origin: callText,
    });
    excerpts.push(result);
  }
  return byAgent ? { excerpts, call: call.id } : { excerpts };
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
  const full = error === undefined || text.includes(error) ? text : text === '' ? error : `${error}\n${text}`;
  return full.trim() === '' ? '(empty)' : full;
}

function retrievalExcerpts(
  { pointer, query, documents }: RetrievalStep,
  makeExcerpt: MakeExcerpt,
  nextId: NextId,
): StepExcerpts {
  const text = () =>
    [
      ...(query === undefined ? [] : [`Query: ${query}`]),
      ...documents.map(
        (document, index) => `Document ${index + 1}${document.id ? ` (${document.id})` : ''}: ${document.text}`,
      ),
    ].join('\n\n');
  const excerpt = makeExcerpt(nextId('documents'), 'documents that were found', MAX_LENGTHS.documents, text, {
    pointer,
    isSource: true,
  });
  return { excerpts: [excerpt] };
}

/** Its task, its calls and its answer. */
function subAgentExcerpts({ pointer, name, turns }: AgentStep, makeExcerpt: MakeExcerpt, nextId: NextId): StepExcerpts {
  const id = nextId('agent');
  const first = turns[0];
  const last = turns.findLast(({ output }) => output !== null);
  const steps = turns.flatMap((turn) => turn.steps);
  const task = () => (first?.input ? `${name}: ${first.input}` : name);
  const excerpts = [
    makeExcerpt(id, 'the agent hands over to a sub-agent', MAX_LENGTHS.task, task, {
      pointer,
      note: 'the call of the sub-agent',
    }),
  ];
  if (steps.some(({ type }) => type === 'tool' || type === 'agent')) {
    const calls = () => summarizeCalls(steps, MAX_LENGTHS.calls);
    excerpts.push(
      makeExcerpt(`${id}.calls`, 'all its calls in short', MAX_LENGTHS.calls, calls, {
        pointer,
        note: "a sub-agent's calls",
      }),
    );
  }
  if (last?.output) {
    const { output, outputPointer = last.pointer } = last;
    const answer = makeExcerpt(`${id}.answer`, 'its answer', MAX_LENGTHS.answer, () => output, {
      pointer: outputPointer,
      note: "the sub-agent's answer",
      subAgentTurn: last,
      isSource: true,
      origin: () => name,
    });
    excerpts.push(answer);
  }
  return { excerpts };
}
