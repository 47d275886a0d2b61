import type { OutputUnit, Schema } from '@cfworker/json-schema';
import { isObject, type JsonObject } from '../../core/json.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';

/** Around the name of a missing property in a message of the validator. */
const NAME_BEGIN = 'but does not have "';
const NAME_END = '".';

/** The kinds of violations, the most severe first. */
const VIOLATION_KINDS = ['missing', 'type', 'value', 'unknown', 'bounds'] as const;

/** A location in the arguments of a call that violates the tool's schema. */
export interface SchemaViolation {
  readonly kind: (typeof VIOLATION_KINDS)[number];
  /** In path notation: `flights[0].date`; empty for the arguments as a whole. */
  readonly path: string;
  /** Undefined if the argument is missing. */
  readonly value: unknown;
  /** Ends a sentence that begins with the value: `not a number`. */
  readonly description: string;
}

/** The input of the validator. */
interface ValidationContext {
  readonly args: JsonObject;
  readonly schema: Schema;
  /** The parts of the schema by their addresses, for references. */
  readonly parts: Readonly<Record<string, Schema | boolean>>;
}

/**
 * Turns the validator's errors, which name every enclosing schema, into one violation per location, the most severe
 * first.
 */
export function schemaViolations(errors: readonly OutputUnit[], validated: ValidationContext): SchemaViolation[] {
  const byPlace = new Map<string, SchemaViolation>();
  for (const misfit of violationsIn(errors, validated)) {
    const known = byPlace.get(misfit.path);
    if (!known || kindRank(misfit) < kindRank(known)) byPlace.set(misfit.path, misfit);
  }
  return [...byPlace.values()].sort((a, b) => kindRank(a) - kindRank(b));
}

function kindRank({ kind }: SchemaViolation): number {
  return VIOLATION_KINDS.indexOf(kind);
}

/** `` `amount` is "42", not a number ``. */
export function describeViolation({ kind, path, value, description }: SchemaViolation): string {
  if (kind === 'missing') return `${codeSpan(path)} is missing`;
  if (kind === 'unknown') return `${codeSpan(path)} is unknown to it`;
  return `${path === '' ? 'they are' : `${codeSpan(path)} is`} ${formatValue(value)}, ${description}`;
}

/** Keywords whose errors only wrap those of nested schemas. */
const WRAPPER_KEYWORDS: ReadonlySet<string> = new Set([
  ...['$ref', 'allOf', 'if', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'dependentSchemas'],
]);

function violationsIn(errors: readonly OutputUnit[], validated: ValidationContext): SchemaViolation[] {
  const violations: SchemaViolation[] = [];
  let before: OutputUnit | undefined;
  for (let at = 0; at < errors.length; at += 1) {
    const error = errors[at];
    if (!error || WRAPPER_KEYWORDS.has(error.keyword)) continue;
    // A list of required names has one error per name, and is read as a whole.
    if (before && error.keyword === 'required' && hasSameSchema(error, before) && hasSameLocation(error, before))
      continue;
    before = error;
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'propertyNames') {
      const within = errorsWithin(error, errors, at + 1);
      at += within.length;
      violations.push(...violationsOfChoice(error, within, validated));
    } else violations.push(...violationsOfError(error, validated));
  }
  return violations;
}

/** The errors of nested schemas, which follow an error. An error of a `false` schema has no address of its own. */
function errorsWithin({ keywordLocation }: OutputUnit, errors: readonly OutputUnit[], from: number): OutputUnit[] {
  let to = from;
  for (; to < errors.length; to += 1) {
    const { keyword, keywordLocation: location = '' } = errors[to] ?? {};
    if (keyword !== 'false' && !location.startsWith(`${keywordLocation}/`)) break;
  }
  return errors.slice(from, to);
}

function hasSameSchema(a: OutputUnit, b: OutputUnit): boolean {
  return a.keywordLocation === b.keywordLocation;
}

function hasSameLocation(a: OutputUnit, b: OutputUnit): boolean {
  return a.instanceLocation === b.instanceLocation;
}

/** None of several schemas matches: reports the violations of the one that was probably meant. */
function violationsOfChoice(
  error: OutputUnit,
  within: readonly OutputUnit[],
  validated: ValidationContext,
): SchemaViolation[] {
  const location = locationOf(error, validated);
  if (error.keyword === 'propertyNames') {
    return within[0] ? [{ ...locationOf(within[0], validated), kind: 'unknown', description: '' }] : [];
  }
  const choices = errorsByChoice(error, within);
  const offered = keywordOf(error, validated);
  // Matching more than one schema of `oneOf` is usually a flaw of the schema, not of the arguments.
  if (Array.isArray(offered) && choices.length < offered.length) return [];
  const ofType = choices.filter(
    (errors) => !errors.some((other) => other.keyword === 'type' && hasSameLocation(other, error)),
  );
  if (ofType.length === 0) {
    const types = within.flatMap((unit) => (unit.keyword === 'type' ? (keywordOf(unit, validated) ?? []) : []));
    return [typeViolation(types, location)];
  }
  const tagged = ofType.filter((errors) => !errors.some(({ keyword }) => keyword === 'const' || keyword === 'enum'));
  const meant = ofType.length === 1 ? ofType[0] : tagged.length === 1 ? tagged[0] : undefined;
  if (meant) return violationsIn(meant, validated);
  return [{ ...location, kind: 'value', description: 'which has none of the forms that are allowed' }];
}

function errorsByChoice({ keywordLocation }: OutputUnit, within: readonly OutputUnit[]): OutputUnit[][] {
  const choices = new Map<string, OutputUnit[]>();
  let name = '';
  for (const error of within) {
    if (error.keyword !== 'false')
      name = error.keywordLocation.slice(keywordLocation.length + 1).split('/', 1)[0] ?? '';
    const choice = choices.get(name);
    if (choice) choice.push(error);
    else choices.set(name, [error]);
  }
  return [...choices.values()];
}

function violationsOfError(error: OutputUnit, validated: ValidationContext): SchemaViolation[] {
  const location = locationOf(error, validated);
  const expected = keywordOf(error, validated);
  switch (error.keyword) {
    case 'required':
      return namesIn(expected).flatMap((name) =>
        isObject(location.value) && Object.hasOwn(location.value, name) ? [] : missingArgument(location.path, name),
      );
    case 'dependentRequired':
    case 'dependencies': {
      // The name of a missing property is only in the message, and not at all for dependent schemas.
      const nameStart = error.error.indexOf(NAME_BEGIN) + NAME_BEGIN.length;
      if (nameStart < NAME_BEGIN.length || !error.error.endsWith(NAME_END)) return [];
      return [missingArgument(location.path, error.error.slice(nameStart, -NAME_END.length))];
    }
    case 'false':
      return [{ ...location, kind: 'unknown', description: '' }];
    case 'type':
      return [typeViolation([expected].flat(), location)];
    case 'enum':
      return [nullAsMissing({ ...location, kind: 'value', description: `not ${describeEnum(expected)}` })];
    case 'const':
      return [nullAsMissing({ ...location, kind: 'value', description: `not ${formatValue(expected)}` })];
    case 'not':
      return [{ ...location, kind: 'value', description: 'which is ruled out' }];
    default:
      return [{ ...location, kind: 'bounds', description: `not ${describeBound(error.keyword, expected)}` }];
  }
}

function missingArgument(path: string, name: string): SchemaViolation {
  return { kind: 'missing', path: path === '' ? name : `${path}.${name}`, value: undefined, description: '' };
}

interface ArgumentLocation {
  readonly path: string;
  readonly value: unknown;
  readonly inList: boolean;
}

/** Clients write null for an omitted argument. */
function nullAsMissing(misfit: SchemaViolation & ArgumentLocation): SchemaViolation {
  return misfit.value === null && misfit.path !== '' && !misfit.inList ? { ...misfit, kind: 'missing' } : misfit;
}

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function typeViolation(types: readonly unknown[], location: ArgumentLocation): SchemaViolation {
  const expected = [...new Set(types.flatMap((type) => TYPES.get(type) ?? []))];
  const description =
    expected.length === 0
      ? 'not null'
      : expected.length === 1
        ? `not ${expected[0]}`
        : `neither ${expected.join(' nor ')}`;
  return nullAsMissing({ ...location, kind: 'type', description });
}

const MAX_VALUES = 5;

function describeEnum(values: unknown): string {
  const allowed = Array.isArray(values) ? values.filter((item) => item !== null) : [];
  if (allowed.length > MAX_VALUES) return `one of the ${allowed.length} values that are allowed`;
  return allowed.length === 1 ? formatValue(allowed[0]) : `one of ${joinWithAnd(allowed.map(formatValue))}`;
}

function describeBound(keyword: string, bound: unknown): string {
  switch (keyword) {
    case 'minimum':
      return `at least ${bound}`;
    case 'maximum':
      return `at most ${bound}`;
    case 'exclusiveMinimum':
      return `more than ${bound}`;
    case 'exclusiveMaximum':
      return `less than ${bound}`;
    case 'multipleOf':
      return `a multiple of ${bound}`;
    case 'minLength':
      return `at least ${count(bound, 'character')} long`;
    case 'maxLength':
      return `at most ${count(bound, 'character')} long`;
    case 'minItems':
    case 'minProperties':
      return `at least ${count(bound, 'entry', 'entries')}`;
    case 'maxItems':
    case 'maxProperties':
      return `at most ${count(bound, 'entry', 'entries')}`;
    case 'pattern':
      return `of the form ${codeSpan(`${bound}`)}`;
    case 'format':
      return FORMATS.get(bound) ?? `of the format ${formatValue(bound)}`;
    default:
      return `as ${codeSpan(keyword)} wants it`;
  }
}

const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['date', 'a date (`2026-01-31`)'],
  ['email', 'an e-mail address'],
  ['uuid', 'a UUID'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
]);

function count(bound: unknown, one: string, many = `${one}s`): string {
  return `${bound} ${bound === 1 ? one : many}`;
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function locationOf({ instanceLocation }: OutputUnit, { args }: ValidationContext): ArgumentLocation {
  let at = '';
  let value: unknown = args;
  let inList = false;
  for (const token of tokensOf(instanceLocation)) {
    inList = Array.isArray(value);
    at += inList ? `[${token}]` : at === '' ? token : `.${token}`;
    value = childOf(value, token);
  }
  return { path: at, value, inList };
}

/** The value of the keyword that an error is about; undefined if it cannot be found. */
function keywordOf({ keywordLocation }: OutputUnit, { schema, parts }: ValidationContext): unknown {
  let value: unknown = schema;
  for (const token of tokensOf(keywordLocation)) {
    const address = token === '$ref' ? childOf(value, '__absolute_ref__') : undefined;
    value = typeof address === 'string' ? parts[address] : childOf(value, token);
  }
  return value;
}

function childOf(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return value[Number(token)];
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

function tokensOf(location: string): string[] {
  const tokens = location.split('/').slice(1);
  return tokens.map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'));
}
