import { get, getArray, getNumber, getObject, getString, isObject, type JsonObject } from '../core/json.ts';
import { MODEL_SERVERS } from '../core/model-servers.ts';
import { SEVERITIES } from '../core/severity.ts';
import { trimEnd } from '../core/text/trim-end.ts';
import { serverKeyVariable } from '../llm/api-keys.ts';
import { CUSTOM_SCALES } from '../metrics/custom/definition-schema.ts';
import type { Metric } from '../metrics/metric.ts';
import { isUserFunction } from '../sandbox/module-function.ts';
import type { Registry } from './check.ts';
import { checkThreshold } from './check-threshold.ts';
import { restrictMetrics } from './flags.ts';
import { findMetric, unknownMetric } from './metric-names.ts';
import { type ConfigIssue, configIssue, describeValue, formatKeyPath, type KeyPath } from './schema-errors.ts';
import { DEFAULT_AGENT_KEY } from './simulation-schema.ts';
import { didYouMean } from './suggest.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An Agentest configuration, translated into our schema. */
export interface TranslatedAgentest {
  /** Raw values of our schema; null if one of the issues is an error. */
  readonly value: AgentestSettings | null;
  /** The key of the judge's server, under the name by which the engine reads it. It is in no configuration. */
  readonly keys: Environment;
  readonly issues: readonly ConfigIssue[];
}

interface AgentestSettings {
  readonly judge: JsonObject | null;
  /** Only these run; null: all. */
  readonly metrics: readonly string[] | null;
  readonly gates: { readonly failOn: string; readonly thresholds: Readonly<Record<string, number>> };
  readonly custom: readonly JsonObject[];
  /** Globs; undefined: the default. */
  readonly scenarios: readonly unknown[] | undefined;
  /** Raw values of `simulation`. */
  readonly simulation: JsonObject;
  /** What else than the terminal gets the results of scenarios. */
  readonly reporters: readonly string[];
}

/** Keys that mean the same in `simulation`. */
const SIMULATION_KEYS = [
  'conversationsPerScenario',
  'maxTurns',
  'requestTimeoutMs',
  'unmockedTools',
  'retries',
  'concurrency',
];
const AGENT_KEYS = ['agent', 'agents', 'compare'];
const FILE_KEYS = ['include', 'exclude'];
/** `debounceMs` is of Agentest's watch mode. */
const RUNNER_KEYS = ['debounceMs', 'reporters'];
const KEYS = [
  'provider',
  'model',
  'providerOptions',
  'metrics',
  'thresholds',
  'failOnErrorSeverity',
  'customMetrics',
  ...new Set([...SIMULATION_KEYS, ...AGENT_KEYS, ...FILE_KEYS, ...RUNNER_KEYS]),
];

/** Agentest's default: only critical problems fail. */
const DEFAULT_FAIL_ON = 'critical';

/**
 * Translates the parsed file. Never throws.
 *
 * @param env the process environment: keys that the vendors' own variables hold, and what tells a key that code reads
 * from there from one in the file.
 */
export function translateAgentest(
  value: unknown,
  { metrics: builtIn }: Registry,
  env: Environment,
): TranslatedAgentest {
  if (!isObject(value)) {
    const message = `The configuration is ${describeValue(value)}; it must be an object.`;
    return { value: null, keys: {}, issues: [configIssue([], message)] };
  }
  const issues: ConfigIssue[] = Object.keys(value)
    .filter((key) => !KEYS.includes(key))
    .map((key) => configIssue([key], `Unknown key "${key}" ignored.${didYouMean(key, KEYS)}`, 'warning'));
  const custom = translateCustomMetrics(value, builtIn, issues);
  const names = createNameTable(builtIn, custom, issues);
  const { judge, keys } = translateJudge(value, env, issues);
  const settings = {
    judge,
    metrics: translateMetrics(get(value, 'metrics'), names, custom),
    gates: {
      failOn: translateSeverity(get(value, 'failOnErrorSeverity'), issues),
      thresholds: translateThresholds(get(value, 'thresholds'), names, issues),
    },
    custom: custom.map(({ entry }) => entry),
    scenarios: translateFiles(value),
    simulation: translateSimulation(value, issues),
    reporters: translateReporters(value, issues),
  };
  const failed = issues.some(({ severity }) => severity === 'error');
  return { value: failed ? null : settings, keys, issues };
}

/**
 * Our raw configuration with the settings of an Agentest configuration where it has none of its own. Thresholds are
 * taken together, because a run has one scope for them.
 */
export function applyAgentest(
  own: unknown,
  { judge, metrics, gates, custom, scenarios, simulation }: AgentestSettings,
  registry: Registry,
): unknown {
  if (!isObject(own)) return own;
  const ownGates = getObject(own, 'gates') ?? {};
  const { failOn, thresholds } = gates;
  const hasThresholds = Object.keys(getObject(ownGates, 'thresholds') ?? {}).length > 0;
  const namesLevel = ['failOn', 'failOnErrorSeverity'].some((key) => get(ownGates, key) !== undefined);
  const ownCustom = getArray(own, 'custom') ?? [];
  const ownNames = new Set(ownCustom.map((entry) => getString(entry, 'name')));
  const added = custom.filter((entry) => !ownNames.has(getString(entry, 'name')));
  const ownMetrics = get(own, 'metrics');
  return {
    ...own,
    ...mergeJudge(get(own, 'judge'), judge),
    ...(scenarios === undefined || get(own, 'scenarios') !== undefined ? {} : { scenarios }),
    ...mergeSimulation(get(own, 'simulation'), simulation),
    ...(metrics && !Array.isArray(ownMetrics) ? { metrics: mergeMetrics(ownMetrics, metrics, registry) } : {}),
    ...(isObject(get(own, 'gates') ?? {}) && {
      gates: {
        ...(hasThresholds || Object.keys(thresholds).length === 0 ? {} : { scope: 'scenario', thresholds }),
        ...(namesLevel ? {} : { failOn }),
        ...(hasThresholds ? ownGates : withoutKey(ownGates, 'thresholds')),
      },
    }),
    ...(added.length === 0 ? {} : { custom: [...ownCustom, ...added] }),
  };
}

/** Whether our own configuration has thresholds, so that those of Agentest's do not count. */
export function hasOwnThresholds(own: unknown): boolean {
  return Object.keys(getObject(getObject(own, 'gates'), 'thresholds') ?? {}).length > 0;
}

function withoutKey(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** A judge that names its provider or its model is another one; other settings apply to the judge of Agentest's. */
function mergeJudge(own: unknown, judge: JsonObject | null): { judge?: unknown } {
  if (judge === null) return {};
  if (own === undefined) return { judge };
  const isOther = !isObject(own) || ['provider', 'model', 'baseUrl', 'ask'].some((key) => get(own, key) !== undefined);
  return isOther ? {} : { judge: { ...judge, ...own } };
}

/** Agents of both can be tried; a setting of ours counts. An agent of ours is tried instead of those that are compared. */
function mergeSimulation(own: unknown, agentest: JsonObject): { simulation?: unknown } {
  if (Object.keys(agentest).length === 0) return {};
  if (own === undefined) return { simulation: agentest };
  if (!isObject(own)) return {};
  const agents = { ...getObject(agentest, 'agents'), ...getObject(own, 'agents') };
  const before = get(own, 'agent') === undefined ? agentest : withoutKey(agentest, 'compare');
  return { simulation: { ...before, ...own, ...(Object.keys(agents).length === 0 ? {} : { agents }) } };
}

/** Agentest's default for `exclude` is what is left out anyway. */
function translateFiles(value: JsonObject): readonly unknown[] | undefined {
  const { include, exclude } = value;
  if (!Array.isArray(include) && !Array.isArray(exclude)) return undefined;
  const files: readonly unknown[] = Array.isArray(include) ? include : ['**/*.sim.ts'];
  const excluded: readonly unknown[] = Array.isArray(exclude) ? exclude : [];
  return [...files, ...excluded.map((glob) => (typeof glob === 'string' ? `!${glob}` : glob))];
}

/** Agentest writes the results as JSON to a file, beside what it prints. */
export const JSON_REPORTER = 'json';
const REPORTERS = ['console', JSON_REPORTER];

function translateReporters(value: JsonObject, issues: ConfigIssue[]): readonly string[] {
  const { reporters = [] } = value;
  const path = ['reporters'];
  if (!Array.isArray(reporters)) {
    issues.push(configIssue(path, `reporters is ${describeValue(reporters)}; it must be a list.`));
    return [];
  }
  return reporters.flatMap((name: unknown, index): string[] => {
    if (typeof name === 'string' && REPORTERS.includes(name)) return [name];
    const remedy = 'Known are "console" and "json"; --report writes other kinds.';
    issues.push(configIssue([...path, index], `Unknown reporter ${describeValue(name)} ignored. ${remedy}`, 'warning'));
    return [];
  });
}

function translateSimulation(value: JsonObject, issues: ConfigIssue[]): JsonObject {
  const settings = SIMULATION_KEYS.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]] as const]));
  const { agent } = value;
  const compared = translateCompared(value, issues);
  const agents = { ...Object.fromEntries(compared), ...getObject(value, 'agents') };
  const first = isObject(agent) ? (getString(agent, 'name') ?? DEFAULT_AGENT_KEY) : agent;
  const names = new Set([...(typeof first === 'string' ? [first] : []), ...compared.map(([name]) => name)]);
  return {
    ...Object.fromEntries(settings),
    ...(agent === undefined ? {} : { agent }),
    ...(Object.keys(agents).length === 0 ? {} : { agents }),
    ...(compared.length > 0 && names.size > 1 ? { compare: [...names] } : {}),
  };
}

function agentKind(agent: unknown): string {
  return getString(agent, 'type') ?? 'chat_completions';
}

/** The agents of `compare` by name: each is the first agent with other settings, unless it is of another kind. */
function translateCompared(value: JsonObject, issues: ConfigIssue[]): [string, unknown][] {
  const { agent, compare = [] } = value;
  if (!Array.isArray(compare)) {
    issues.push(configIssue(['compare'], `compare is ${describeValue(compare)}; it must be a list of agents.`));
    return [];
  }
  return compare.flatMap((entry: unknown, index): [string, unknown][] => {
    const name = getString(entry, 'name');
    if (name === undefined || !isObject(entry)) {
      const path = ['compare', index];
      issues.push(configIssue(path, `${formatKeyPath(path)} has no "name", by which it is compared. Add one.`));
      return [];
    }
    const isOther = get(entry, 'type') !== undefined && agentKind(entry) !== agentKind(agent);
    if (isOther || !isObject(agent)) return [[name, entry]];
    const bodies = [getObject(agent, 'body'), getObject(entry, 'body')];
    const body = bodies.some((one) => one !== undefined) ? { body: { ...bodies[0], ...bodies[1] } } : {};
    return [[name, { ...agent, ...entry, ...body }]];
  });
}

function mergeMetrics(own: unknown, names: readonly string[], { metrics }: Registry): unknown {
  if (own === undefined) return names;
  if (!isObject(own)) return own;
  const restricted = restrictMetrics(own, names, metrics);
  return Object.fromEntries(
    Object.entries(restricted).map(([name, settings]) => [name, { ...settings, ...getObject(own, name) }]),
  );
}

interface AgentestProvider {
  readonly provider: 'openai' | 'ollama';
  /** Where the vendor has an endpoint of OpenAI's API. */
  readonly baseUrl?: string;
  /** The vendor's own variable, whose key goes to that endpoint alone. */
  readonly keyVariable?: string;
  readonly settings?: JsonObject;
}

const PROVIDERS: Readonly<Record<string, AgentestProvider>> = {
  openai: { provider: 'openai' },
  anthropic: {
    provider: 'openai',
    baseUrl: MODEL_SERVERS.anthropic.baseUrl,
    keyVariable: 'ANTHROPIC_API_KEY',
    settings: { structuredOutput: MODEL_SERVERS.anthropic.structuredOutput },
  },
  google: {
    provider: 'openai',
    baseUrl: MODEL_SERVERS.gemini.baseUrl,
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
  ollama: { provider: 'ollama' },
  'openai-compatible': { provider: 'openai' },
};

/** The environment variable of a vendor whose key goes to this base URL alone. */
export function vendorKeyVariable(baseUrl: string): string | null {
  return Object.values(PROVIDERS).find((vendor) => vendor.baseUrl === baseUrl)?.keyVariable ?? null;
}

const DEFAULT_AGENTEST_PROVIDER = 'anthropic';
/** Agentest's default model, which is one of its default provider. */
const DEFAULT_AGENTEST_MODEL = 'claude-sonnet-4-20250514';

/** A judge, if the file names its provider or its model: no trace is sent to a vendor by default. */
function translateJudge(
  value: JsonObject,
  env: Environment,
  issues: ConfigIssue[],
): { judge: JsonObject | null; keys: Environment } {
  const none = { judge: null, keys: {} };
  const options = get(value, 'providerOptions');
  const apiKey = getString(options, 'apiKey');
  const [name, model, baseURL] = [get(value, 'provider'), get(value, 'model'), get(options, 'baseURL')];
  if (name === undefined && model === undefined) return none;
  const fail = (path: KeyPath, message: string) => {
    issues.push(configIssue(path, message));
    return none;
  };
  const providerName = name ?? DEFAULT_AGENTEST_PROVIDER;
  const known =
    typeof providerName === 'string' && Object.hasOwn(PROVIDERS, providerName) ? PROVIDERS[providerName] : undefined;
  if (!known) {
    const names = Object.keys(PROVIDERS).map((other) => `"${other}"`);
    return fail(['provider'], `provider is ${describeValue(name)}; it must be one of ${names.join(', ')}.`);
  }
  if (model !== undefined && (typeof model !== 'string' || model === '')) {
    return fail(['model'], `model is ${describeValue(model)}; it must be the name of a model.`);
  }
  const named = model ?? (providerName === DEFAULT_AGENTEST_PROVIDER ? DEFAULT_AGENTEST_MODEL : undefined);
  if (named === undefined) return fail(['provider'], `provider is "${providerName}", but "model" is missing.`);
  if (baseURL === undefined && providerName === 'openai-compatible') {
    const path = options === undefined ? ['provider'] : ['providerOptions'];
    return fail(path, 'provider is "openai-compatible", but "providerOptions.baseURL" is missing.');
  }
  const path = ['providerOptions', 'baseURL'];
  const url = typeof baseURL === 'string' ? URL.parse(baseURL) : null;
  if (baseURL !== undefined && (!url || !/^https?:$/.test(url.protocol))) {
    return fail(path, `${formatKeyPath(path)} must be an http or https URL.`);
  }
  if (url && (url.username !== '' || url.password !== '')) {
    return fail(path, `${formatKeyPath(path)} has a user name or password in it: remove them.`);
  }
  const baseUrl = typeof baseURL === 'string' ? serverUrl(known, baseURL) : known.baseUrl;
  const concurrency = getNumber(value, 'concurrency');
  return {
    judge: {
      provider: known.provider,
      model: named,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(concurrency !== undefined && Number.isInteger(concurrency) && concurrency > 0 ? { concurrency } : {}),
      ...(baseURL === undefined ? known.settings : {}),
    },
    keys: serverKeys(known, { baseUrl, isOwnEndpoint: baseURL === undefined, apiKey }, env, issues),
  };
}

/** Agentest reaches Ollama by its endpoint of OpenAI's API; ours is beside it. */
function serverUrl({ provider }: AgentestProvider, baseURL: string): string {
  return provider === 'ollama' ? baseURL.replace(/\/v1\/?$/, '') : baseURL;
}

function serverKeys(
  { provider, keyVariable }: AgentestProvider,
  server: {
    readonly baseUrl: string | undefined;
    readonly isOwnEndpoint: boolean;
    readonly apiKey: string | undefined;
  },
  env: Environment,
  issues: ConfigIssue[],
): Environment {
  const baseUrl = server.baseUrl ?? (provider === 'openai' ? MODEL_SERVERS.openai.baseUrl : undefined);
  const key = server.apiKey?.trim() || undefined;
  if (baseUrl === undefined) return {};
  const own = server.isOwnEndpoint && keyVariable !== undefined ? env[keyVariable] : undefined;
  if (key === undefined) return own === undefined ? {} : { [serverKeyVariable(baseUrl)]: own };
  // Code reads it from the environment, where it belongs.
  if (!Object.values(env).includes(key)) {
    const path = ['providerOptions', 'apiKey'];
    const message = `${formatKeyPath(path)}: others can read a key in a configuration. It is sent to ${new URL(baseUrl).host} in this run and stored nowhere; move it to the environment.`;
    issues.push(configIssue(path, message, 'warning'));
  }
  return { [serverKeyVariable(baseUrl)]: key };
}

function translateSeverity(value: unknown, issues: ConfigIssue[]): string {
  if (value === undefined) return DEFAULT_FAIL_ON;
  const severity = SEVERITIES.find((known) => known === value);
  if (severity !== undefined) return severity;
  const message = `failOnErrorSeverity is ${describeValue(value)}; it must be one of ${SEVERITIES.join(', ')}.`;
  issues.push(configIssue(['failOnErrorSeverity'], message));
  return DEFAULT_FAIL_ON;
}

/** Looks up metrics by the names of Agentest, and reports unknown ones. */
type NameTable = (name: string, path: KeyPath, value?: unknown) => Pick<Metric, 'name' | 'scale'> | null;

const COHERENCE = 'coherence';
const AGENTEST_COHERENCE = 'conversation_coherence';

function createNameTable(
  builtIn: readonly Metric[],
  custom: readonly TranslatedMetric[],
  issues: ConfigIssue[],
): NameTable {
  let isExplained = false;
  return (name, path) => {
    const own = custom.find(({ written }) => written === name);
    if (own) return own;
    if (name === COHERENCE) {
      if (!isExplained) issues.push(configIssue(path, COHERENCE_NOTE, 'warning'));
      isExplained = true;
    }
    const metric = findMetric(name === COHERENCE ? AGENTEST_COHERENCE : name, builtIn);
    if (!metric) issues.push(...unknownMetric(name, path, builtIn));
    return metric ?? null;
  };
}

const COHERENCE_NOTE = `Two metrics have the name "coherence". This is read as Agentest's, from 1 to 5, which is conversation_coherence here. Write conversation_coherence, or the threshold of coherence (0 to 1) into gates.thresholds of a turnwise.config file, to say which one you mean.`;

/** Custom metrics run whatever the list says. */
function translateMetrics(
  value: unknown,
  names: NameTable,
  custom: readonly TranslatedMetric[],
): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const chosen = value.flatMap((name: unknown, index) =>
    typeof name === 'string' ? (names(name, ['metrics', index])?.name ?? []) : [],
  );
  return [...chosen, ...custom.map(({ name }) => name)];
}

function translateThresholds(value: unknown, names: NameTable, issues: ConfigIssue[]): Record<string, number> {
  const thresholds = new Map<string, number>();
  for (const [name, threshold] of Object.entries(isObject(value) ? value : {})) {
    const path = ['thresholds', name];
    const metric = names(name, path);
    if (!metric) continue;
    if (typeof threshold !== 'number') {
      issues.push(configIssue(path, `${formatKeyPath(path)} is ${describeValue(threshold)}; it must be a number.`));
    } else if (metric.scale === 'likert' && threshold < 1) {
      const message = `${formatKeyPath(path)} is ${threshold}, but the scale of ${metric.name} is 1 to 5: every score meets it, so it is ignored.`;
      issues.push(configIssue(path, message, 'warning'));
    } else {
      issues.push(...checkThreshold(metric, threshold, path));
      thresholds.set(metric.name, threshold);
    }
  }
  return Object.fromEntries(thresholds);
}

interface TranslatedMetric extends Pick<Metric, 'name' | 'scale'> {
  /** Its name in the file. */
  readonly written: string;
  /** An entry of `custom`. */
  readonly entry: JsonObject;
}

/** Custom metrics as functions. A class need not say its scale: a threshold up to 1 is one of a share. */
function translateCustomMetrics(
  value: JsonObject,
  builtIn: readonly Metric[],
  issues: ConfigIssue[],
): TranslatedMetric[] {
  const written = get(value, 'customMetrics');
  if (written !== undefined && !Array.isArray(written)) {
    issues.push(configIssue(['customMetrics'], `customMetrics is ${describeValue(written)}; it must be a list.`));
  }
  const before = new Set<string>();
  return (getArray(value, 'customMetrics') ?? []).flatMap((metric, index): TranslatedMetric[] => {
    const path = ['customMetrics', index];
    const [original, evaluate] = [getString(metric, 'name'), get(metric, 'evaluate')];
    if (original === undefined || !isUserFunction(evaluate)) {
      const what = 'it extends none of QuantitativeMetric, QualitativeMetric and ConversationMetric';
      issues.push(configIssue(path, `${formatKeyPath(path)} ignored: ${what}.`, 'warning'));
      return [];
    }
    const name = snakeCase(original);
    if (name === '' || before.has(name) || findMetric(name, builtIn)) {
      const whose = before.has(name) ? 'another custom metric' : 'a built-in metric';
      const message = `${formatKeyPath(path)} has the name ${describeValue(original)}, ${name === '' ? 'which needs a letter' : `the name of ${whose}`}; choose another name.`;
      issues.push(configIssue(path, message));
      return [];
    }
    before.add(name);
    const threshold = getNumber(getObject(value, 'thresholds'), original);
    const byThreshold = threshold !== undefined && threshold <= 1 ? 'unit' : 'likert';
    const scale = CUSTOM_SCALES.find((known) => known === get(metric, 'scale')) ?? byThreshold;
    const scope = getString(metric, 'scope') ?? 'turn';
    return [{ written: original, name, scale, entry: { name, scope, scale, evaluate } }];
  });
}

/** `brandVoice` and `brand voice` as `brand_voice`. */
function snakeCase(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return trimEnd(words.join('_'), /_/).replace(/^[_0-9]+/, '');
}
