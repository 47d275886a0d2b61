import { asText } from '../../core/json.ts';
import type { Step, ToolStep, Turn } from '../../core/session.ts';
import type { TextField } from '../../core/text-field.ts';

/** Which text of a turn. */
export interface TextAddress {
  /** Zero-based; null for its input and output. */
  readonly step: number | null;
  readonly field: TextField;
  /** The index of the document. */
  readonly item: number;
}

/** A text of a turn. */
export interface TurnText extends TextAddress {
  readonly text: string;
}

/** All texts of a turn in reading order; those of a sub-agent belong to the step that called it. */
export function* turnTexts(turn: Turn): Generator<TurnText> {
  if (turn.input !== null) yield { step: null, field: 'input', item: 0, text: turn.input };
  const answer = answerStepIndex(turn);
  for (const [index, step] of turn.steps.entries()) {
    for (const text of stepTexts(step, index)) {
      if (index !== answer || text.field !== 'text') yield text;
    }
  }
  if (turn.output !== null) yield { step: null, field: 'output', item: 0, text: turn.output };
}

function* stepTexts(step: Step, index: number): Generator<TurnText> {
  if (step.type === 'agent') {
    // A loop, since sub-agents may be nested deeper than the call stack allows.
    const open = step.turns.toReversed();
    for (let turn = open.pop(); turn; turn = open.pop()) {
      for (const inner of turn.steps.toReversed()) if (inner.type === 'agent') open.push(...inner.turns.toReversed());
      for (const { text } of turnTexts({ ...turn, steps: turn.steps.filter(({ type }) => type !== 'agent') })) {
        yield { step: index, field: 'whole', item: 0, text };
      }
    }
    return;
  }
  if (step.type === 'retrieval') {
    if (step.query !== undefined) yield { step: index, field: 'query', item: 0, text: step.query };
    for (const [item, { text }] of step.documents.entries()) yield { step: index, field: 'document', item, text };
    return;
  }
  for (const field of step.type === 'model' ? MODEL_FIELDS : TOOL_FIELDS) {
    const text = stepText(step, field);
    if (text !== null) yield { step: index, field, item: 0, text };
  }
}

const MODEL_FIELDS = ['reasoning', 'text', 'error'] as const;
const TOOL_FIELDS = ['arguments', 'result', 'error'] as const;

/** Null where the turn has no such text. */
export function textAt(turn: Turn, { step, field, item }: TextAddress): string | null {
  if (step === null) return field === 'input' ? turn.input : field === 'output' ? turn.output : null;
  const target = turn.steps[step];
  return target ? stepText(target, field, item) : null;
}

export function stepText(step: Step, field: TextField, item = 0): string | null {
  switch (step.type) {
    case 'model':
      return field === 'text' || field === 'reasoning' || field === 'error' ? (step[field] ?? null) : null;
    case 'tool':
      if (field === 'arguments') return argumentsText(step.arguments);
      if (field === 'result') return resultWithoutError(step);
      return field === 'error' ? (step.error ?? null) : null;
    case 'retrieval':
      if (field === 'query') return step.query ?? null;
      return field === 'document' ? (step.documents[item]?.text ?? null) : null;
    case 'agent':
      return null;
  }
}

/** The result of a call, unless it is the error, which is shown already. */
function resultWithoutError({ result, error }: ToolStep): string | null {
  if (result === undefined) return null;
  const text = resultText(result);
  return text === error ? null : text;
}

/** The text in which a call's result is shown. */
export function resultField(step: ToolStep): TextField {
  if (step.error === undefined) return 'result';
  return resultWithoutError(step) === null ? 'error' : 'result';
}

/**
 * The index of the step that is the turn's answer, which is shown once, at the end of the turn; -1 where there is
 * none.
 */
export function answerStepIndex({ output, steps }: Turn): number {
  if (output === null) return -1;
  return steps.findLastIndex((step) => step.type === 'model' && step.text === output);
}

/** The arguments of a call: `amount: 425, order_id: "A-1001"`. */
export function argumentsText(args: Readonly<Record<string, unknown>> | string): string {
  if (typeof args === 'string') return args;
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(', ');
}

/** A value of an argument as JSON. */
export function valueText(value: unknown): string {
  return tooDeepOr(() => JSON.stringify(value) ?? '');
}

/** The result of a call: text as it is, anything else as JSON. */
export function resultText(value: unknown): string {
  return tooDeepOr(() => asText(value));
}

function tooDeepOr(write: () => string): string {
  try {
    return write();
  } catch {
    return '(nested deeper than can be shown)';
  }
}
