import * as z from 'zod';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { inRange, scaleRange } from '../../core/scale.ts';
import type { FunctionDefinition } from './definition.ts';
import { describeFunction } from './descriptions.ts';

const pointer = z.string().regex(/^(\/|$)/, 'a JSON pointer must be empty or begin with "/"');

const functionResultSchema = z.strictObject({
  score: z.union([z.number(), z.boolean()]).nullish(),
  label: z.string().nullish(),
  reason: z.string().nullish(),
  evidence: z
    .array(z.union([pointer, z.strictObject({ pointer, note: z.string().optional(), file: z.string().optional() })]))
    .optional(),
});

/** A return value in its full form. */
type FunctionResult = z.output<typeof functionResultSchema>;

/**
 * The outcome of a function's return value. A value that is not on the metric's scale, or is of the wrong type, is an
 * `error`; a score is never clamped.
 *
 * @param file of the turn, if it is not the session's.
 */
export function outcomeOfReturn(metric: FunctionDefinition, value: unknown, file: string | undefined): MetricOutcome {
  const wrong = (actual: string): MetricOutcome => ({
    status: 'error',
    reason: `${describeFunction(metric)} returned ${actual}; ${describeScale(metric)}.`,
  });
  const parsed = functionResultSchema.safeParse(normalizeReturn(value));
  if (!parsed.success) return wrong(isResultObject(value) ? describeMismatch(parsed.error) : describeReturn(value));
  const { score = null, label = null, reason = null, evidence = [] } = parsed.data;
  const details = {
    source: 'rules' as const,
    reason,
    evidence: evidence.map((entry) => toEvidence(entry, metric.name, file)),
  };
  if (score === null && label === null) {
    return { status: 'not_applicable', reason: reason ?? `${describeFunction(metric)} returned nothing to score.` };
  }
  if (score !== null && label !== null) return wrong('a score and a label');
  if (label !== null) {
    return isLabel(label, metric)
      ? { status: 'scored', label, labels: [label], ...details }
      : wrong(describeReturn(label));
  }
  const number = scoreOnScale(score, metric);
  return number === null ? wrong(describeReturn(score)) : { status: 'scored', score: number, ...details };
}

function isLabel(text: string, { scale, labels }: FunctionDefinition): boolean {
  if (labels || scale !== 'label') return labels?.includes(text) ?? false;
  return text !== '' && text.length <= MAX_LABEL_CHARS;
}

/** A plain number, boolean or string is a score or a label. */
function normalizeReturn(value: unknown): unknown {
  if (value === null) return {};
  if (typeof value === 'number' || typeof value === 'boolean') return { score: value };
  return typeof value === 'string' ? { label: value } : value;
}

function isResultObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null if it is not on the scale. */
function scoreOnScale(score: FunctionResult['score'], { scale }: FunctionDefinition): number | null {
  const range = scaleRange(scale);
  if (!range) return null;
  if (scale === 'binary' && typeof score === 'boolean') return Number(score);
  if (typeof score !== 'number' || !inRange(score, range)) return null;
  return scale === 'binary' && !Number.isInteger(score) ? null : score;
}

function toEvidence(
  place: NonNullable<FunctionResult['evidence']>[number],
  name: string,
  fileOfTurn: string | undefined,
): Evidence {
  const {
    pointer,
    note = `named by ${name}`,
    file = fileOfTurn,
  } = typeof place === 'string' ? { pointer: place } : place;
  return file === undefined ? { pointer, note } : { pointer, note, file };
}

/** A label is a few words: it is a heading in reports. */
const MAX_LABEL_CHARS = 100;

function describeScale({ name, scale, labels }: FunctionDefinition): string {
  const range = scaleRange(scale);
  if (!range && !labels) return `a label of ${name} has 1 to ${MAX_LABEL_CHARS} characters`;
  if (!range) return `the labels of ${name} are ${labels?.map((label) => describeReturn(label)).join(', ')}`;
  return scale === 'binary' ? `the scale of ${name} is 0 or 1` : `the scale of ${name} is ${range[0]} to ${range[1]}`;
}

function describeMismatch({ issues: [issue] }: z.ZodError): string {
  const at = issue?.path.join('.') ?? '';
  return `an object that does not fit (${at === '' ? '' : `${at}: `}${issue?.message ?? 'no answer'})`;
}

const MAX_SHOWN_CHARS = 60;

function describeReturn(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string': {
      const text = JSON.stringify(value);
      return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS - 1)}…` : text;
    }
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
}
