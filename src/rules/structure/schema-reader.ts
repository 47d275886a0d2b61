import type { Schema, SchemaDraft } from '@cfworker/json-schema';
import { get, getArray, getNumber, getString, isObject, type JsonObject } from '../../core/json.ts';
import { isBoundedPattern, isLinearPattern, MAX_MATCH_LENGTH } from '../../core/text/bounded-pattern.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';

/** A tool's schema as the validator takes it, or why it is invalid. */
export type SchemaReadResult =
  | { readonly schema: Schema; readonly draft: SchemaDraft; readonly references: readonly Schema[] }
  | { readonly broken: string };

const MAX_DEPTH = 60;
const MAX_PARTS = 5000;

/**
 * Reads a schema as tolerantly as providers do: other names of types, `nullable`, null for unused keywords. An
 * argument with a default is not required, and an optional argument may be null.
 *
 * @param onStep called with a weight whenever the validator visits a part of the schema
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
  /** The first error. */
  broken: string | null;
  parts: number;
  readonly references: Schema[];
  readonly onStep: (weight: number) => void;
}

interface SchemaLocation {
  readonly reading: SchemaReading;
  /** The argument that a part describes, in path notation; empty for the whole object. */
  readonly at: string;
  readonly depth: number;
}

/** Reads the value of a keyword; undefined removes the keyword. */
type KeywordReader = (value: unknown, key: string, part: JsonObject, location: SchemaLocation) => unknown;

/**
 * The keywords of all drafts that are checked. Annotations are left out, and so are `contains` and `uniqueItems`,
 * which are rare and slow, and a nested `$id`, which changes the meaning of references.
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
  ['dependencies', byName((value, ...rest) => (Array.isArray(value) ? names : part)(value, ...rest))],
  ['enum', values],
  ['const', (value) => value],
  ...keywordEntries(number, 'maximum minimum multipleOf exclusiveMaximum exclusiveMinimum'),
  ...keywordEntries(number, 'maxItems maxLength maxProperties minItems minLength minProperties'),
  ['pattern', pattern],
  ['format', (value) => (FORMATS.has(value) ? value : undefined)],
  ['$ref', reference],
  ['$anchor', (value) => (typeof value === 'string' ? value : undefined)],
]);

/** Whether a keyword constrains values. */
export function isKeyword(key: string): boolean {
  return KEYWORDS.has(key) || key === 'nullable';
}

/** Unambiguous formats. Tools accept more for a `uri` or a `date-time` than the standards. */
const FORMATS: ReadonlySet<unknown> = new Set(['date', 'email', 'uuid', 'ipv4', 'ipv6']);

/**
 * The types of JSON Schema, and their names in Gemini (upper case), Python and older catalogues; null allows any type.
 */
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
  if (depth > MAX_DEPTH || reading.parts > MAX_PARTS)
    return reportBroken(place, 'it is too large to be checked') ?? true;
  const own: Schema = {};
  for (const [key, value] of Object.entries(raw)) {
    const read = KEYWORDS.get(key);
    if (!read || (value === null && key !== 'const')) continue;
    const kept = read(value, key, raw, { ...place, depth: depth + 1 });
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

function part(value: unknown, _key: string, _of: JsonObject, location: SchemaLocation): Schema | boolean {
  return readPart(value, location);
}

function parts(value: unknown, key: string, _of: JsonObject, location: SchemaLocation): unknown {
  if (!Array.isArray(value))
    return reportBroken(location, `${codeSpan(key)} of ${partName(location)} is ${formatValue(value)}, not a list`);
  // The standard requires at least one value; forbidding everything is not intended.
  return value.length === 0 ? undefined : value.map((item) => readPart(item, location));
}

function items(value: unknown, key: string, of: JsonObject, location: SchemaLocation): unknown {
  const inner = { ...location, at: `${location.at}[]` };
  return Array.isArray(value) ? parts(value, key, of, inner) : readPart(value, inner);
}

function byName(read: KeywordReader): KeywordReader {
  return (value, key, of, location) => {
    // PHP writes an empty map as an empty list.
    if (Array.isArray(value) && value.length === 0) return undefined;
    if (!isObject(value))
      return reportBroken(
        location,
        `${codeSpan(key)} of ${partName(location)} is ${formatValue(value)}, not an object`,
      );
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, read(item, name, of, location)]));
  };
}

function properties(value: unknown, key: string, of: JsonObject, location: SchemaLocation): unknown {
  const required = new Set(getArray(of, 'required'));
  const read: KeywordReader = (property, name) => {
    const at = location.at === '' ? name : `${location.at}.${name}`;
    return readPart(property, { ...location, at }, !required.has(name));
  };
  return byName(read)(value, key, of, location);
}

/** Undefined if a name could take long to match. */
function patternProperties(value: unknown, key: string, of: JsonObject, location: SchemaLocation): unknown {
  const sources = isObject(value) ? Object.keys(value) : [];
  const kept = sources.map((source) => pattern(source, key, of, location));
  return sources.every((source, at) => kept[at] === source && isLinearPattern(source))
    ? byName(part)(value, key, of, location)
    : undefined;
}

function required(value: unknown, key: string, of: JsonObject, location: SchemaLocation): unknown {
  const all = names(value, key, of, location);
  // A default replaces a missing argument, though some generators list such arguments as required.
  return all?.filter((name) => get(get(get(of, 'properties'), name), 'default') === undefined);
}

function names(value: unknown, key: string, _of: JsonObject, location: SchemaLocation): string[] | undefined {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  return reportBroken(
    location,
    `${codeSpan(key)} of ${partName(location)} is ${formatValue(value)}, not a list of names`,
  );
}

function values(value: unknown, key: string, _of: JsonObject, location: SchemaLocation): unknown {
  if (!Array.isArray(value))
    return reportBroken(location, `${codeSpan(key)} of ${partName(location)} is ${formatValue(value)}, not a list`);
  return value.length === 0 ? undefined : value;
}

function number(value: unknown, key: string, of: JsonObject, location: SchemaLocation): number | undefined {
  // In the first drafts, a flag next to `minimum` makes it exclusive.
  if (typeof value === 'boolean' && key.startsWith('exclusive')) {
    return value ? getNumber(of, key === 'exclusiveMinimum' ? 'minimum' : 'maximum') : undefined;
  }
  // Gemini's API writes integers as text.
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof read === 'number') return read;
  return reportBroken(location, `${codeSpan(key)} of ${partName(location)} is ${formatValue(value)}, not a number`);
}

function types(value: unknown, _key: string, _of: JsonObject, location: SchemaLocation): unknown {
  const known = (Array.isArray(value) ? value : [value]).map((type) =>
    typeof type === 'string' ? TYPES.get(type.toLowerCase()) : undefined,
  );
  const unknown = known.indexOf(undefined);
  if (unknown >= 0) {
    const type = Array.isArray(value) ? value[unknown] : value;
    return reportBroken(
      location,
      `${partName(location)} is of the type ${formatValue(type)}, which JSON Schema does not know`,
    );
  }
  return known.includes(null) || known.length === 0 ? undefined : known;
}

/** Undefined if the pattern is only valid without the `u` flag, since it may mean something else. */
function pattern(value: unknown, _key: string, _of: JsonObject, location: SchemaLocation): string | undefined {
  if (typeof value !== 'string' || !compiles(value, '')) {
    return reportBroken(
      location,
      `the pattern ${formatValue(value)} of ${partName(location)} is no regular expression`,
    );
  }
  return compiles(value, 'u') && isBoundedPattern(value) ? value : undefined;
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function reference(value: unknown, _key: string, _of: JsonObject, location: SchemaLocation): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value, 'https://schema/')) {
    return reportBroken(location, `${partName(location)} refers to ${formatValue(value)}, which is no address`);
  }
  return value === '' ? '#' : value;
}

/** Limits the pattern to short texts, in the schema itself. */
function limitPatternLength(schema: Schema, { onStep }: SchemaReading): void {
  const [long, matching] = [{ minLength: MAX_MATCH_LENGTH + 1 }, { pattern: schema.pattern ?? '' }];
  schema.allOf = [
    ...(schema.allOf ?? []),
    new SchemaNode({ if: new SchemaNode(long, onStep), else: new SchemaNode(matching, onStep) }, onStep),
  ];
  delete schema.pattern;
}

/** Allows all names if it is unknown which names are described. */
function allowOtherProperties(schema: Schema): void {
  delete schema.additionalProperties;
  delete schema.unevaluatedProperties;
}

/** Next to any of these, `type` and `enum` alone do not decide whether null is allowed. */
const COMBINING = ['$ref', 'allOf', 'const', 'if', 'not', 'oneOf'];

function allowNull(schema: Schema): void {
  if (schema.type !== undefined) schema.type = [schema.type, 'null' as const].flat();
  if (schema.enum !== undefined) schema.enum = [...schema.enum, null];
  if (schema.anyOf !== undefined) schema.anyOf = [...schema.anyOf, { type: 'null' }];
}

/** Equal keys in equal order for all parts make the validator several times as fast. */
const EMPTY_PART = Object.fromEntries([...KEYWORDS.keys()].map((key) => [key, undefined]));

/** A part of a schema that reports when the validator visits it. */
class SchemaNode implements Schema {
  [keyword: string]: unknown;
  readonly #onStep: (weight: number) => void;
  readonly #weight: number;

  constructor(own: Schema, onStep: (weight: number) => void) {
    Object.assign(this, EMPTY_PART, own);
    this.#onStep = onStep;
    this.#weight = Object.values(own).reduce((sum, value) => sum + sizeOf(value), 1);
  }

  /** The validator reads this keyword once for every part it visits, and no catalogue uses it. */
  get $recursiveRef(): undefined {
    this.#onStep(this.#weight);
    return undefined;
  }
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) && !(value instanceof SchemaNode) ? Object.keys(value).length : 0;
}

function partName({ at }: SchemaLocation): string {
  return at === '' ? 'it' : codeSpan(at);
}

function reportBroken({ reading }: SchemaLocation, why: string): undefined {
  reading.broken ??= why;
}
