import type { OutputUnit, Schema } from '@cfworker/json-schema';
import { isObject, type JsonObject } from '../core/json.ts';
import { code, list, value } from './wording.ts';

/** What is wrong with an argument, the gravest first. */
const KINDS = ['missing', 'type', 'value', 'unknown', 'bounds'] as const;

/** A place in the arguments of a call at which they do not fit the tool's schema. */
export interface Misfit {
  readonly kind: (typeof KINDS)[number];
  /** As people write it: `flights[0].date`; empty for the arguments as a whole. */
  readonly at: string;
  /** Undefined where something is missing. */
  readonly found: unknown;
  /** Ends a sentence that begins with what was found: `not a number`. */
  readonly fault: string;
}

/** What the validator looked at. */
interface Validated {
  readonly args: JsonObject;
  readonly schema: Schema;
  /** The parts of the schema by their addresses, to which references lead. */
  readonly parts: Readonly<Record<string, Schema | boolean>>;
}

/** Makes of the validator's errors, which name every schema around a fault, one misfit per place: the gravest first. */
export function misfitsOf(errors: readonly OutputUnit[], validated: Validated): Misfit[] {
  const byPlace = new Map<string, Misfit>();
  for (const misfit of misfitsIn(errors, validated)) {
    const known = byPlace.get(misfit.at);
    if (!known || gravity(misfit) < gravity(known)) byPlace.set(misfit.at, misfit);
  }
  return [...byPlace.values()].sort((a, b) => gravity(a) - gravity(b));
}

function gravity({ kind }: Misfit): number {
  return KINDS.indexOf(kind);
}

/** `` `amount` is "42", not a number ``. */
export function saidOf({ kind, at, found, fault }: Misfit): string {
  if (kind === 'missing') return `${code(at)} is missing`;
  if (kind === 'unknown') return `${code(at)} is unknown to it`;
  return `${at === '' ? 'they are' : `${code(at)} is`} ${value(found)}, ${fault}`;
}

/** Keywords whose errors only lead to those of the schemas within. */
const AROUND: ReadonlySet<string> = new Set([
  ...['$ref', 'allOf', 'if', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'dependentSchemas'],
]);

function misfitsIn(errors: readonly OutputUnit[], validated: Validated): Misfit[] {
  const found: Misfit[] = [];
  let before: OutputUnit | undefined;
  for (let at = 0; at < errors.length; at += 1) {
    const error = errors[at];
    if (!error || AROUND.has(error.keyword)) continue;
    // A list of required names has one error for each, and is read as a whole.
    if (before && error.keyword === 'required' && sameSchema(error, before) && samePlace(error, before)) continue;
    before = error;
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'propertyNames') {
      const within = errorsWithin(error, errors, at + 1);
      at += within.length;
      found.push(...ofChoice(error, within, validated));
    } else found.push(...ofOne(error, validated));
  }
  return found;
}

/** The errors of the schemas within one, which follow its own; what is simply forbidden is said without its address. */
function errorsWithin({ keywordLocation }: OutputUnit, errors: readonly OutputUnit[], from: number): OutputUnit[] {
  let to = from;
  for (; to < errors.length; to += 1) {
    const { keyword, keywordLocation: location = '' } = errors[to] ?? {};
    if (keyword !== 'false' && !location.startsWith(`${keywordLocation}/`)) break;
  }
  return errors.slice(from, to);
}

function sameSchema(a: OutputUnit, b: OutputUnit): boolean {
  return a.keywordLocation === b.keywordLocation;
}

function samePlace(a: OutputUnit, b: OutputUnit): boolean {
  return a.instanceLocation === b.instanceLocation;
}

/** Of several schemas none fits: what is wrong is what the one says that was probably meant. */
function ofChoice(error: OutputUnit, within: readonly OutputUnit[], validated: Validated): Misfit[] {
  const place = placeOf(error, validated);
  if (error.keyword === 'propertyNames') {
    return within[0] ? [{ ...placeOf(within[0], validated), kind: 'unknown', fault: '' }] : [];
  }
  const choices = byChoice(error, within);
  const offered = keywordOf(error, validated);
  // To fit more than one of `oneOf` is a flaw of schemas more often than of arguments.
  if (Array.isArray(offered) && choices.length < offered.length) return [];
  const ofType = choices.filter((errors) => !errors.some((one) => one.keyword === 'type' && samePlace(one, error)));
  if (ofType.length === 0) {
    const types = within.flatMap((one) => (one.keyword === 'type' ? (keywordOf(one, validated) ?? []) : []));
    return [ofTypes(types, place)];
  }
  const tagged = ofType.filter((errors) => !errors.some(({ keyword }) => keyword === 'const' || keyword === 'enum'));
  const meant = ofType.length === 1 ? ofType[0] : tagged.length === 1 ? tagged[0] : undefined;
  if (meant) return misfitsIn(meant, validated);
  return [{ ...place, kind: 'value', fault: 'which has none of the forms that are allowed' }];
}

function byChoice({ keywordLocation }: OutputUnit, within: readonly OutputUnit[]): OutputUnit[][] {
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

function ofOne(error: OutputUnit, validated: Validated): Misfit[] {
  const place = placeOf(error, validated);
  const wanted = keywordOf(error, validated);
  switch (error.keyword) {
    case 'required':
      return namesIn(wanted).flatMap((name) =>
        isObject(place.found) && Object.hasOwn(place.found, name) ? [] : missing(place.at, name),
      );
    case 'dependentRequired':
    case 'dependencies': {
      // The name of what is missing stands in its message only, and not at all where a schema depends.
      const name = /but does not have "(.*)"\.$/s.exec(error.error)?.[1];
      return name === undefined ? [] : [missing(place.at, name)];
    }
    case 'false':
      return [{ ...place, kind: 'unknown', fault: '' }];
    case 'type':
      return [ofTypes([wanted].flat(), place)];
    case 'enum':
      return [orMissing({ ...place, kind: 'value', fault: `not ${oneOf(wanted)}` })];
    case 'const':
      return [orMissing({ ...place, kind: 'value', fault: `not ${value(wanted)}` })];
    case 'not':
      return [{ ...place, kind: 'value', fault: 'which is ruled out' }];
    default:
      return [{ ...place, kind: 'bounds', fault: `not ${withinBounds(error.keyword, wanted)}` }];
  }
}

function missing(at: string, name: string): Misfit {
  return { kind: 'missing', at: at === '' ? name : `${at}.${name}`, found: undefined, fault: '' };
}

interface Place {
  readonly at: string;
  readonly found: unknown;
  readonly inList: boolean;
}

/** Null is what clients write for an argument that is left out. */
function orMissing(misfit: Misfit & Place): Misfit {
  return misfit.found === null && misfit.at !== '' && !misfit.inList ? { ...misfit, kind: 'missing' } : misfit;
}

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function ofTypes(types: readonly unknown[], place: Place): Misfit {
  const wanted = [...new Set(types.flatMap((type) => TYPES.get(type) ?? []))];
  const fault =
    wanted.length === 0 ? 'not null' : wanted.length === 1 ? `not ${wanted[0]}` : `neither ${wanted.join(' nor ')}`;
  return orMissing({ ...place, kind: 'type', fault });
}

const MOST_VALUES = 5;

function oneOf(values: unknown): string {
  const allowed = Array.isArray(values) ? values.filter((one) => one !== null) : [];
  if (allowed.length > MOST_VALUES) return `one of the ${allowed.length} values that are allowed`;
  return allowed.length === 1 ? value(allowed[0]) : `one of ${list(allowed.map(value))}`;
}

function withinBounds(keyword: string, bound: unknown): string {
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
      return `of the form ${code(`${bound}`)}`;
    case 'format':
      return FORMATS.get(bound) ?? `of the format ${value(bound)}`;
    default:
      return `as ${code(keyword)} wants it`;
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

function namesIn(found: unknown): string[] {
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
}

function placeOf({ instanceLocation }: OutputUnit, { args }: Validated): Place {
  let at = '';
  let found: unknown = args;
  let inList = false;
  for (const token of tokensOf(instanceLocation)) {
    inList = Array.isArray(found);
    at += inList ? `[${token}]` : at === '' ? token : `.${token}`;
    found = childOf(found, token);
  }
  return { at, found, inList };
}

/** What the schema says at the keyword that an error is of; undefined where that is not found. */
function keywordOf({ keywordLocation }: OutputUnit, { schema, parts }: Validated): unknown {
  let found: unknown = schema;
  for (const token of tokensOf(keywordLocation)) {
    const address = token === '$ref' ? childOf(found, '__absolute_ref__') : undefined;
    found = typeof address === 'string' ? parts[address] : childOf(found, token);
  }
  return found;
}

function childOf(found: unknown, token: string): unknown {
  if (Array.isArray(found)) return found[Number(token)];
  return isObject(found) && Object.hasOwn(found, token) ? found[token] : undefined;
}

function tokensOf(location: string): string[] {
  const tokens = location.split('/').slice(1);
  return tokens.map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'));
}
