import type { AgentStep, ModelStep, RetrievalStep, Step, ToolStep, Turn } from '../core/session.ts';
import type { TextExcerpt } from '../protocol/report-values.ts';
import type { AgentStepRow, ModelStepRow, RetrievalStepRow, StepRow, ToolStepRow } from '../protocol/turn-rows.ts';
import type { CallHistory } from '../report-model/transcript/call-history.ts';
import { countCalls, durationMs, durationOfTurns, tokenCount } from '../report-model/transcript/turn-measures.ts';
import { answerStepIndex, stepText } from '../report-model/transcript/turn-texts.ts';
import { earlierRow } from './call-comparison.ts';
import { MAX_DETAIL, MAX_MESSAGE, MAX_TURN_DETAILS, MIN_DETAIL } from './limits.ts';
import { toTarget } from './targets.ts';
import { excerpt } from './text/excerpt.ts';
import { finiteOrNull, limitName } from './values.ts';

/** Limit of shown documents of a retrieval. */
const MAX_DOCUMENTS = 10;

/** Room for the details of a turn's steps: when it is used up, each detail gets only its beginning. */
class DetailBudget {
  #left = MAX_TURN_DETAILS;

  cut(text: string, most = MAX_DETAIL): TextExcerpt {
    const cut = excerpt(text, this.#left > 0 ? most : Math.min(most, MIN_DETAIL));
    this.#left -= cut.text.length;
    return cut;
  }
}

/** Where the steps of a turn are. */
interface StepOrigin {
  /** The turn's file. */
  readonly file: string;
  /** The session's calls; null for the steps of a sub-agent. */
  readonly calls: CallHistory | null;
}

/** The steps of a turn in order, without those that have nothing to show. */
export function stepRows(turn: Turn, { file, calls }: StepOrigin, from: number, count: number): StepRow[] {
  const room = new DetailBudget();
  const answer = answerStepIndex(turn);
  return turn.steps.slice(from, from + count).flatMap((step, at) => {
    const index = from + at;
    return stepRow(step, { index, file, calls, isAnswer: index === answer, budget: room }) ?? [];
  });
}

interface StepContext extends StepOrigin {
  readonly index: number;
  readonly isAnswer: boolean;
  readonly budget: DetailBudget;
}

/** Null where there is nothing to show. */
function stepRow(step: Step, context: StepContext): StepRow | null {
  switch (step.type) {
    case 'model':
      return modelRow(step, context);
    case 'tool':
      return toolRow(step, context);
    case 'retrieval':
      return retrievalRow(step, context);
    case 'agent':
      return agentRow(step, context);
  }
}

function modelRow(step: ModelStep, { index, file, isAnswer, budget: room }: StepContext): ModelStepRow | null {
  const { text, reasoning, error, model, speaker, usage } = step;
  const message = isAnswer || !text ? null : room.cut(text, MAX_MESSAGE);
  if (!message && !reasoning && !error) return null;
  return {
    type: 'model',
    index,
    target: toTarget(file, step.pointer),
    durationMs: durationMs(step),
    text: message,
    reasoning: reasoning ? room.cut(reasoning, MAX_MESSAGE) : null,
    error: error ? room.cut(error) : null,
    model: model === undefined ? null : limitName(model),
    speaker: speaker === undefined ? null : limitName(speaker),
    tokens: usage ? { input: tokenCount(usage.inputTokens), output: tokenCount(usage.outputTokens) } : null,
  };
}

function toolRow(step: ToolStep, { index, file, calls, budget: room }: StepContext): ToolStepRow {
  const earlier = calls?.earlier(step) ?? null;
  const { resultPointer = step.pointer, error, outcome, requestedBy, speaker } = step;
  const result = stepText(step, 'result');
  const resultTarget = toTarget(file, resultPointer);
  return {
    type: 'tool',
    index,
    target: toTarget(file, step.pointer),
    durationMs: durationMs(step),
    name: limitName(step.name),
    arguments: room.cut(stepText(step, 'arguments') ?? ''),
    outcome,
    result: result === null ? null : { ...room.cut(result), target: resultTarget },
    error: error === undefined ? null : { ...room.cut(error), target: resultTarget },
    requestedBy,
    earlier: earlier && earlierRow(earlier),
    speaker: speaker === undefined ? null : limitName(speaker),
  };
}

function retrievalRow(step: RetrievalStep, { index, file, budget: room }: StepContext): RetrievalStepRow {
  const { query, documents, pointer } = step;
  return {
    type: 'retrieval',
    index,
    target: toTarget(file, pointer),
    durationMs: null,
    query: query === undefined ? null : room.cut(query),
    documents: documents.slice(0, MAX_DOCUMENTS).map(({ id, text, score }) => ({
      ...room.cut(text),
      id: id === undefined ? null : limitName(id),
      score: score === undefined ? null : finiteOrNull(score),
    })),
    documentsOmitted: Math.max(0, documents.length - MAX_DOCUMENTS),
  };
}

function agentRow(step: AgentStep, { index, file }: StepContext): AgentStepRow {
  return {
    type: 'agent',
    index,
    target: toTarget(file, step.pointer),
    durationMs: durationOfTurns(step.turns),
    name: limitName(step.name),
    turns: step.turns.length,
    calls: countCalls(step.turns),
  };
}
