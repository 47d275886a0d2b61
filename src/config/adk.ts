import { dirname, join } from 'node:path';
import { get, getObject, isObject, type JsonObject, jsonEqual } from '../core/json.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Metric } from '../metrics/metric.ts';
import { optionNames, type Registry } from './check.ts';
import { checkOwnJudge } from './check-models.ts';
import { checkThreshold } from './check-threshold.ts';
import { exists } from './discover.ts';
import { restrictMetrics } from './flags.ts';
import { type ConfigurationProblem, locateIssues, readConfiguration } from './load.ts';
import { findMetric, unknownMetric } from './metric-names.ts';
import { parseModelName } from './model-name.ts';
import type { Configuration, MetricSettings } from './schema.ts';
import {
  type ConfigIssue,
  configIssue,
  describeValue,
  explainIssues,
  formatKeyPath,
  type KeyPath,
} from './schema-errors.ts';

const FILE = 'test_config.json';

/** An ADK `test_config.json`, translated into our schema. */
export interface AdkConfiguration {
  readonly file: string;
  /** Null if one of the problems is an error. */
  readonly criteria: AdkCriteria | null;
  readonly problems: readonly ConfigurationProblem[];
}

export interface AdkCriteria {
  /** Metrics with their options. */
  readonly metrics: SettingsByMetric;
  /** Gates of each session, as in ADK. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** The `test_config.json` beside the evaluation sets; null if there is none. */
export async function findAdkConfiguration(
  files: readonly string[],
  registry: Registry,
): Promise<AdkConfiguration | null> {
  const candidates = [...new Set(files.filter((file) => file !== '-').map((file) => join(dirname(file), FILE)))];
  const there = await Promise.all(candidates.map(exists));
  const all = await Promise.all(candidates.filter((_, index) => there[index]).map((file) => readAdk(file, registry)));
  const [first, ...others] = all;
  if (!first) return null;
  const other = others.find(({ criteria }) => !jsonEqual(criteria, first.criteria));
  if (!other) return first;
  const message = `Its criteria differ from those of ${first.file}, and a run has one set of criteria. Evaluate the folders separately.`;
  const conflict = { ...createProblem('error', 'configuration', other.file, message), column: null };
  return { file: first.file, criteria: null, problems: [...all.flatMap(({ problems }) => problems), conflict] };
}

/**
 * Adds criteria to a configuration, which overrides them. Models that criteria name are used only with the provider of
 * the configuration's judge: a file beside a trace must not decide where the trace is sent.
 */
export function applyCriteria(
  configuration: Configuration,
  adkCriteria: AdkCriteria,
  { metrics }: Registry,
): Configuration {
  const { gates } = configuration;
  const criteria = { ...adkCriteria, metrics: dropForeignJudges(adkCriteria.metrics, configuration) };
  const own = gates.thresholds && Object.keys(gates.thresholds).length > 0;
  return {
    ...configuration,
    metrics: Array.isArray(configuration.metrics)
      ? restrictMetrics(criteria.metrics, configuration.metrics, metrics)
      : mergeSettings(criteria.metrics, configuration.metrics, metrics),
    gates: own ? gates : { ...gates, thresholds: { ...criteria.thresholds }, scope: gates.scope ?? 'session' },
  };
}

/** A warning if criteria name models that are not used. */
export function warnUnusedJudges({ file, criteria }: AdkConfiguration, configuration: Configuration): Problem[] {
  const models = Object.values(criteria?.metrics ?? {}).flatMap(({ judge }) => judge ?? []);
  const [foreign] = models.filter((judge) => isForeignJudge(judge, configuration));
  if (foreign === undefined) return [];
  const { provider } = parseModelName(foreign);
  const message = `The judge ${foreign} is ignored, because a file beside a trace cannot decide where the trace is sent. To use it, pass --judge ${provider}:MODEL.`;
  return [createProblem('warning', 'configuration', file, message)];
}

function dropForeignJudges(settings: SettingsByMetric, configuration: Configuration): SettingsByMetric {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { judge, ...own }]) => [
      name,
      judge === undefined || isForeignJudge(judge, configuration) ? own : { ...own, judge },
    ]),
  );
}

function isForeignJudge(judge: string, configuration: Configuration): boolean {
  return parseModelName(judge).provider !== configuration.judge.provider;
}

type SettingsByMetric = Readonly<Record<string, MetricSettings>>;

function mergeSettings(
  criteria: SettingsByMetric,
  own: SettingsByMetric,
  metrics: readonly Metric[],
): Record<string, MetricSettings> {
  const merged = new Map(Object.entries(criteria));
  for (const [key, settings] of Object.entries(own)) {
    const name = findMetric(key, metrics)?.name ?? key;
    merged.set(name, { ...merged.get(name), ...settings });
  }
  return Object.fromEntries(merged);
}

async function readAdk(file: string, registry: Registry): Promise<AdkConfiguration> {
  const raw = await readConfiguration(file);
  if (raw.kind === 'failed') {
    const failed = {
      ...createProblem('error', 'configuration', file, raw.message, { line: raw.location?.line }),
      column: raw.location?.column ?? null,
    };
    return { file, criteria: null, problems: [failed] };
  }
  const { criteria, issues } = translateAdk(raw.value, registry);
  return { file, criteria, problems: await locateIssues(issues, file, raw.locateKeys) };
}

/** Translates the parsed file; snake case and camel case, a criterion as a number or as an object. Never throws. */
export function translateAdk(
  value: unknown,
  { metrics }: Registry,
): { readonly criteria: AdkCriteria | null; readonly issues: readonly ConfigIssue[] } {
  const written = get(value, 'criteria');
  if (!isObject(written)) {
    const message = `criteria is ${describeValue(written)}; it must be an object such as { "response_match_score": 0.8 }.`;
    return { criteria: null, issues: [configIssue(['criteria'], message)] };
  }
  const issues: ConfigIssue[] = [];
  const settings = new Map<string, MetricSettings>();
  const thresholds = new Map<string, number>();
  for (const [name, criterion] of Object.entries(written)) {
    const path = ['criteria', name];
    const metric = findMetric(name, metrics);
    if (!metric) {
      issues.push(...unknownMetric(name, path, metrics));
      continue;
    }
    const threshold = isObject(criterion) ? get(criterion, 'threshold') : criterion;
    if (typeof threshold !== 'number') {
      const where = isObject(criterion) ? [...path, 'threshold'] : path;
      issues.push(configIssue(where, `${formatKeyPath(where)} is ${describeValue(threshold)}; it must be a number.`));
      continue;
    }
    issues.push(...checkThreshold(metric, threshold, isObject(criterion) ? [...path, 'threshold'] : path));
    const options = isObject(criterion) ? translateOptions(metric, criterion, path, issues) : {};
    settings.set(metric.name, { ...options, enabled: true, threshold });
    thresholds.set(metric.name, threshold);
  }
  const failed = issues.some(({ severity }) => severity === 'error');
  const criteria = { metrics: Object.fromEntries(settings), thresholds: Object.fromEntries(thresholds) };
  return { criteria: failed ? null : criteria, issues };
}

const OPTION_NAMES: ReadonlyMap<string, string> = new Map([
  ['numSamples', 'samples'],
  ['evaluateIntermediateNlResponses', 'evaluateIntermediate'],
]);

/** The options of a criterion under our names, with a warning for each one without a counterpart. */
function translateOptions(metric: Metric, criterion: JsonObject, path: KeyPath, issues: ConfigIssue[]): JsonObject {
  const known = optionNames(metric);
  const options = new Map<string, unknown>();
  const written = new Map<string, KeyPath>();
  let judge: string | null = null;
  for (const [key, setting, where] of criterionSettings(criterion, path)) {
    const name = OPTION_NAMES.get(camelCase(key)) ?? camelCase(key);
    const model = name === 'judgeModel' ? supportedJudge(metric, setting) : null;
    if (model !== null) judge = model;
    else if (name === 'judgeModel' || name === 'judgeModelConfig') {
      issues.push(
        configIssue(
          where,
          `${formatKeyPath(where)} is ignored: ${metric.name} uses the judge of Turnwise's own configuration or of --judge${name === 'judgeModel' ? '. Name a model of its own as "openai/MODEL" or "ollama/MODEL"' : ''}.`,
          'warning',
        ),
      );
    } else if (known && !known.includes(name)) {
      issues.push(
        configIssue(where, `${formatKeyPath(where)} has no counterpart in ${metric.name} and is ignored.`, 'warning'),
      );
    } else {
      options.set(name, name === 'rubrics' ? translateRubrics(setting) : setting);
      written.set(name, where);
    }
  }
  const values = Object.fromEntries(options);
  const parsed = metric.options?.safeParse(values);
  if (metric.options && parsed && !parsed.success) {
    for (const issue of explainIssues(parsed.error.issues, metric.options, values, path)) {
      issues.push({ ...issue, path: written.get(String(issue.path[path.length])) ?? issue.path });
    }
  }
  return judge === null ? values : { ...values, judge };
}

/** The model under our name; null if its provider is not supported. */
function supportedJudge(metric: Metric, model: unknown): string | null {
  if (typeof model !== 'string') return null;
  // LiteLLM's name for the same server.
  const name = model.replace(/^ollama_chat\//, 'ollama/');
  return name !== '' && checkOwnJudge(metric, name, []).length === 0 ? name : null;
}

/** The keys of a criterion except its threshold, including those of its judge. */
function criterionSettings(criterion: JsonObject, path: KeyPath): (readonly [string, unknown, KeyPath])[] {
  return Object.entries(criterion).flatMap(([key, setting]): (readonly [string, unknown, KeyPath])[] => {
    if (key === 'threshold') return [];
    const where = [...path, key];
    if (camelCase(key) !== 'judgeModelOptions') return [[key, setting, where]];
    const options = getObject(criterion, key) ?? {};
    return Object.entries(options).map(([inner, value]) => [inner, value, [...where, inner]]);
  });
}

/** `[{ rubric_id, rubric_content: { text_property } }]` as `[{ id, text }]`; other shapes are unchanged. */
function translateRubrics(setting: unknown): unknown {
  if (!Array.isArray(setting)) return setting;
  return setting.map((rubric: unknown) => {
    const id = get(rubric, 'rubric_id') ?? get(rubric, 'rubricId');
    const content = get(rubric, 'rubric_content') ?? get(rubric, 'rubricContent');
    const text = get(content, 'text_property') ?? get(content, 'textProperty');
    return typeof id === 'string' && typeof text === 'string' ? { id, text } : rubric;
  });
}

function camelCase(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
