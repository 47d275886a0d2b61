/**
 * The texts of a turn. `input` and `output` belong to the turn; `text`, `reasoning` and `error` to a model step; `arguments`,
 * `result` and `error` to a tool step; `query` and `document` to a retrieval; `whole` is the step or the turn itself.
 */
export const TEXT_FIELDS = [
  'input',
  'output',
  'text',
  'reasoning',
  'arguments',
  'result',
  'error',
  'query',
  'document',
  'whole',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
