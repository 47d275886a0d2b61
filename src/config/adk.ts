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

/** What an ADK `test_config.json` asks for, in the words of our schema. */
export interface AdkConfiguration {
  readonly file: string;
  /** Null when there is an error among the problems. */
  readonly criteria: AdkCriteria | null;
  readonly problems: readonly ConfigurationProblem[];
}

export interface AdkCriteria {
  /** Metrics with their options. */
  readonly metrics: SettingsByMetric;
  /** Each session is gated by these, as ADK does. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** The `test_config.json` that stands beside the given evaluation sets; null when none does. */
export async function findAdkConfiguration(
  files: readonly string[],
  vocabulary: Registry,
): Promise<AdkConfiguration | null> {
  const candidates = [...new Set(files.filter((file) => file !== '-').map((file) => join(dirname(file), FILE)))];
  const there = await Promise.all(candidates.map(exists));
  const all = await Promise.all(candidates.filter((_, index) => there[index]).map((file) => readAdk(file, vocabulary)));
  const [first, ...others] = all;
  if (!first) return null;
  const other = others.find(({ criteria }) => !jsonEqual(criteria, first.criteria));
  if (!other) return first;
  const message = `It asks for other criteria than ${first.file}, and one run has one set of criteria: evaluate the folders apart.`;
  const conflict = { ...createProblem('error', 'configuration', other.file, message), column: null };
  return { file: first.file, criteria: null, problems: [...all.flatMap(({ problems }) => problems), conflict] };
}

/**
 * Lays criteria under a configuration: what the configuration says itself wins. Models that criteria name are asked only
 * of a provider whom the configuration asks too: a file beside a trace does not decide to whom the trace is sent.
 */
export function applyCriteria(configuration: Configuration, given: AdkCriteria, { metrics }: Registry): Configuration {
  const { gates } = configuration;
  const criteria = { ...given, metrics: dropForeignJudges(given.metrics, configuration) };
  const own = gates.thresholds && Object.keys(gates.thresholds).length > 0;
  return {
    ...configuration,
    metrics: Array.isArray(configuration.metrics)
      ? restrictMetrics(criteria.metrics, configuration.metrics, metrics)
      : mergeSettings(criteria.metrics, configuration.metrics, metrics),
    gates: own ? gates : { ...gates, thresholds: { ...criteria.thresholds }, scope: gates.scope ?? 'session' },
  };
}

/** A warning where criteria name models that are not asked, with what to do about it. */
export function warnUnusedJudges({ file, criteria }: AdkConfiguration, configuration: Configuration): Problem[] {
  const models = Object.values(criteria?.metrics ?? {}).flatMap(({ judge }) => judge ?? []);
  const [foreign] = models.filter((judge) => isForeignJudge(judge, configuration));
  if (foreign === undefined) return [];
  const { provider } = parseModelName(foreign);
  const message = `It names ${foreign} as a judge, which is not asked, since nobody but you decides to whom a trace is sent: --judge ${provider}:MODEL does.`;
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

async function readAdk(file: string, vocabulary: Registry): Promise<AdkConfiguration> {
  const raw = await readConfiguration(file);
  if (raw.kind === 'failed') {
    const failed = {
      ...createProblem('error', 'configuration', file, raw.message, { line: raw.place?.line }),
      column: raw.place?.column ?? null,
    };
    return { file, criteria: null, problems: [failed] };
  }
  const { criteria, complaints } = translateAdk(raw.value, vocabulary);
  return { file, criteria, problems: await locateIssues(complaints, file, raw.findPlaces) };
}

/** Translates the parsed file; snake case and camel case, a criterion as a number or as an object. Never throws. */
export function translateAdk(
  value: unknown,
  { metrics }: Registry,
): { readonly criteria: AdkCriteria | null; readonly complaints: readonly ConfigIssue[] } {
  const written = get(value, 'criteria');
  if (!isObject(written)) {
    const message = `criteria is ${describeValue(written)}; it must be an object such as { "response_match_score": 0.8 }.`;
    return { criteria: null, complaints: [configIssue(['criteria'], message)] };
  }
  const complaints: ConfigIssue[] = [];
  const settings = new Map<string, MetricSettings>();
  const thresholds = new Map<string, number>();
  for (const [name, criterion] of Object.entries(written)) {
    const path = ['criteria', name];
    const metric = findMetric(name, metrics);
    if (!metric) {
      complaints.push(...unknownMetric(name, path, metrics));
      continue;
    }
    const threshold = isObject(criterion) ? get(criterion, 'threshold') : criterion;
    if (typeof threshold !== 'number') {
      const where = isObject(criterion) ? [...path, 'threshold'] : path;
      complaints.push(
        configIssue(where, `${formatKeyPath(where)} is ${describeValue(threshold)}; it must be a number.`),
      );
      continue;
    }
    complaints.push(...checkThreshold(metric, threshold, isObject(criterion) ? [...path, 'threshold'] : path));
    const options = isObject(criterion) ? translateOptions(metric, criterion, path, complaints) : {};
    settings.set(metric.name, { ...options, enabled: true, threshold });
    thresholds.set(metric.name, threshold);
  }
  const failed = complaints.some(({ severity }) => severity === 'error');
  const criteria = { metrics: Object.fromEntries(settings), thresholds: Object.fromEntries(thresholds) };
  return { criteria: failed ? null : criteria, complaints };
}

const OPTION_NAMES: ReadonlyMap<string, string> = new Map([
  ['numSamples', 'samples'],
  ['evaluateIntermediateNlResponses', 'evaluateIntermediate'],
]);

/** What a criterion sets of a metric, under our names. What has no counterpart is told, not dropped. */
function translateOptions(metric: Metric, criterion: JsonObject, path: KeyPath, complaints: ConfigIssue[]): JsonObject {
  const known = optionNames(metric);
  const options = new Map<string, unknown>();
  const written = new Map<string, KeyPath>();
  let judge: string | null = null;
  for (const [key, setting, where] of criterionSettings(criterion, path)) {
    const name = OPTION_NAMES.get(camelCase(key)) ?? camelCase(key);
    const model = name === 'judgeModel' ? supportedJudge(metric, setting) : null;
    if (model !== null) judge = model;
    else if (name === 'judgeModel' || name === 'judgeModelConfig') {
      complaints.push(
        configIssue(
          where,
          `${formatKeyPath(where)} is left out: ${metric.name} asks the judge of Turnwise's own configuration or of --judge${name === 'judgeModel' ? '; a model of its own is named "openai/MODEL" or "ollama/MODEL"' : ''}.`,
          'warning',
        ),
      );
    } else if (known && !known.includes(name)) {
      complaints.push(
        configIssue(where, `${formatKeyPath(where)} has no counterpart in ${metric.name} and is left out.`, 'warning'),
      );
    } else {
      options.set(name, name === 'rubrics' ? translateRubrics(setting) : setting);
      written.set(name, where);
    }
  }
  const values = Object.fromEntries(options);
  const parsed = metric.options?.safeParse(values);
  if (metric.options && parsed && !parsed.success) {
    for (const one of explainIssues(parsed.error.issues, metric.options, values, path)) {
      complaints.push({ ...one, path: written.get(String(one.path[path.length])) ?? one.path });
    }
  }
  return judge === null ? values : { ...values, judge };
}

/** The model as our configuration names it, where it can be asked here; ADK knows models of other providers as well. */
function supportedJudge(metric: Metric, model: unknown): string | null {
  if (typeof model !== 'string') return null;
  // LiteLLM's name of the same server.
  const name = model.replace(/^ollama_chat\//, 'ollama/');
  return name !== '' && checkOwnJudge(metric, name, []).length === 0 ? name : null;
}

/** The keys of a criterion besides its threshold, those about its judge among them. */
function criterionSettings(criterion: JsonObject, path: KeyPath): (readonly [string, unknown, KeyPath])[] {
  return Object.entries(criterion).flatMap(([key, setting]): (readonly [string, unknown, KeyPath])[] => {
    if (key === 'threshold') return [];
    const where = [...path, key];
    if (camelCase(key) !== 'judgeModelOptions') return [[key, setting, where]];
    const options = getObject(criterion, key) ?? {};
    return Object.entries(options).map(([inner, value]) => [inner, value, [...where, inner]]);
  });
}

/** `[{ rubric_id, rubric_content: { text_property } }]` as `[{ id, text }]`; what is shaped otherwise is left as it is. */
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
