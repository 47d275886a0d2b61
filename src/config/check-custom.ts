import { get, getArray, getString, isObject, type JsonObject } from '../core/json.ts';
import type { Metric } from '../metrics/metric.ts';
import { checkThreshold } from './check-threshold.ts';
import { parseCustomMetric } from './custom-metric-names.ts';
import { findMetric, unknownMetric } from './metric-names.ts';
import { PRESET_NAMES } from './presets.ts';
import { type ConfigIssue, configIssue, describeValue, formatKeyPath, type KeyPath } from './schema-errors.ts';

/** Checks of `custom` beyond its schema. @param metrics the built-in ones. */
export function checkCustom(value: unknown, metrics: readonly Metric[]): ConfigIssue[] {
  if (!Array.isArray(value)) return [];
  const before: Metric[] = [];
  return value.flatMap((entry: unknown, index) => {
    if (!isObject(entry)) return [];
    const path = ['custom', index];
    const issues = [
      ...checkName(entry, path, metrics, before),
      ...checkMethod(entry, path),
      ...checkLabels(entry, path),
      ...checkUses(entry, path, [...metrics, ...before]),
    ];
    const metric = parseCustomMetric(entry);
    if (!metric) return issues;
    before.push(metric);
    return [...issues, ...checkThreshold(metric, get(entry, 'threshold'), [...path, 'threshold'])];
  });
}

/** Names with another meaning where names of metrics are allowed. */
const RESERVED = new Map([
  ...PRESET_NAMES.map((name) => [name, 'a list of metrics that Turnwise has'] as const),
  ['severity', 'the name of the gate on failures'],
  ['expectations', 'the name of the gate on expectations'],
  ['ending', 'the name of the gate on runs that ended in an error'],
  ['verdict', 'a value of --correct-by'],
  ['constructor', 'a word that JavaScript keeps for itself'],
]);

function checkName(
  entry: JsonObject,
  at: KeyPath,
  metrics: readonly Metric[],
  before: readonly Metric[],
): ConfigIssue[] {
  const name = getString(entry, 'name');
  if (name === undefined) return [];
  const taken = findMetric(name, metrics);
  const whose = taken
    ? `${taken.name === name ? '' : 'another name of '}a built-in metric`
    : findMetric(name, before)
      ? 'the name of another metric here'
      : RESERVED.get(name);
  const path = [...at, 'name'];
  return whose === undefined
    ? []
    : [configIssue(path, `${formatKeyPath(path)} is ${describeValue(name)}, which is ${whose}; choose another name.`)];
}

/** A metric has a rubric or a function, and each has its own keys. */
function checkMethod(entry: JsonObject, at: KeyPath): ConfigIssue[] {
  const [evaluate, rubric] = [get(entry, 'evaluate'), get(entry, 'rubric')];
  if (rubric === undefined && evaluate === undefined) {
    return [
      configIssue(
        at,
        `${formatKeyPath(at)} has neither "rubric" nor "evaluate". Describe in a rubric what a judge looks for.`,
      ),
    ];
  }
  if (rubric !== undefined && evaluate !== undefined) {
    return [
      configIssue([...at, 'evaluate'], `${formatKeyPath(at)} has both "rubric" and "evaluate". Remove one of them.`),
    ];
  }
  const [method, others] = rubric === undefined ? ['a function', ['samples']] : ['a rubric', ['uses', 'timeoutMs']];
  return others.flatMap((key) => {
    if (get(entry, key) === undefined) return [];
    const path = [...at, key];
    return [configIssue(path, `${formatKeyPath(path)} is set, but ${method} does not use it. Remove it.`)];
  });
}

function checkLabels(entry: JsonObject, at: KeyPath): ConfigIssue[] {
  const labels = getArray(entry, 'labels');
  const labelled = get(entry, 'scale') === 'label';
  const path = [...at, 'labels'];
  // A function may give any label.
  if (labelled && get(entry, 'labels') === undefined && get(entry, 'evaluate') === undefined) {
    return [configIssue([...at, 'scale'], `${formatKeyPath(at)} has the scale "label" but no labels. Add "labels".`)];
  }
  if (!labelled && labels) {
    return [
      configIssue(path, `${formatKeyPath(path)} is set, but only the scale "label" has labels; add "scale": "label".`),
    ];
  }
  const twice = labels?.find((label, index) => labels.indexOf(label) !== index);
  return twice === undefined
    ? []
    : [configIssue(path, `${formatKeyPath(path)} has ${describeValue(twice)} twice. Remove one.`)];
}

/** @param metrics the metrics before it: a metric cannot use itself. */
function checkUses(entry: JsonObject, at: KeyPath, metrics: readonly Metric[]): ConfigIssue[] {
  const scopes = get(entry, 'scope') === 'session' ? ['turn', 'session'] : ['turn'];
  return (getArray(entry, 'uses') ?? []).flatMap((name, index) => {
    if (typeof name !== 'string') return [];
    const path = [...at, 'uses', index];
    const metric = findMetric(name, metrics);
    if (!metric) return unknownMetric(name, path, metrics);
    if (metric.name !== name) {
      return [
        configIssue(
          path,
          `${formatKeyPath(path)} is ${describeValue(name)}, another name of ${metric.name}. Use that name.`,
        ),
      ];
    }
    if (scopes.includes(metric.scope)) return [];
    const reads =
      scopes.length === 1 ? 'a metric of turns reads metrics of turns' : 'a metric reads none of several sessions';
    return [
      configIssue(path, `${formatKeyPath(path)} is ${describeValue(name)}, a metric of a ${metric.scope}; ${reads}.`),
    ];
  });
}
