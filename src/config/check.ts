import * as z from 'zod';
import { get, getArray, getObject, isObject } from '../core/json.ts';
import { MISSING_K } from '../core/problem.ts';
import { AGENT_FAILURES, EXPECTATION_NOT_MET, GOAL_NOT_COMPLETED, TOOL_FAILURES } from '../core/severity.ts';
import { SESSION_MEASURES } from '../core/statuses.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Rule } from '../rules/rule.ts';
import { checkCustom } from './check-custom.ts';
import { checkModels, checkOwnJudge, findSecretKeys, findUnknownProvider, needsJudgeModel } from './check-models.ts';
import { checkThreshold } from './check-threshold.ts';
import { addCustomMetrics, customTurnLabels } from './custom-metric-names.ts';
import { expandFunctions, resolveProvider } from './function-shorthands.ts';
import { findMetric, unknownMetric } from './metric-names.ts';
import { isPreset } from './presets.ts';
import { type Configuration, configurationSchema } from './schema.ts';
import {
  type ConfigIssue,
  configIssue,
  describeValue,
  explainIssues,
  formatKeyPath,
  type KeyPath,
} from './schema-errors.ts';
import { findUnknownAgents } from './simulation-schema.ts';
import { didYouMean } from './suggest.ts';

/** The metrics, rules and formats that a configuration may name. */
export interface Registry {
  readonly metrics: readonly Metric[];
  readonly rules: readonly Pick<Rule, 'id' | 'formerId' | 'title' | 'options'>[];
  readonly formats: readonly { readonly name: string }[];
}

export interface CheckedConfiguration {
  /** Null if one of the issues is an error. */
  readonly configuration: Configuration | null;
  readonly issues: readonly ConfigIssue[];
}

/** Checks a configuration of any shape: its schema, the names in it, and their options. Never throws. */
export function checkConfiguration(written: unknown, registry: Registry): CheckedConfiguration {
  const value = resolveProvider(expandFunctions(written));
  const parsed = configurationSchema.safeParse(value);
  const issues: ConfigIssue[] = [];
  if (!parsed.success) {
    // For these keys there are better messages than the schema's.
    const unknownProvider = findUnknownProvider(value);
    const explained = [...findSecretKeys(value), ...(unknownProvider ? [unknownProvider.path] : [])].map(formatKeyPath);
    const schemaIssues = explainIssues(parsed.error.issues, configurationSchema, value, []);
    issues.push(...schemaIssues.filter(({ path }) => !explained.includes(formatKeyPath(path))));
    if (unknownProvider) issues.push(unknownProvider);
  }
  issues.push(...checkMeaning(value, registry));
  if (parsed.success) issues.push(...checkNamedAgents(parsed.data));
  const failed = issues.some(({ severity }) => severity === 'error');
  return { configuration: parsed.success && !failed ? parsed.data : null, issues };
}

function withoutKeys(value: unknown, keys: readonly string[]): unknown {
  if (!isObject(value) || keys.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Checks beyond the schema, on the raw value, so that one mistake does not hide another. */
function checkMeaning(value: unknown, { metrics: builtIn, rules, formats }: Registry): ConfigIssue[] {
  const metrics = addCustomMetrics(builtIn, value);
  return [
    ...checkModels(value),
    ...checkCustom(get(value, 'custom'), builtIn),
    ...checkMetrics(get(value, 'metrics'), metrics),
    ...checkThresholds(getObject(getObject(value, 'gates'), 'thresholds'), ['gates', 'thresholds'], metrics),
    ...taskThresholds(value).flatMap(({ at, thresholds }) =>
      checkTaskThresholds(thresholds, at, metrics, 'gates.thresholds'),
    ),
    ...checkRules(getObject(value, 'rules'), rules),
    ...checkNames(getObject(value, 'severities'), 'severities', 'failure label', [
      ...FAILURE_LABELS,
      ...customTurnLabels(value),
    ]),
    ...checkAlerts(value, metrics, rules),
    ...checkK(value, metrics),
    ...checkMap(get(value, 'map'), formats),
  ];
}

function checkNamedAgents({ simulation }: Configuration): ConfigIssue[] {
  const names = Object.keys(simulation.agents);
  const known = names.length === 0 ? 'There are no "agents"' : `"agents" has ${names.join(', ')}`;
  return findUnknownAgents(simulation).map(({ name, path: own }) => {
    const path = ['simulation', ...own];
    const message = `${formatKeyPath(path)} is "${name}", which is no agent. ${known}.${didYouMean(name, names)}`;
    return configIssue(path, message);
  });
}

/** A warning only, since scores that a trace imports have any name. */
function checkAlerts(value: unknown, metrics: readonly Metric[], rules: Registry['rules']): ConfigIssue[] {
  const alerts = get(value, 'alerts');
  const [path, list] = Array.isArray(alerts) ? [['alerts'], alerts] : [['alerts', 'when'], get(alerts, 'when')];
  if (!Array.isArray(list)) return [];
  const names = [
    ...metrics.map(({ name }) => name),
    ...SESSION_MEASURES,
    ...rules.map(({ id }) => id),
    ...FAILURE_LABELS,
    ...customTurnLabels(value),
  ];
  return list.flatMap((alert: unknown, index) => {
    const name = get(alert, 'metric');
    if (typeof name !== 'string' || names.includes(name)) return [];
    const where = [...path, index, 'metric'];
    const message = `${formatKeyPath(where)} is "${name}", which is no metric, rule or failure label, and none of ${SESSION_MEASURES.join(', ')}: only imported scores can have that name.${didYouMean(name, names)}`;
    return [configIssue(where, message, 'warning')];
  });
}

const FAILURE_LABELS = [
  ...Object.keys(AGENT_FAILURES),
  ...Object.keys(TOOL_FAILURES),
  GOAL_NOT_COMPLETED,
  EXPECTATION_NOT_MET,
];

export function checkMetrics(value: unknown, metrics: readonly Metric[]): ConfigIssue[] {
  if (Array.isArray(value)) {
    return value.flatMap((name, index) =>
      typeof name === 'string' && !isPreset(name) ? unknownMetric(name, ['metrics', index], metrics) : [],
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, settings]) => {
    const path = ['metrics', name];
    const metric = findMetric(name, metrics);
    if (!metric) return unknownMetric(name, path, metrics);
    return isObject(settings) ? checkSettings(metric, settings, path) : [];
  });
}

function checkSettings(metric: Metric, settings: Readonly<Record<string, unknown>>, path: KeyPath): ConfigIssue[] {
  const { enabled, threshold, judge, ...options } = settings;
  return [
    ...checkThreshold(metric, threshold, [...path, 'threshold']),
    ...checkOwnJudge(metric, judge, [...path, 'judge']),
    ...checkOptions(metric, needsJudgeModel(metric) ? JUDGED_SETTINGS : METRIC_SETTINGS, options, path),
  ];
}

function checkRules(value: Readonly<Record<string, unknown>> | undefined, rules: Registry['rules']): ConfigIssue[] {
  const names = rules.map(({ id }) => id);
  const formerNames = rules.flatMap(({ formerId }) => formerId ?? []);
  const settings = Object.entries(value ?? {}).flatMap(([id, own]) => {
    const rule = rules.find((candidate) => candidate.id === id || candidate.formerId === id);
    if (!rule || !isObject(own)) return [];
    const { level, ...options } = own;
    return checkOptions(rule, RULE_SETTINGS, options, ['rules', id]);
  });
  return [...checkNames(value, 'rules', 'rule', names, formerNames), ...settings];
}

/** A metric or a rule that may have options. */
type Configurable = Pick<Metric, 'options'>;

function checkOptions(
  configurable: Configurable,
  settings: readonly string[],
  options: Readonly<Record<string, unknown>>,
  path: KeyPath,
): ConfigIssue[] {
  const known = optionNames(configurable);
  const unknown = Object.keys(options).filter((key) => known && !known.includes(key));
  const unknownKeys = unknown.map((key) => {
    const keys = [...settings, ...(known ?? [])];
    const sentence = `Unknown key "${key}" in ${formatKeyPath(path)}.${didYouMean(key, keys)} Allowed keys: ${keys.join(', ')}.`;
    return configIssue([...path, key], sentence);
  });
  if (!configurable.options) return unknownKeys;
  const rest = withoutKeys(options, unknown);
  const parsed = configurable.options.safeParse(rest);
  if (parsed.success) return unknownKeys;
  // Missing options only matter for a selected metric; see checkK.
  const issues = parsed.error.issues.filter(
    ({ path: keys }) => keys.length !== 1 || get(rest, String(keys[0])) !== undefined,
  );
  return [...unknownKeys, ...explainIssues(issues, configurable.options, rest, path)];
}

const METRIC_SETTINGS = ['enabled', 'threshold'];
const JUDGED_SETTINGS = [...METRIC_SETTINGS, 'judge'];
const RULE_SETTINGS = ['level'];

/** The names of the options of a metric or a rule; null if its schema does not list them. */
export function optionNames({ options }: Configurable): readonly string[] | null {
  if (!options) return [];
  return options instanceof z.ZodObject ? Object.keys(options.shape) : null;
}

function checkThresholds(
  thresholds: Readonly<Record<string, unknown>> | undefined,
  at: KeyPath,
  metrics: readonly Metric[],
): ConfigIssue[] {
  return Object.entries(thresholds ?? {}).flatMap(([name, threshold]) => {
    const path = [...at, name];
    const metric = findMetric(name, metrics);
    return metric ? checkThreshold(metric, threshold, path) : unknownMetric(name, path, metrics);
  });
}

/** The thresholds of some tasks. @param instead where a threshold of the whole run is set. */
export function checkTaskThresholds(
  thresholds: Readonly<Record<string, unknown>> | undefined,
  at: KeyPath,
  metrics: readonly Metric[],
  instead: string,
): ConfigIssue[] {
  const ofRun = Object.keys(thresholds ?? {}).filter((name) => findMetric(name, metrics)?.scope === 'run');
  return [
    ...checkThresholds(thresholds, at, metrics),
    ...ofRun.map((name) => {
      const sentence = `${name} is one figure of the whole run, and no task has one of its own. Set its threshold in ${instead}.`;
      return configIssue([...at, name], sentence);
    }),
  ];
}

/** The thresholds of `gates.for`, each object with its path. */
function taskThresholds(value: unknown): { at: KeyPath; thresholds: Readonly<Record<string, unknown>> }[] {
  return (getArray(get(value, 'gates'), 'for') ?? []).flatMap((entry, index) => {
    const thresholds = getObject(entry, 'thresholds');
    return thresholds ? [{ at: ['gates', 'for', index, 'thresholds'], thresholds }] : [];
  });
}

function checkNames(
  value: Readonly<Record<string, unknown>> | undefined,
  key: string,
  noun: string,
  names: readonly string[],
  formerNames: readonly string[] = [],
): ConfigIssue[] {
  return Object.keys(value ?? {}).flatMap((name) =>
    names.includes(name) || formerNames.includes(name)
      ? []
      : [
          configIssue(
            [key, name],
            `There is no ${noun} "${name}".${didYouMean(name, names)} Known: ${names.join(', ')}.`,
          ),
        ],
  );
}

/** There is no sensible default for the k of pass@k over a session's turns: a selected metric must have one. */
function checkK(value: unknown, metrics: readonly Metric[]): ConfigIssue[] {
  if (!findMetric('agentic', metrics)) return [];
  const settings = get(value, 'metrics');
  const own = get(settings, 'agentic');
  const listed = Array.isArray(settings) ? settings.indexOf('agentic') : -1;
  const inGeneral = getObject(get(value, 'gates'), 'thresholds') ?? {};
  const gated = [{ at: ['gates', 'thresholds'], thresholds: inGeneral }, ...taskThresholds(value)].find(
    ({ thresholds }) => thresholds.agentic !== undefined,
  );
  if (get(own, 'k') !== undefined || (listed < 0 && get(own, 'enabled') !== true && !gated)) return [];
  const parent = (isObject(own) ? null : gated?.at) ?? ['metrics'];
  return [
    { ...configIssue(listed >= 0 ? ['metrics', listed] : [...parent, 'agentic'], MISSING_K_MESSAGE), code: MISSING_K },
  ];
}

export const MISSING_K_MESSAGE =
  'The metric agentic needs k, the number of attempts for pass@k. Write "metrics": { "agentic": { "enabled": true, "k": 3 } }.';

/** A mapping is a format, so its name must be unique. */
function checkMap(value: unknown, formats: Registry['formats']): ConfigIssue[] {
  const taken = new Map(formats.map(({ name }) => [name, 'a built-in format']));
  return [value].flat().flatMap((mapping, index) => {
    const name = isObject(mapping) ? (get(mapping, 'name') ?? 'map') : undefined;
    if (typeof name !== 'string') return [];
    const path = [...(Array.isArray(value) ? ['map', index] : ['map']), 'name'];
    const whose = taken.get(name);
    taken.set(name, 'the name of another mapping');
    return whose
      ? [configIssue(path, `${formatKeyPath(path)} is ${describeValue(name)}, which is ${whose}; choose another name.`)]
      : [];
  });
}
