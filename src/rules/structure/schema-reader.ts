import type { Schema, SchemaDraft } from '@cfworker/json-schema';
import { get, getArray, getNumber, getString, isObject, type JsonObject } from '../../core/json.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { isBoundedPattern, isLinearPattern, MAX_MATCH_LENGTH } from './bounded-pattern.ts';

/** A tool's schema as the validator takes it, or in a few words why it is none. */
export type SchemaReadResult =
  | { readonly schema: Schema; readonly draft: SchemaDraft; readonly references: readonly Schema[] }
  | { readonly broken: string };

const DEEPEST = 60;
const MOST_PARTS = 5000;

/**
 * Reads a schema as tolerantly as providers do: types by other names, `nullable`, null for a keyword that is not used.
 * Two things are taken more mildly than they are written: an argument that has a default is not required, and one that
 * may be left out may be null.
 *
 * @param onStep is called with a weight whenever the validator looks at a part of the schema.
 */
export function readSchema(raw: JsonObject, onStep: (weight: number) => void): SchemaReadResult {
  const reading: SchemaReading = { broken: null, parts: 0, references: [], onStep };
  const schema = readPart(raw, { reading, at: '', depth: 0 });
  if (reading.broken !== null) return { broken: reading.broken };
  if (typeof schema === 'boolean') return { broken: 'it is none' };
  const id = getString(raw, '$id') ?? getString(raw, 'id');
  if (id !== undefined && URL.canParse(id)) schema.$id = id;
  const version = getString(raw, '$schema') ?? '';
  const draft = /draft-0[3-7]/.test(version) ? '7' : version.includes('2019-09') ? '2019-09' : '2020-12';
  return { schema, draft, references: reading.references };
}

interface SchemaReading {
  /** The first thing that is wrong. */
  broken: string | null;
  parts: number;
  readonly references: Schema[];
  readonly onStep: (weight: number) => void;
}

interface SchemaLocation {
  readonly reading: SchemaReading;
  /** The argument that a part is about, as people write it; empty for all of them. */
  readonly at: string;
  readonly depth: number;
}

/** Reads what stands behind a keyword; undefined leaves it out. */
type KeywordReader = (found: unknown, key: string, part: JsonObject, place: SchemaLocation) => unknown;

/**
 * The keywords of all drafts that are checked. Left out are those that say nothing about a value; `contains` and
 * `uniqueItems`, which are rare and slow; and an `$id` inside, which gives references another meaning.
 */
const KEYWORDS: ReadonlyMap<string, KeywordReader> = new Map([
  ['type', types],
  ['properties', properties],
  ['patternProperties', patternProperties],
  ...keywordEntries(part, 'additionalItems additionalProperties else if not propertyNames then'),
  ...keywordEntries(part, 'unevaluatedItems unevaluatedProperties'),
  ...keywordEntries(parts, 'allOf anyOf oneOf prefixItems'),
  ['items', items],
  ...keywordEntries(byName(part), '$defs definitions dependentSchemas'),
  ['required', required],
  ['dependentRequired', byName(names)],
  ['dependencies', byName((found, ...rest) => (Array.isArray(found) ? names : part)(found, ...rest))],
  ['enum', values],
  ['const', (found) => found],
  ...keywordEntries(number, 'maximum minimum multipleOf exclusiveMaximum exclusiveMinimum'),
  ...keywordEntries(number, 'maxItems maxLength maxProperties minItems minLength minProperties'),
  ['pattern', pattern],
  ['format', (found) => (FORMATS.has(found) ? found : undefined)],
  ['$ref', reference],
  ['$anchor', (found) => (typeof found === 'string' ? found : undefined)],
]);

/** Whether anything is made of a keyword; all others say nothing about a value. */
export function isKeyword(key: string): boolean {
  return KEYWORDS.has(key) || key === 'nullable';
}

/** Those that leave no doubt: tools take a `uri` or a `date-time` more loosely than their standards. */
const FORMATS: ReadonlySet<unknown> = new Set(['date', 'email', 'uuid', 'ipv4', 'ipv6']);

/** The types of JSON Schema and what Gemini (in capitals), Python and older catalogues call them; null is any. */
const TYPES: ReadonlyMap<string, string | null> = new Map([
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'].map((type) => [type, type] as const),
  ['str', 'string'],
  ['float', 'number'],
  ['double', 'number'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['bool', 'boolean'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['dict', 'object'],
  ['none', 'null'],
  ['nonetype', 'null'],
  ['any', null],
  ['type_unspecified', null],
]);

function keywordEntries(read: KeywordReader, names: string): [string, KeywordReader][] {
  return names.split(' ').map((name) => [name, read]);
}

function readPart(raw: unknown, place: SchemaLocation, mayBeNull = false): Schema | boolean {
  const { reading, depth } = place;
  if (typeof raw === 'boolean') return raw;
  if (!isObject(raw))
    return reportBroken(place, `${partName(place)} is described by ${formatValue(raw)}, which is no schema`) ?? true;
  reading.parts += 1;
  if (depth > DEEPEST || reading.parts > MOST_PARTS)
    return reportBroken(place, 'it is too large to be checked') ?? true;
  const own: Schema = {};
  for (const [key, found] of Object.entries(raw)) {
    const read = KEYWORDS.get(key);
    if (!read || (found === null && key !== 'const')) continue;
    const kept = read(found, key, raw, { ...place, depth: depth + 1 });
    if (kept !== undefined) own[key] = kept;
  }
  if (own.pattern !== undefined) limitPatternLength(own, reading);
  if (own.patternProperties === undefined && isObject(raw.patternProperties)) allowOtherProperties(own);
  const mayBeNullToo = mayBeNull || raw.nullable === true;
  const combines = COMBINING.some((key) => own[key] !== undefined);
  if (mayBeNullToo && !combines) allowNull(own);
  const made = new SchemaNode(own, reading.onStep);
  if (own.$ref !== undefined) reading.references.push(made);
  return mayBeNullToo && combines ? new SchemaNode({ anyOf: [made, { type: 'null' }] }, reading.onStep) : made;
}

function part(found: unknown, _key: string, _of: JsonObject, place: SchemaLocation): Schema | boolean {
  return readPart(found, place);
}

function parts(found: unknown, key: string, _of: JsonObject, place: SchemaLocation): unknown {
  if (!Array.isArray(found))
    return reportBroken(place, `${codeSpan(key)} of ${partName(place)} is ${formatValue(found)}, not a list`);
  // The standard wants at least one; to forbid everything is not what is meant.
  return found.length === 0 ? undefined : found.map((one) => readPart(one, place));
}

function items(found: unknown, key: string, of: JsonObject, place: SchemaLocation): unknown {
  const inner = { ...place, at: `${place.at}[]` };
  return Array.isArray(found) ? parts(found, key, of, inner) : readPart(found, inner);
}

function byName(read: KeywordReader): KeywordReader {
  return (found, key, of, place) => {
    // PHP writes an empty map as an empty list.
    if (Array.isArray(found) && found.length === 0) return undefined;
    if (!isObject(found))
      return reportBroken(place, `${codeSpan(key)} of ${partName(place)} is ${formatValue(found)}, not an object`);
    return Object.fromEntries(Object.entries(found).map(([name, one]) => [name, read(one, name, of, place)]));
  };
}

function properties(found: unknown, key: string, of: JsonObject, place: SchemaLocation): unknown {
  const given = new Set(getArray(of, 'required'));
  const read: KeywordReader = (one, name) => {
    const at = place.at === '' ? name : `${place.at}.${name}`;
    return readPart(one, { ...place, at }, !given.has(name));
  };
  return byName(read)(found, key, of, place);
}

/** Undefined where a name might take long to match. */
function patternProperties(found: unknown, key: string, of: JsonObject, place: SchemaLocation): unknown {
  const sources = isObject(found) ? Object.keys(found) : [];
  const kept = sources.map((source) => pattern(source, key, of, place));
  return sources.every((source, at) => kept[at] === source && isLinearPattern(source))
    ? byName(part)(found, key, of, place)
    : undefined;
}

function required(found: unknown, key: string, of: JsonObject, place: SchemaLocation): unknown {
  const all = names(found, key, of, place);
  // A default stands in for what is left out, though some generators list such arguments as required.
  return all?.filter((name) => get(get(get(of, 'properties'), name), 'default') === undefined);
}

function names(found: unknown, key: string, _of: JsonObject, place: SchemaLocation): string[] | undefined {
  if (Array.isArray(found) && found.every((name) => typeof name === 'string')) return found;
  return reportBroken(place, `${codeSpan(key)} of ${partName(place)} is ${formatValue(found)}, not a list of names`);
}

function values(found: unknown, key: string, _of: JsonObject, place: SchemaLocation): unknown {
  if (!Array.isArray(found))
    return reportBroken(place, `${codeSpan(key)} of ${partName(place)} is ${formatValue(found)}, not a list`);
  return found.length === 0 ? undefined : found;
}

function number(found: unknown, key: string, of: JsonObject, place: SchemaLocation): number | undefined {
  // The first drafts made `minimum` exclusive by a flag beside it.
  if (typeof found === 'boolean' && key.startsWith('exclusive')) {
    return found ? getNumber(of, key === 'exclusiveMinimum' ? 'minimum' : 'maximum') : undefined;
  }
  // Gemini's API writes whole numbers as text.
  const read = typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : found;
  if (typeof read === 'number') return read;
  return reportBroken(place, `${codeSpan(key)} of ${partName(place)} is ${formatValue(found)}, not a number`);
}

function types(found: unknown, _key: string, _of: JsonObject, place: SchemaLocation): unknown {
  const known = (Array.isArray(found) ? found : [found]).map((type) =>
    typeof type === 'string' ? TYPES.get(type.toLowerCase()) : undefined,
  );
  const unknown = known.indexOf(undefined);
  if (unknown >= 0) {
    const type = Array.isArray(found) ? found[unknown] : found;
    return reportBroken(
      place,
      `${partName(place)} is of the type ${formatValue(type)}, which JSON Schema does not know`,
    );
  }
  return known.includes(null) || known.length === 0 ? undefined : known;
}

/** Undefined for what JavaScript reads only without the `u` flag: it may have been meant otherwise. */
function pattern(found: unknown, _key: string, _of: JsonObject, place: SchemaLocation): string | undefined {
  if (typeof found !== 'string' || !compiles(found, '')) {
    return reportBroken(place, `the pattern ${formatValue(found)} of ${partName(place)} is no regular expression`);
  }
  return compiles(found, 'u') && isBoundedPattern(found) ? found : undefined;
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function reference(found: unknown, _key: string, _of: JsonObject, place: SchemaLocation): string | undefined {
  if (typeof found !== 'string' || !URL.canParse(found, 'https://schema/')) {
    return reportBroken(place, `${partName(place)} refers to ${formatValue(found)}, which is no address`);
  }
  return found === '' ? '#' : found;
}

/** Says in the schema itself that its pattern is tried on short texts only. */
function limitPatternLength(own: Schema, { onStep }: SchemaReading): void {
  const [long, matching] = [{ minLength: MAX_MATCH_LENGTH + 1 }, { pattern: own.pattern ?? '' }];
  own.allOf = [
    ...(own.allOf ?? []),
    new SchemaNode({ if: new SchemaNode(long, onStep), else: new SchemaNode(matching, onStep) }, onStep),
  ];
  delete own.pattern;
}

/** Where it is not known which names are described, all are allowed. */
function allowOtherProperties(own: Schema): void {
  delete own.additionalProperties;
  delete own.unevaluatedProperties;
}

/** Beside any of these, `type` and `enum` alone do not say whether null is allowed. */
const COMBINING = ['$ref', 'allOf', 'const', 'if', 'not', 'oneOf'];

function allowNull(own: Schema): void {
  if (own.type !== undefined) own.type = [own.type, 'null' as const].flat();
  if (own.enum !== undefined) own.enum = [...own.enum, null];
  if (own.anyOf !== undefined) own.anyOf = [...own.anyOf, { type: 'null' }];
}

/** That all parts have the same keys in the same order makes the validator several times as fast. */
const EMPTY_PART = Object.fromEntries([...KEYWORDS.keys()].map((key) => [key, undefined]));

/** A part of a schema, which tells when it is looked at. */
class SchemaNode implements Schema {
  [keyword: string]: unknown;
  readonly #onStep: (weight: number) => void;
  readonly #weight: number;

  constructor(own: Schema, onStep: (weight: number) => void) {
    Object.assign(this, EMPTY_PART, own);
    this.#onStep = onStep;
    this.#weight = Object.values(own).reduce((sum, found) => sum + sizeOf(found), 1);
  }

  /** No catalogue uses this keyword, which the validator reads once for every part that it looks at. */
  get $recursiveRef(): undefined {
    this.#onStep(this.#weight);
    return undefined;
  }
}

function sizeOf(found: unknown): number {
  if (Array.isArray(found)) return found.length;
  return isObject(found) && !(found instanceof SchemaNode) ? Object.keys(found).length : 0;
}

function partName({ at }: SchemaLocation): string {
  return at === '' ? 'it' : codeSpan(at);
}

function reportBroken({ reading }: SchemaLocation, why: string): undefined {
  reading.broken ??= why;
}
