import { get, getObject, isObject, type JsonObject } from '../core/json.ts';
import type { Metric } from '../metrics/metric.ts';
import { optionNames, type Registry } from './check.ts';
import { checkOwnJudge } from './check-models.ts';
import { checkThreshold } from './check-threshold.ts';
import { findMetric, unknownMetric } from './metric-names.ts';
import type { MetricSettings } from './schema.ts';
import {
  type ConfigIssue,
  configIssue,
  describeValue,
  explainIssues,
  formatKeyPath,
  type KeyPath,
} from './schema-errors.ts';

export type SettingsByMetric = Readonly<Record<string, MetricSettings>>;

/** The criteria of an ADK `test_config.json`, translated into our schema. */
export interface AdkCriteria {
  /** Metrics with their options. */
  readonly metrics: SettingsByMetric;
  /** Gates of each session, as in ADK. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** Whether a parsed configuration is one of ADK. */
export function isAdkConfiguration(value: unknown): boolean {
  return isObject(get(value, 'criteria'));
}

/** A configuration with these criteria, for a file that the user names as the configuration. */
export function configurationOfCriteria({ metrics, thresholds }: AdkCriteria): object {
  return { metrics, gates: { thresholds, scope: 'session' } };
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
          `${formatKeyPath(where)} is ignored: ${metric.name} uses the judge of the run${name === 'judgeModel' ? '. Name a model of its own as "openai/MODEL" or "ollama/MODEL"' : ''}.`,
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
    // Both names are in use for the judge's model.
    return Object.entries(options).map(([inner, value]) => [
      inner === 'model' ? 'judgeModel' : inner,
      value,
      [...where, inner],
    ]);
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
