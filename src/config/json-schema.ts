import * as z from 'zod';
import { get, getArray, getObject, type JsonObject } from '../core/json.ts';
import { type Range, rangeOf } from '../core/scale.ts';
import type { Metric } from '../metrics/metric.ts';
import { optionNames, type Vocabulary } from './check.ts';
import { configurationSchema } from './schema.ts';

/** The JSON schema of the configuration, for editors: names of metrics and rules, their options and ranges included. */
export function configurationJsonSchema({ metrics, rules }: Vocabulary): JsonObject {
  const schema = z.toJSONSchema(configurationSchema, { io: 'input', target: 'draft-7' });
  const properties = getObject(schema, 'properties') ?? {};
  const gates = getObject(properties, 'gates') ?? {};
  const level = getArray(get(getObject(properties, 'rules'), 'additionalProperties'), 'anyOf')?.[0];
  return {
    ...schema,
    title: 'Configuration of Turnwise',
    properties: {
      ...properties,
      metrics: {
        anyOf: [
          { type: 'array', items: { enum: metrics.flatMap(namesOf) } },
          closed(metrics.flatMap((metric) => namesOf(metric).map((name) => [name, settingsOf(metric)]))),
        ],
      },
      gates: { ...gates, properties: { ...getObject(gates, 'properties'), thresholds: closed(thresholds(metrics)) } },
      rules: closed(rules.map((rule) => [rule.id, ruleSettings(rule, level)])),
    },
  };
}

function namesOf({ name, aliases }: Metric): string[] {
  return [name, ...(aliases ?? [])];
}

function closed(entries: readonly (readonly [string, unknown])[]): JsonObject {
  return { type: 'object', properties: Object.fromEntries(entries), additionalProperties: false };
}

function thresholds(metrics: readonly Metric[]): [string, JsonObject][] {
  return metrics.flatMap((metric) => {
    const threshold = thresholdOf(metric);
    return threshold ? namesOf(metric).map((name): [string, JsonObject] => [name, threshold]) : [];
  });
}

function settingsOf(metric: Metric): JsonObject {
  const options = optionsOf(metric);
  const threshold = thresholdOf(metric);
  return {
    description: metric.question,
    type: 'object',
    properties: {
      enabled: { type: 'boolean', ...(metric.optIn ? { description: 'Runs only when it is enabled.' } : {}) },
      ...(threshold ? { threshold } : {}),
      ...(metric.needs.includes('judge') ? { judge: OWN_JUDGE } : {}),
      ...getObject(options, 'properties'),
    },
    additionalProperties: optionNames(metric) === null,
  };
}

const OWN_JUDGE = {
  type: 'string',
  pattern: '^(openai|ollama)[:/].+',
  description: 'A model of its own, as openai:MODEL or ollama:MODEL.',
};

function ruleSettings(rule: Vocabulary['rules'][number], level: unknown): JsonObject {
  const settings = {
    type: 'object',
    properties: { level, ...getObject(optionsOf(rule), 'properties') },
    additionalProperties: false,
  };
  return { description: rule.title, anyOf: [level, settings] };
}

function optionsOf({ options }: Pick<Metric, 'options'>): JsonObject {
  return options ? z.toJSONSchema(options, { io: 'input', target: 'draft-7', unrepresentable: 'any' }) : {};
}

function thresholdOf(metric: Metric): JsonObject | null {
  const range = rangeOf(metric.scale);
  if (!range) return null;
  const number = { type: 'number', ...bounds(range), description: metric.question };
  return range[1] === 1 ? { anyOf: [number, { type: 'string', pattern: '^\\d+(\\.\\d+)?%$' }] } : number;
}

function bounds([minimum, maximum]: Range): JsonObject {
  return { minimum, ...(maximum === null ? {} : { maximum }) };
}
