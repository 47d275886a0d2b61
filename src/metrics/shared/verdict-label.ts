import { get, isObject } from '../../core/json.ts';

export const MATCH_VERDICTS = ['valid', 'invalid'] as const;
export type MatchVerdict = (typeof MATCH_VERDICTS)[number];

/** The field of ADK's answer, and the one that models write instead. */
export const VALID_FIELD = 'is_the_agent_response_valid';
const INVALID_FIELD = 'is_the_agent_response_invalid';

/** Spellings of the two verdicts; almost valid counts as invalid. */
const SPELLINGS: ReadonlyMap<string, MatchVerdict> = new Map([
  ['valid', 'valid'],
  ['true', 'valid'],
  ['invalid', 'invalid'],
  ['false', 'invalid'],
  ['almost', 'invalid'],
  ['partially_valid', 'invalid'],
  ['partially valid', 'invalid'],
  ['partially', 'invalid'],
]);

/**
 * The verdict in an answer to ADK's `final_response_match_v2`: an object, or text, which may be invalid JSON and is
 * searched for the field, as ADK does. Null without a known verdict.
 */
export function parseVerdict(answer: unknown): MatchVerdict | null {
  const field =
    typeof answer === 'string' ? (name: string) => fieldOf(answer, name) : (name: string) => get(answer, name);
  const valid = field(VALID_FIELD);
  if (valid !== undefined) return verdictFromSpelling(valid);
  const invalid = field(INVALID_FIELD);
  // "Is it invalid? True", but "is it invalid? Valid".
  if (labelText(invalid) === 'true') return 'invalid';
  return labelText(invalid) === 'false' ? 'valid' : verdictFromSpelling(invalid);
}

/** The answer with its verdict spelled as in the schema; unchanged without a verdict, so that the schema reports it. */
export function normalizeVerdict(answer: unknown): unknown {
  const verdict = parseVerdict(answer);
  return verdict === null || !isObject(answer) ? answer : { ...answer, [VALID_FIELD]: verdict };
}

function verdictFromSpelling(value: unknown): MatchVerdict | null {
  return SPELLINGS.get(labelText(value)) ?? null;
}

/** A label in lower case, unwrapped from a list of one. */
function labelText(value: unknown): string {
  const [only, ...others] = Array.isArray(value) ? value : [value];
  return others.length === 0 ? String(only).trim().toLowerCase() : '';
}

/** Longer values are not labels; invalid JSON may have very many brackets. */
const MAX_VALUE_CHARS = 200;

function fieldOf(text: string, name: string): unknown {
  const [, value] = new RegExp(`"${name}"\\s*:\\s*([^,}]{1,${MAX_VALUE_CHARS}})`).exec(text) ?? [];
  if (value === undefined) return undefined;
  return value.replace(/[[\]"]|\\[nrt]/g, '');
}
