import type { AgentStep, ModelStep, RetrievalStep, Step, ToolStep, Turn } from '../../core/session.ts';
import type { Excerpt } from '../../protocol/report-values.ts';
import type { AgentStepRow, ModelStepRow, RetrievalStepRow, StepRow, ToolStepRow } from '../../protocol/turn-rows.ts';
import { excerpt } from '../wording/excerpt.ts';
import { BEGINNING, DETAIL, DETAILS_OF_TURN, MESSAGE } from './limits.ts';
import { answerStep, textOfStep } from './step-texts.ts';
import { durationOf, finite, name, targetIn } from './values.ts';

/** Documents of a retrieval that are shown. */
const DOCUMENTS = 10;

/** What the steps of a turn may say in detail: when it is used up, each is only begun. */
class Room {
  #left = DETAILS_OF_TURN;

  cut(text: string, most = DETAIL): Excerpt {
    const cut = excerpt(text, this.#left > 0 ? most : Math.min(most, BEGINNING));
    this.#left -= cut.text.length;
    return cut;
  }
}

/**
 * Steps of a turn, in order; those that have nothing to show are left out.
 *
 * @param file of the turn.
 */
export function stepRows(turn: Turn, file: string, from: number, count: number, room = new Room()): StepRow[] {
  const answer = answerStep(turn);
  return turn.steps.slice(from, from + count).flatMap((step, at) => {
    const index = from + at;
    return stepRow(step, { index, file, isAnswer: index === answer, room }) ?? [];
  });
}

interface Place {
  readonly index: number;
  readonly file: string;
  readonly isAnswer: boolean;
  readonly room: Room;
}

/** Null where there is nothing to show. */
function stepRow(step: Step, place: Place): StepRow | null {
  switch (step.type) {
    case 'model':
      return modelRow(step, place);
    case 'tool':
      return toolRow(step, place);
    case 'retrieval':
      return retrievalRow(step, place);
    case 'agent':
      return agentRow(step, place);
  }
}

function modelRow(step: ModelStep, { index, file, isAnswer, room }: Place): ModelStepRow | null {
  const { text, reasoning, error, model, speaker, usage } = step;
  const said = isAnswer || !text ? null : room.cut(text, MESSAGE);
  if (!said && !reasoning && !error) return null;
  return {
    type: 'model',
    index,
    target: targetIn(file, step.pointer),
    durationMs: durationOf(step),
    text: said,
    reasoning: reasoning ? room.cut(reasoning, MESSAGE) : null,
    error: error ? room.cut(error) : null,
    model: model === undefined ? null : name(model),
    speaker: speaker === undefined ? null : name(speaker),
    tokens: usage ? { input: whole(usage.inputTokens), output: whole(usage.outputTokens) } : null,
  };
}

function toolRow(step: ToolStep, { index, file, room }: Place): ToolStepRow {
  const { resultPointer = step.pointer, error, outcome, requestedBy, speaker } = step;
  const result = textOfStep(step, 'result');
  const resultTarget = targetIn(file, resultPointer);
  return {
    type: 'tool',
    index,
    target: targetIn(file, step.pointer),
    durationMs: durationOf(step),
    name: name(step.name),
    arguments: room.cut(textOfStep(step, 'arguments') ?? ''),
    outcome,
    result: result === null ? null : { ...room.cut(result), target: resultTarget },
    error: error === undefined ? null : { ...room.cut(error), target: resultTarget },
    requestedBy,
    speaker: speaker === undefined ? null : name(speaker),
  };
}

function retrievalRow(step: RetrievalStep, { index, file, room }: Place): RetrievalStepRow {
  const { query, documents, pointer } = step;
  return {
    type: 'retrieval',
    index,
    target: targetIn(file, pointer),
    durationMs: null,
    query: query === undefined ? null : room.cut(query),
    documents: documents.slice(0, DOCUMENTS).map(({ id, text, score }) => ({
      ...room.cut(text),
      id: id === undefined ? null : name(id),
      score: score === undefined ? null : finite(score),
    })),
    documentsOmitted: Math.max(0, documents.length - DOCUMENTS),
  };
}

function agentRow(step: AgentStep, { index, file }: Place): AgentStepRow {
  return {
    type: 'agent',
    index,
    target: targetIn(file, step.pointer),
    durationMs: durationOfTurns(step.turns),
    name: name(step.name),
    turns: step.turns.length,
    calls: callsIn(step.turns),
  };
}

function durationOfTurns(turns: readonly Turn[]): number | null {
  return durationOf({ startedAt: turns[0]?.startedAt, endedAt: turns.at(-1)?.endedAt });
}

/** Written out: sub-agents may be nested deeper than a stack is. */
function callsIn(turns: readonly Turn[]): number {
  let calls = 0;
  const open = [...turns];
  for (let turn = open.pop(); turn; turn = open.pop()) {
    for (const step of turn.steps) {
      if (step.type === 'tool') calls += 1;
      else if (step.type === 'agent') for (const inner of step.turns) open.push(inner);
    }
  }
  return calls;
}

/** Counts of tokens are whatever a file says. */
function whole(value: number): number {
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
