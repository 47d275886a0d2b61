import { EDITOR_MODEL_EXAMPLE, EDITOR_PROVIDER, parseEditorModel } from '../core/editor-models.ts';
import { get, getObject, getString, type JsonObject } from '../core/json.ts';
import { MODEL_SYNTAX, PROVIDER_NAMES } from '../core/model-providers.ts';
import type { ModelRole } from '../core/model-role.ts';
import { keyVariable } from '../llm/api-keys.ts';
import { DEFAULT_PROVIDER, findProvider, isProviderName } from '../llm/providers/index.ts';
import type { Metric } from '../metrics/metric.ts';
import { isUserFunction } from '../sandbox/module-function.ts';
import { parseModelName } from './model-name.ts';
import { JUDGE_PROVIDERS } from './schema.ts';
import { type ConfigIssue, configIssue, describeValue, formatKeyPath, type KeyPath } from './schema-errors.ts';
import { didYouMean } from './suggest.ts';

const ROLES = ['judge', 'embedder'] as const;
const DEFAULTS = { judge: 'rules', embedder: 'lexical' } as const;

/** Checks of `judge` and `embedder` beyond their schemas. No sentence repeats what may be a key or a password. */
export function checkModels(value: unknown): ConfigIssue[] {
  const ofRoles = ROLES.flatMap((role) => {
    const written = getObject(value, role) ?? {};
    return [
      ...checkProvider(role, written),
      ...checkModelText(getString(written, 'model') ?? '', [role, 'model']),
      ...checkBaseUrl(role, written),
      ...checkSecretKeys(role, written),
      ...checkSecretHeaders(role, written),
      ...checkExtraBody(role, written),
    ];
  });
  return [...ofRoles, ...checkProviderNames(getObject(value, 'providers'))];
}

/** A provider that is neither built in nor one of `providers`. The schema knows only the built-in ones. */
export function findUnknownProvider(value: unknown): ConfigIssue | null {
  const names = [...JUDGE_PROVIDERS, ...Object.keys(getObject(value, 'providers') ?? {})];
  const provider = getString(getObject(value, 'judge'), 'provider');
  if (provider === undefined || names.includes(provider)) return null;
  const path = ['judge', 'provider'];
  const allowed = names.map(describeValue).join(', ');
  const sentence = `${formatKeyPath(path)} is ${describeValue(provider)}; it must be one of ${allowed}.${didYouMean(provider, names)}`;
  return configIssue(path, sentence);
}

/** The names stand before `:MODEL`, beside those of the built-in providers. */
function checkProviderNames(providers: JsonObject = {}): ConfigIssue[] {
  return Object.keys(providers).flatMap((name) => {
    const path = ['providers', name];
    if ((JUDGE_PROVIDERS as readonly string[]).includes(name)) {
      return [configIssue(path, `${formatKeyPath(path)} has the name of a built-in provider; choose another name.`)];
    }
    if (/^[\w.-]+$/.test(name)) return [];
    const sentence = `${describeValue(name)} in providers is not a name of letters, digits, ".", "_" and "-"; choose another name.`;
    return [configIssue(path, sentence)];
  });
}

/** Servers compare names character by character: with an invisible one, it is the name of a model that does not exist. */
function checkModelText(model: string, path: KeyPath): ConfigIssue[] {
  const [invisible] = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$/u.exec(model) ?? [];
  if (invisible === undefined) return [];
  const code = (invisible.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const what = invisible === ' ' ? 'begins or ends with a space' : `contains the invisible character U+${code}`;
  return [configIssue(path, `${formatKeyPath(path)} ${what}; type the name again.`)];
}

function providerOf(role: ModelRole, written: JsonObject): string {
  return getString(written, 'provider') ?? DEFAULTS[role];
}

/** The key of the function that each role may have. */
const FUNCTION_KEY = { judge: 'ask', embedder: 'embed' } as const;
/** Keys that only mean something with a provider that has a server. */
const SERVER_KEYS = ['baseUrl', 'headers', 'query', 'extraBody'];

function checkProvider(role: ModelRole, written: JsonObject): ConfigIssue[] {
  const provider = providerOf(role, written);
  const path = [role, 'provider'];
  const functionKey = FUNCTION_KEY[role];
  const hasFunction = isUserFunction(get(written, functionKey));
  if (provider === 'function' && !hasFunction) {
    const sentence = `${formatKeyPath(path)} is "function", but "${functionKey}" is missing: a function, which only turnwise.config.ts or .js can have.`;
    return [configIssue(path, sentence)];
  }
  if (provider !== 'function' && hasFunction) {
    const sentence = `${formatKeyPath([role, functionKey])} is set, but ${formatKeyPath(path)} is "${provider}"; remove one of the two.`;
    return [configIssue([role, functionKey], sentence)];
  }
  if (role === 'judge' && provider !== 'function' && get(written, 'name') !== undefined) {
    const sentence = `${formatKeyPath([role, 'name'])} is set, but ${formatKeyPath(path)} is "${provider}"; only a function has a name.`;
    return [configIssue([role, 'name'], sentence)];
  }
  const isStatic = role === 'embedder' && provider === 'static';
  if (isStatic && get(written, 'model') === undefined) {
    const how = 'write "static:FOLDER" on the command line, or "model" beside "provider" in the configuration';
    return [configIssue(path, `${formatKeyPath(path)} is "static", which needs the folder of a model: ${how}.`)];
  }
  const isEditor = role === 'judge' && provider === EDITOR_PROVIDER;
  if (isEditor && parseEditorModel(getString(written, 'model') ?? '') === null) {
    return [editorModelIssue(get(written, 'model'))];
  }
  if (isProviderName(provider)) {
    if (get(written, 'model') !== undefined) return [];
    const how = `write "${provider}:MODEL" on the command line, or "model" beside "provider" in the configuration`;
    return [configIssue(path, `${formatKeyPath(path)} is "${provider}", which needs the name of a model: ${how}.`)];
  }
  const hasModel = provider === 'function' || isStatic || isEditor;
  const unusedKeys = hasModel ? SERVER_KEYS : ['model', ...SERVER_KEYS];
  const unused = unusedKeys.find((key) => get(written, key) !== undefined);
  if (unused === undefined || !isKnown(role, provider)) return [];
  const shown = getString(written, 'name') ?? provider;
  const which = get(written, 'provider') === undefined ? `is "${shown}" by default` : `is "${shown}"`;
  const what = hasModel ? 'which has no server' : 'which uses no model';
  const sentence = `${formatKeyPath([role, unused])} is set, but ${formatKeyPath(path)} ${which}, ${what}. Make it ${PROVIDER_NAMES.map((name) => `"${name}"`).join(' or ')}.`;
  return [configIssue([role, unused], sentence)];
}

function editorModelIssue(model: unknown): ConfigIssue {
  if (model === undefined) {
    const sentence = `judge.provider is "${EDITOR_PROVIDER}", which needs the name of a model beside it: "model": "${EDITOR_MODEL_EXAMPLE}".`;
    return configIssue(['judge', 'provider'], sentence);
  }
  const sentence = `judge.model is ${describeValue(model)}; a model of the editor is VENDOR/FAMILY, such as "${EDITOR_MODEL_EXAMPLE}".`;
  return configIssue(['judge', 'model'], sentence);
}

function isKnown(role: ModelRole, provider: string): boolean {
  return (
    ['none', 'function', DEFAULTS[role]].includes(provider) ||
    provider === (role === 'embedder' ? 'static' : EDITOR_PROVIDER)
  );
}

/** Reports and messages show the base URL, so it must not contain secrets. */
function checkBaseUrl(role: ModelRole, written: JsonObject): ConfigIssue[] {
  const baseUrl = getString(written, 'baseUrl');
  if (baseUrl === undefined) return [];
  const path = [role, 'baseUrl'];
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const example = (findProvider(providerOf(role, written)) ?? DEFAULT_PROVIDER).exampleBaseUrl;
    return [configIssue(path, `${formatKeyPath(path)} must be an http or https URL such as "${example}".`)];
  }
  if (url.username === '' && url.password === '') return [];
  const instead = `remove them. A key is read from ${keyVariable(baseUrl)} in the environment`;
  return [configIssue(path, `${formatKeyPath(path)} has a user name or password in it: ${instead}.`)];
}

const SECRET_KEY = /^(api[-_]?)?(key|token|secret)$|^password$/i;

/** The paths of keys that belong in the environment. */
export function findSecretKeys(value: unknown): KeyPath[] {
  return ROLES.flatMap((role) =>
    Object.keys(getObject(value, role) ?? {}).flatMap((key): KeyPath[] => (SECRET_KEY.test(key) ? [[role, key]] : [])),
  );
}

function checkSecretKeys(role: ModelRole, written: JsonObject): ConfigIssue[] {
  return findSecretKeys({ [role]: written }).map((path) => secretKeyIssue(path, role, written));
}

/** Headers that carry keys. */
function checkSecretHeaders(role: ModelRole, written: JsonObject): ConfigIssue[] {
  return Object.keys(getObject(written, 'headers') ?? {}).flatMap((name) =>
    /^(authorization|api-key)$/i.test(name) ? [secretKeyIssue([role, 'headers', name], role, written)] : [],
  );
}

function secretKeyIssue(path: KeyPath, role: ModelRole, written: JsonObject): ConfigIssue {
  const own = (findProvider(providerOf(role, written)) ?? DEFAULT_PROVIDER).defaultBaseUrl;
  const variable = keyVariable(getString(written, 'baseUrl') ?? own);
  return configIssue(
    path,
    `${formatKeyPath(path)}: do not put a key into a configuration, which others can read. Set ${variable} in the environment instead.`,
  );
}

/** The request must match what the report says. */
function checkExtraBody(role: ModelRole, written: JsonObject): ConfigIssue[] {
  return Object.keys(getObject(written, 'extraBody') ?? {}).flatMap((key) => {
    if (!['model', 'messages', 'stream'].includes(key)) return [];
    const path = [role, 'extraBody', key];
    const hint = key === 'model' ? `; write ${formatKeyPath([role, 'model'])}` : '';
    return [configIssue(path, `${formatKeyPath(path)} cannot be set, because Turnwise sets it itself${hint}.`)];
  });
}

/** Whether a metric asks a judge itself. A metric derived from others needs a judge only for those. */
export function needsJudgeModel({ usesJudge, needs, uses = [] }: Metric): boolean {
  return usesJudge ?? (needs.includes('judge') && uses.length === 0);
}

/** The model of one metric, instead of the default judge. */
export function checkOwnJudge(metric: Metric, judge: unknown, path: KeyPath): ConfigIssue[] {
  if (typeof judge !== 'string' || judge === '') return [];
  const { name, needs, uses = [] } = metric;
  if (!needsJudgeModel(metric)) {
    const itself = needs.includes('judge') ? ` itself; it is derived from ${uses.join(', ')}` : '';
    return [configIssue(path, `${formatKeyPath(path)} is set, but ${name} uses no model${itself}.`)];
  }
  const { provider, model } = parseModelName(judge);
  const isNamed = isProviderName(provider) || (provider === EDITOR_PROVIDER && parseEditorModel(model ?? '') !== null);
  if (isNamed && model !== undefined) return checkModelText(model, path);
  return [
    configIssue(
      path,
      `${formatKeyPath(path)} is ${describeValue(judge)}; it must be ${[...MODEL_SYNTAX, `${EDITOR_PROVIDER}:${EDITOR_MODEL_EXAMPLE}`].map((syntax) => `"${syntax}"`).join(' or ')}.`,
    ),
  ];
}
