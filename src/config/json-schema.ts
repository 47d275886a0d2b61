import * as z from 'zod';
import { EDITOR_MODEL_EXAMPLE, EDITOR_PROVIDER } from '../core/editor-models.ts';
import { get, getArray, getObject, isObject, type JsonObject } from '../core/json.ts';
import { schemaIf } from '../core/json-schema.ts';
import { MODEL_SYNTAX, PROVIDER_NAMES } from '../core/model-providers.ts';
import { type ScoreRange, scaleRange } from '../core/scale.ts';
import type { Metric } from '../metrics/metric.ts';
import { optionNames, type Registry } from './check.ts';
import { needsJudgeModel } from './check-models.ts';
import { PRESET_NAMES } from './presets.ts';
import { configurationSchema } from './schema.ts';

/**
 * The JSON schema of the configuration, for editors, with the names, options and ranges of metrics and rules. Unknown
 * names of metrics are mistakes only if the configuration has no custom metrics.
 */
export function configurationJsonSchema({ metrics, rules }: Registry): JsonObject {
  const schema = z.toJSONSchema(configurationSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  const properties = getObject(schema, 'properties') ?? {};
  const gates = getObject(properties, 'gates') ?? {};
  const level = getArray(get(getObject(properties, 'rules'), 'additionalProperties'), 'anyOf')?.[0];
  const names = metrics.flatMap(namesOf);
  const listed = [...names, ...PRESET_NAMES];
  const settings = metrics.flatMap((metric) =>
    namesOf(metric).map((name) => [name, metricSettingsSchema(metric)] as const),
  );
  const thresholds = thresholdSchemas(metrics);
  const ofTasks = thresholdSchemas(metrics.filter(({ scope }) => scope !== 'run'));
  return {
    ...schema,
    title: 'Configuration of Turnwise',
    properties: {
      ...withoutCode(properties),
      metrics: anyOf(
        { type: 'array', items: anyOf({ enum: listed }, { type: 'string' }) },
        openObject(settings, CUSTOM_METRIC),
      ),
      gates: {
        ...gates,
        properties: {
          ...getObject(gates, 'properties'),
          thresholds: openObject(thresholds, ANY_THRESHOLD),
          for: taskGates(getObject(getObject(gates, 'properties'), 'for') ?? {}, ofTasks),
        },
      },
      rules: closedObject(rules.flatMap((rule) => ruleProperties(rule, level))),
      custom: customSettings(getObject(properties, 'custom') ?? {}),
    },
    ...schemaIf(
      { not: { required: ['custom'] } },
      {
        properties: {
          metrics: anyOf(
            { type: 'array', items: { enum: listed } },
            { type: 'object', propertyNames: { enum: names } },
          ),
          gates: {
            properties: {
              thresholds: namesOnly(thresholds),
              for: { items: { properties: { thresholds: namesOnly(ofTasks) } } },
            },
          },
        },
      },
    ),
  };
}

type NamedSchemas = readonly (readonly [string, JsonObject])[];

function taskGates(entries: JsonObject, thresholds: NamedSchemas): JsonObject {
  const items = getObject(entries, 'items') ?? {};
  const properties = { ...getObject(items, 'properties'), thresholds: openObject(thresholds, ANY_THRESHOLD) };
  const described = 'Gates that differ for some tasks or tags. Of several entries that match, the last one counts.';
  return { ...entries, description: described, items: { ...items, properties, ...ONE_SUBJECT } };
}

/** An entry is for tasks or for tags. */
const ONE_SUBJECT = { oneOf: [{ required: ['task'] }, { required: ['tag'] }] };

function namesOnly(schemas: NamedSchemas): JsonObject {
  return { propertyNames: { enum: schemas.map(([name]) => name) } };
}

/** Without the keys and the provider of functions, which JSON cannot have. */
function withoutCode({ source, providers, ...properties }: JsonObject): JsonObject {
  const roles = Object.entries({ judge: 'ask', embedder: 'embed' }).map(([role, functionKey]) => {
    const settings = getObject(properties, role) ?? {};
    const { [functionKey]: fn, name, ...own } = getObject(settings, 'properties') ?? {};
    const provider = getObject(own, 'provider') ?? {};
    const names = (getArray(provider, 'enum') ?? []).filter((name) => name !== 'function');
    return [role, { ...settings, properties: { ...own, provider: { ...provider, enum: names } } }] as const;
  });
  return { ...properties, ...Object.fromEntries(roles), simulation: withoutHandlers(properties.simulation) };
}

/** Without agents that are functions, wherever an agent stands. */
function withoutHandlers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.filter((item) => !hasHandler(item)).map(withoutHandlers);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutHandlers(value)]));
}

function hasHandler(schema: unknown): boolean {
  return getObject(getObject(schema, 'properties'), 'handler') !== undefined;
}

/** Keys of functions, which JSON cannot have. */
const FUNCTION_KEYS = ['evaluate', 'uses', 'timeoutMs'];

/** A custom metric in JSON. */
function customSettings(custom: JsonObject): JsonObject {
  const items = getObject(custom, 'items') ?? {};
  const properties = Object.entries(getObject(items, 'properties') ?? {}).filter(
    ([key]) => !FUNCTION_KEYS.includes(key),
  );
  return {
    ...custom,
    description: 'Your own metrics, each with a rubric in plain words for a judge.',
    items: { ...items, properties: Object.fromEntries(properties), required: ['name', 'rubric'] },
  };
}

function anyOf(...schemas: readonly JsonObject[]): JsonObject {
  return { anyOf: schemas };
}

/** An object whose unlisted properties have the other schema. */
function openObject(entries: readonly (readonly [string, unknown])[], other: JsonObject): JsonObject {
  return { type: 'object', properties: Object.fromEntries(entries), additionalProperties: other };
}

function namesOf({ name, aliases }: Metric): string[] {
  return [name, ...(aliases ?? [])];
}

function closedObject(entries: readonly (readonly [string, unknown])[]): JsonObject {
  return { type: 'object', properties: Object.fromEntries(entries), additionalProperties: false };
}

function thresholdSchemas(metrics: readonly Metric[]): [string, JsonObject][] {
  return metrics.flatMap((metric) => {
    const threshold = thresholdSchema(metric);
    return threshold ? namesOf(metric).map((name): [string, JsonObject] => [name, threshold]) : [];
  });
}

function metricSettingsSchema(metric: Metric): JsonObject {
  const options = optionsSchema(metric);
  const threshold = thresholdSchema(metric);
  return {
    description: metric.question,
    type: 'object',
    properties: {
      enabled: { type: 'boolean', ...(metric.optIn ? { description: 'Runs only when it is enabled.' } : {}) },
      ...(threshold ? { threshold } : {}),
      ...(needsJudgeModel(metric) ? { judge: OWN_JUDGE } : {}),
      ...getObject(options, 'properties'),
    },
    additionalProperties: optionNames(metric) === null,
  };
}

const OWN_JUDGE = {
  type: 'string',
  pattern: `^(${[...PROVIDER_NAMES, EDITOR_PROVIDER].join('|')})[:/].+`,
  description: `A model for this metric alone, as ${[...MODEL_SYNTAX, `${EDITOR_PROVIDER}:${EDITOR_MODEL_EXAMPLE}`].join(' or ')}.`,
};

const ANY_THRESHOLD = { type: ['number', 'string'], description: 'The threshold of your own metric, on its scale.' };

/** The settings of a metric that the configuration defines itself. */
const CUSTOM_METRIC = {
  description: 'Your own metric, defined in "custom".',
  type: 'object',
  properties: { enabled: { type: 'boolean' }, threshold: ANY_THRESHOLD, judge: OWN_JUDGE },
  additionalProperties: false,
};

/** The settings of a rule under its id and its former id. */
function ruleProperties(rule: Registry['rules'][number], level: unknown): [string, JsonObject][] {
  const settings = ruleSettings(rule, level);
  const former = { ...settings, deprecated: true, deprecationMessage: `Renamed to ${rule.id}.` };
  return [
    [rule.id, settings],
    ...(rule.formerId === undefined ? [] : [[rule.formerId, former] as [string, JsonObject]]),
  ];
}

function ruleSettings(rule: Registry['rules'][number], level: unknown): JsonObject {
  const settings = {
    type: 'object',
    properties: { level, ...getObject(optionsSchema(rule), 'properties') },
    additionalProperties: false,
  };
  return { description: rule.title, anyOf: [level, settings] };
}

function optionsSchema({ options }: Pick<Metric, 'options'>): JsonObject {
  return options ? z.toJSONSchema(options, { io: 'input', target: 'draft-7', unrepresentable: 'any' }) : {};
}

function thresholdSchema(metric: Metric): JsonObject | null {
  const range = scaleRange(metric.scale);
  if (!range) return null;
  const number = { type: 'number', ...bounds(range), description: metric.question };
  return range[1] === 1 ? { anyOf: [number, { type: 'string', pattern: '^\\d+(\\.\\d+)?%$' }] } : number;
}

function bounds([minimum, maximum]: ScoreRange): JsonObject {
  return { minimum, ...(maximum === null ? {} : { maximum }) };
}
