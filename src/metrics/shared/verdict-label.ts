import { get, isObject } from '../../core/json.ts';

export const MATCH_VERDICTS = ['valid', 'invalid'] as const;
export type MatchVerdict = (typeof MATCH_VERDICTS)[number];

/** The field of ADK's answer, and the one that models write in its place. */
export const VALID_FIELD = 'is_the_agent_response_valid';
const INVALID_FIELD = 'is_the_agent_response_invalid';

/** What models write for the two verdicts; what is almost right is not right. */
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
 * The verdict of an answer to ADK's `final_response_match_v2`: an object, or text that need not be sound JSON, which is
 * read as ADK reads it, by the field alone. Null where there is none, or none of the words that ADK's users know.
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

/** The answer with its verdict in the words of the schema; as it is where it has none, so that the schema says what is missing. */
export function normalizeVerdict(answer: unknown): unknown {
  const verdict = parseVerdict(answer);
  return verdict === null || !isObject(answer) ? answer : { ...answer, [VALID_FIELD]: verdict };
}

function verdictFromSpelling(value: unknown): MatchVerdict | null {
  return SPELLINGS.get(labelText(value)) ?? null;
}

/** A label as plain text: without the list that it is the only entry of, in lower case. */
function labelText(value: unknown): string {
  const [only, ...others] = Array.isArray(value) ? value : [value];
  return others.length === 0 ? String(only).trim().toLowerCase() : '';
}

/** The longest value that is looked at: a label is short, and a text that is no JSON may have brackets without end. */
const MAX_VALUE_CHARS = 200;

function fieldOf(text: string, name: string): unknown {
  const [, value] = new RegExp(`"${name}"\\s*:\\s*([^,}]{1,${MAX_VALUE_CHARS}})`).exec(text) ?? [];
  if (value === undefined) return undefined;
  return value.replace(/[[\]"]|\\[nrt]/g, '');
}
