import { canonicalJson } from '../../core/json.ts';
import type { Session, Step, Turn } from '../../core/session.ts';
import { alignInOrder } from '../../metrics/shared/sequences.ts';
import { answerStepIndex, resultText, turnTexts } from './turn-texts.ts';

/** What a session consists of when it is laid beside another one: messages and steps, in reading order. */
export interface TranscriptPart {
  readonly type: 'user' | Step['type'] | 'answer';
  /** Zero-based. */
  readonly turn: number;
  /** Zero-based index in its turn; null for messages of the user and answers. */
  readonly step: number | null;
}

/**
 * How two parts differ. `reworded`: a message in other words. `arguments`: the same tool with other arguments. `result`: the
 * same call with another outcome or result. `left` and `right`: only that session has it.
 */
export type PartChange = 'same' | 'reworded' | 'arguments' | 'result' | 'left' | 'right';

export interface AlignedPart {
  readonly change: PartChange;
  readonly left: TranscriptPart | null;
  readonly right: TranscriptPart | null;
}

export interface AlignedSessions {
  readonly parts: readonly AlignedPart[];
  /**
   * The index of the first part that differs in what was done; where only words differ, of the first of those; null where
   * nothing differs.
   */
  readonly divergence: number | null;
  /** Parts that differ in what was done, and those that differ in words alone. */
  readonly actions: number;
  readonly wordings: number;
}

/** A part with what it is compared by: equal numbers stand for equal texts. */
interface ComparedPart extends TranscriptPart {
  /** Only parts of the same group are laid beside each other. */
  readonly group: number;
  readonly content: number;
  readonly result: number;
}

/** How well two parts fit: the alignment has the greatest sum. Messages of users hold turns together. */
const EQUAL = 4;
const SAME_CALL = 3;
const SAME_SPEAKER = 2;
const SAME_TOOL = 1;

/** Aligns two sessions by the weighted edit distance over their messages and steps; sub-agents count as one step. */
export function alignSteps(left: Session, right: Session): AlignedSessions {
  const numbers = new Map<string, number>();
  const [a, b] = [comparedParts(left, numbers), comparedParts(right, numbers)];
  const weight = (i: number, j: number): number => {
    const [one, other] = [a[i], b[j]];
    if (!one || !other || one.group !== other.group) return 0;
    if (one.content === other.content) return one.result === other.result ? EQUAL : SAME_CALL;
    return one.type === 'user' || one.type === 'answer' ? SAME_SPEAKER : SAME_TOOL;
  };
  const parts: AlignedPart[] = [];
  let [i, j] = [0, 0];
  for (const [nextLeft, nextRight] of [...alignInOrder(a.length, b.length, weight, EQUAL), [a.length, b.length]]) {
    for (; i < nextLeft; i += 1) parts.push({ change: 'left', left: partOf(a[i]), right: null });
    for (; j < nextRight; j += 1) parts.push({ change: 'right', left: null, right: partOf(b[j]) });
    const [one, other] = [a[i], b[j]];
    if (!one || !other) break;
    parts.push({ change: changeOf(one, other), left: partOf(one), right: partOf(other) });
    i += 1;
    j += 1;
  }
  const actions = parts.filter(isActionChange).length;
  const changed = parts.findIndex(actions > 0 ? isActionChange : ({ change }) => change !== 'same');
  return {
    parts,
    divergence: changed < 0 ? null : changed,
    actions,
    wordings: parts.filter(({ change }) => change !== 'same').length - actions,
  };
}

function changeOf(one: ComparedPart, other: ComparedPart): PartChange {
  if (one.content !== other.content) return isMessage(one) ? 'reworded' : 'arguments';
  return one.result === other.result ? 'same' : 'result';
}

/** Whether it differs in what was done: a message that only one of them has, except between steps, ends or begins a turn. */
function isActionChange({ change, left, right }: AlignedPart): boolean {
  if (change === 'same' || change === 'reworded') return false;
  return (left ?? right)?.type !== 'model';
}

function isMessage({ type }: TranscriptPart): boolean {
  return type === 'user' || type === 'model' || type === 'answer';
}

/** The messages and steps of a turn, in reading order. @param index zero-based */
export function turnParts(turn: Turn, index: number): TranscriptPart[] {
  return partsOfTurn(turn).map(({ type, step }) => ({ type, turn: index, step }));
}

function partOf(part: ComparedPart | undefined): TranscriptPart | null {
  return part ? { type: part.type, turn: part.turn, step: part.step } : null;
}

function comparedParts({ turns }: Session, numbers: Map<string, number>): ComparedPart[] {
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return turns.flatMap((turn, index) =>
    partsOfTurn(turn).map(({ type, step, name, content, result }) => ({
      type,
      turn: index,
      step,
      group: numberOf(`${type} ${name}`),
      content: numberOf(content),
      result: numberOf(result),
    })),
  );
}

interface PartTexts extends Pick<TranscriptPart, 'type' | 'step'> {
  readonly name: string;
  readonly content: string;
  readonly result: string;
}

function partsOfTurn(turn: Turn): PartTexts[] {
  const answer = answerStepIndex(turn);
  const message = (type: 'user' | 'answer', text: string | null): PartTexts[] =>
    text === null ? [] : [{ type, step: null, name: '', content: text, result: '' }];
  return [
    ...message('user', turn.input),
    ...turn.steps.flatMap((step, index) => (index === answer ? [] : partsOfStep(turn, step, index))),
    ...message('answer', turn.output),
  ];
}

function partsOfStep(turn: Turn, step: Step, index: number): PartTexts[] {
  const part = { type: step.type, step: index };
  switch (step.type) {
    case 'model': {
      const { text = '', error = '' } = step;
      return text === '' && error === '' ? [] : [{ ...part, name: '', content: text, result: error }];
    }
    case 'tool': {
      const result = step.result === undefined ? '' : resultText(step.result);
      const content = argumentsKey(step.arguments);
      return [{ ...part, name: step.name, content, result: `${step.outcome} ${step.error ?? ''} ${result}` }];
    }
    case 'retrieval': {
      const result = step.documents.map(({ text }) => text).join('\n');
      return [{ ...part, name: '', content: step.query ?? '', result }];
    }
    case 'agent': {
      const texts = Array.from(turnTexts({ ...turn, input: null, output: null, steps: [step] }), ({ text }) => text);
      return [{ ...part, name: step.name, content: '', result: texts.join('\n') }];
    }
  }
}

function argumentsKey(args: unknown): string {
  try {
    return canonicalJson(args);
  } catch {
    return resultText(args); // Nested deeper than the stack reaches.
  }
}
