import { get, getObject, getString, isObject } from '../core/json.ts';
import type { Metric } from '../metrics/metric.ts';
import { findMetric } from './metric-names.ts';
import { parseModelName } from './model-name.ts';
import { expandPresets } from './presets.ts';
import type { KeyPath } from './schema-errors.ts';

/** The command-line options that override a configuration. */
export interface ConfigFlags {
  /** Only these run. */
  readonly metrics?: readonly string[];
  /** Values as typed: a number or a percentage. */
  readonly thresholds?: readonly { readonly metric: string; readonly value: string }[];
  readonly failOn?: string;
  readonly ignoreOutcome?: boolean;
  /** `rules`, `none`, or a provider with its model, as `openai:gpt-5-mini`. */
  readonly judge?: string;
  readonly judgeUrl?: string;
  readonly embedder?: string;
  readonly embedderUrl?: string;
  readonly questionsPerCall?: number;
  readonly turnsPerCall?: number;
  readonly maxCalls?: number;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  readonly k?: readonly number[];
  readonly taskBy?: string;
}

export interface MergedConfiguration {
  readonly value: unknown;
  /** The flag, as typed, that set the value at this path; null if the file did. */
  readonly flagAt: (path: KeyPath) => string | null;
}

/** Applies flags to a raw configuration, which they override. Their values are checked later. */
export function applyFlags(raw: unknown, flags: ConfigFlags, metrics: readonly Metric[]): MergedConfiguration {
  const origins = new Map<string, string>();
  let value = raw;
  const set = (path: KeyPath, setting: unknown, flag: string) => {
    value = setValue(value, path, setting);
    origins.set(pathText(path), flag);
  };

  const choose = (role: 'judge' | 'embedder', name: string | undefined, url: string | undefined) => {
    const wanted = { ...(name === undefined ? {} : parseModelName(name)), url };
    value = setValue(value, [role], switchProvider(get(value, role), wanted));
    if (name !== undefined) set([role, 'provider'], wanted.provider, `--${role} ${name}`);
    if (wanted.model !== undefined) set([role, 'model'], wanted.model, `--${role} ${name}`);
    // Without the URL itself, which may contain credentials.
    if (url !== undefined) set([role, 'baseUrl'], url, `--${role}-url`);
  };
  if ((flags.judge ?? flags.judgeUrl) !== undefined) choose('judge', flags.judge, flags.judgeUrl);
  if ((flags.embedder ?? flags.embedderUrl) !== undefined) choose('embedder', flags.embedder, flags.embedderUrl);
  if (flags.judge === 'rules' || flags.judge === 'none') value = dropMetricJudges(value);
  if (flags.questionsPerCall !== undefined) {
    set(['judge', 'questionsPerCall'], flags.questionsPerCall, '--questions-per-call');
  }
  if (flags.turnsPerCall !== undefined) set(['judge', 'turnsPerCall'], flags.turnsPerCall, '--turns-per-call');
  if (flags.maxCalls !== undefined) set(['judge', 'maxCalls'], flags.maxCalls, '--max-calls');
  if (flags.concurrency !== undefined) set(['judge', 'concurrency'], flags.concurrency, '--concurrency');
  if (flags.timeoutMs !== undefined) set(['judge', 'timeoutMs'], flags.timeoutMs, '--timeout');
  if (flags.patienceMs !== undefined) set(['judge', 'patienceMs'], flags.patienceMs, '--patience');
  if (flags.failOn !== undefined) set(['gates', 'failOn'], flags.failOn, `--fail-on ${flags.failOn}`);
  if (flags.taskBy !== undefined) set(['tasks', 'by'], flags.taskBy, `--task-by ${flags.taskBy}`);
  if (flags.ignoreOutcome) set(['gates', 'outcome'], false, '--ignore-outcome');
  for (const { metric, value: text } of flags.thresholds ?? []) {
    const key = metricKey(metric, get(get(value, 'gates'), 'thresholds'), metrics);
    set(['gates', 'thresholds', key], parseThreshold(text), `--threshold ${metric}=${text}`);
  }
  if (flags.metrics) {
    const written = get(value, 'metrics');
    for (const name of flags.metrics) {
      const key = metricKey(name, written, metrics);
      if (get(written, key) === undefined) origins.set(pathText(['metrics', key]), `--metrics ${name}`);
    }
    value = setValue(value, ['metrics'], restrictMetrics(written, flags.metrics, metrics));
  }
  const [k, ...more] = flags.k ?? [];
  if (k !== undefined && more.length === 0) value = setK(value, k, metrics);

  return { value, flagAt: (path) => flagOf(path, origins) };
}

/** The settings that belong to one server or one model. */
const PROVIDER_KEYS = ['name', 'model', 'baseUrl', 'headers', 'query', 'extraBody', 'price', 'ask', 'embed'];

/**
 * The settings of a judge or embedder without those that do not apply to another one: headers for one host must not be
 * sent to another.
 */
function switchProvider(
  written: unknown,
  flags: { readonly provider?: string; readonly model?: string | undefined; readonly url: string | undefined },
): unknown {
  if (!isObject(written)) return written;
  const left = new Set<string>();
  if (flags.provider !== undefined && flags.provider !== get(written, 'provider')) {
    for (const key of PROVIDER_KEYS) left.add(key);
  }
  if (flags.model !== undefined && flags.model !== get(written, 'model')) left.add('price');
  if (flags.url !== undefined && !isSameOrigin(flags.url, getString(written, 'baseUrl'))) {
    for (const key of ['headers', 'query']) left.add(key);
  }
  return Object.fromEntries(Object.entries(written).filter(([key]) => !left.has(key)));
}

function isSameOrigin(url: string, other: string | undefined): boolean {
  const origin = URL.parse(url)?.origin;
  return origin !== undefined && other !== undefined && origin === URL.parse(other)?.origin;
}

/** Without a model, single metrics have none either. */
function dropMetricJudges(value: unknown): unknown {
  const written = get(value, 'metrics');
  if (!isObject(written)) return value;
  const settings = Object.entries(written).map(([name, own]): [string, unknown] => {
    if (!isObject(own)) return [name, own];
    const { judge, ...rest } = own;
    return [name, rest];
  });
  return setValue(value, ['metrics'], Object.fromEntries(settings));
}

function parseThreshold(text: string): number | string {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}

/** Enables the named metrics, with their settings, and disables all others. */
export function restrictMetrics(
  written: unknown,
  names: readonly string[],
  metrics: readonly Metric[],
): Record<string, { enabled: boolean }> {
  const chosen = new Set(expandPresets(names).map((name) => metricKey(name, written, metrics)));
  const all = metrics.map(({ name }) => metricKey(name, written, metrics));
  const keys = new Set([...chosen, ...all, ...Object.keys(isObject(written) ? written : {})]);
  return Object.fromEntries([...keys].map((key) => [key, { ...getObject(written, key), enabled: chosen.has(key) }]));
}

/** The key of a metric in an object: its name, or one of its aliases. */
export function metricKey(name: string, written: unknown, metrics: readonly Metric[]): string {
  const metric = findMetric(name, metrics);
  if (!metric) return name;
  return [metric.name, ...(metric.aliases ?? [])].find((key) => get(written, key) !== undefined) ?? metric.name;
}

/** `--k 3` also sets the k of pass@k over a session's turns, unless the file has one. */
function setK(value: unknown, k: number, metrics: readonly Metric[]): unknown {
  const written = get(value, 'metrics');
  if (!findMetric('agentic', metrics) || get(get(written, 'agentic'), 'k') !== undefined) return value;
  const listed = Array.isArray(written) ? written.filter((name) => typeof name === 'string') : null;
  const settings = listed ? restrictMetrics({}, listed, metrics) : written;
  return setValue(setValue(value, ['metrics'], settings), ['metrics', 'agentic', 'k'], k);
}

/** A copy with another value at a path. A value on the way that is not an object is kept, and reported by the check. */
function setValue(object: unknown, path: KeyPath, setting: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return setting;
  if (object !== undefined && !isObject(object)) return object;
  const entries = new Map(Object.entries(object ?? {}));
  entries.set(String(key), setValue(entries.get(String(key)), rest, setting));
  return Object.fromEntries(entries);
}

function flagOf(path: KeyPath, origins: ReadonlyMap<string, string>): string | null {
  for (let length = path.length; length > 0; length -= 1) {
    const flag = origins.get(pathText(path.slice(0, length)));
    if (flag !== undefined) return flag;
  }
  return null;
}

function pathText(path: KeyPath): string {
  return JSON.stringify(path);
}
