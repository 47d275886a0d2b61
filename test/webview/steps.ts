import type { StepRow, ToolStepRow } from '../../src/protocol/turn-rows.ts';
import { quote, target } from './recording.ts';

/** A successful tool call. */
export function call(index: number, parts: Partial<ToolStepRow> = {}): StepRow {
  return {
    type: 'tool',
    index,
    target: target(`/call/${index}`),
    durationMs: 300,
    name: `tool_${index + 1}`,
    arguments: { text: 'amount: 425', omitted: 0 },
    outcome: 'ok',
    result: quote('It was done.', `/result/${index}`),
    error: null,
    requestedBy: 'agent',
    earlier: null,
    speaker: null,
    ...parts,
  };
}

/** A model step with text and reasoning. */
export function model(index: number, content: string | null, reasoning: string | null = null): StepRow {
  return {
    type: 'model',
    index,
    target: target(`/model/${index}`),
    durationMs: null,
    text: content === null ? null : { text: content, omitted: 0 },
    reasoning: reasoning === null ? null : { text: reasoning, omitted: 0 },
    error: null,
    model: null,
    speaker: null,
    tokens: null,
  };
}
