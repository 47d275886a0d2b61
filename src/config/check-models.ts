import { get, getObject, getString, type JsonObject } from '../core/json.ts';
import { keyVariable, OLLAMA_BASE_URL, OPENAI_BASE_URL } from '../llm/api-keys.ts';
import type { Metric } from '../metrics/metric.ts';
import { type Complaint, complaint, found, keyPath, type Path } from './explain.ts';
import { parseModelName } from './model-name.ts';

type Role = 'judge' | 'embedder';

const ROLES = ['judge', 'embedder'] as const;
const DEFAULTS = { judge: 'rules', embedder: 'lexical' } as const;
/** Providers that ask a model over the network. */
const ASKING = ['openai', 'ollama'] as const;

/** What the form of `judge` and `embedder` cannot say. No sentence repeats what may be a key or a password. */
export function checkModels(value: unknown): Complaint[] {
  return ROLES.flatMap((role) => {
    const written = getObject(value, role) ?? {};
    return [
      ...checkProvider(role, written),
      ...checkBaseUrl(role, written),
      ...keysIn(role, written),
      ...keyHeadersIn(role, written),
      ...checkExtraBody(role, written),
    ];
  });
}

function providerOf(role: Role, written: JsonObject): string {
  return getString(written, 'provider') ?? DEFAULTS[role];
}

function asks(provider: string): boolean {
  return ASKING.some((one) => one === provider);
}

function checkProvider(role: Role, written: JsonObject): Complaint[] {
  const provider = providerOf(role, written);
  const path = [role, 'provider'];
  if (asks(provider)) {
    if (get(written, 'model') !== undefined) return [];
    const how = `write "${provider}:MODEL" on the command line, or "model" beside "provider" in the configuration`;
    return [complaint(path, `${keyPath(path)} is "${provider}", which needs the name of a model: ${how}.`)];
  }
  if (role === 'judge' && provider === 'editor') {
    const others = 'elsewhere a judge is "openai" (any server that speaks its API) or "ollama"';
    return [complaint(path, `judge.provider is "editor", whose models only the editor can ask; ${others}.`)];
  }
  const idle = ['model', 'baseUrl', 'headers', 'query', 'extraBody'].find((key) => get(written, key) !== undefined);
  if (idle === undefined || !isKnown(role, provider)) return [];
  const which = get(written, 'provider') === undefined ? `is "${provider}" by default` : `is "${provider}"`;
  const sentence = `${keyPath([role, idle])} is set, but ${keyPath(path)} ${which}, which asks no model; make it "openai" or "ollama".`;
  return [complaint([role, idle], sentence)];
}

function isKnown(role: Role, provider: string): boolean {
  return provider === 'none' || provider === DEFAULTS[role];
}

/** Reports and messages name the base URL: it must hold nothing that is secret. */
function checkBaseUrl(role: Role, written: JsonObject): Complaint[] {
  const baseUrl = getString(written, 'baseUrl');
  if (baseUrl === undefined) return [];
  const path = [role, 'baseUrl'];
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const example = providerOf(role, written) === 'ollama' ? OLLAMA_BASE_URL : 'http://localhost:8000/v1';
    return [complaint(path, `${keyPath(path)} must be an http or https URL such as "${example}".`)];
  }
  if (url.username === '' && url.password === '') return [];
  const instead = `take them out; a key is read from ${keyVariable(baseUrl)} in the environment`;
  return [complaint(path, `${keyPath(path)} has a user name or password in it: ${instead}.`)];
}

const KEYS = /^(api[-_]?)?(key|token|secret)$|^password$/i;

/** Where keys are written that belong in the environment. */
export function writtenKeys(value: unknown): Path[] {
  return ROLES.flatMap((role) =>
    Object.keys(getObject(value, role) ?? {}).flatMap((key): Path[] => (KEYS.test(key) ? [[role, key]] : [])),
  );
}

function keysIn(role: Role, written: JsonObject): Complaint[] {
  return writtenKeys({ [role]: written }).map((path) => withoutKey(path, role, written));
}

/** The headers in which keys are sent. */
function keyHeadersIn(role: Role, written: JsonObject): Complaint[] {
  return Object.keys(getObject(written, 'headers') ?? {}).flatMap((name) =>
    /^(authorization|api-key)$/i.test(name) ? [withoutKey([role, 'headers', name], role, written)] : [],
  );
}

function withoutKey(path: Path, role: Role, written: JsonObject): Complaint {
  const own = providerOf(role, written) === 'ollama' ? OLLAMA_BASE_URL : OPENAI_BASE_URL;
  const variable = keyVariable(getString(written, 'baseUrl') ?? own);
  return complaint(
    path,
    `${keyPath(path)}: a key does not belong in a configuration, which others get to read; set ${variable} in the environment instead.`,
  );
}

/** What the report says was asked must be what was asked. */
function checkExtraBody(role: Role, written: JsonObject): Complaint[] {
  return Object.keys(getObject(written, 'extraBody') ?? {}).flatMap((key) => {
    if (!['model', 'messages', 'stream'].includes(key)) return [];
    const path = [role, 'extraBody', key];
    const hint = key === 'model' ? `; write ${keyPath([role, 'model'])}` : '';
    return [complaint(path, `${keyPath(path)} cannot be set: Turnwise fills it in itself${hint}.`)];
  });
}

/** Whether a metric has a question of its own. One that is made of others needs a judge for them and asks none itself. */
export function asksModel({ asked, needs, uses = [] }: Metric): boolean {
  return asked ?? (needs.includes('judge') && uses.length === 0);
}

/** The model that one metric asks instead of the common one. */
export function checkOwnJudge(metric: Metric, judge: unknown, path: Path): Complaint[] {
  if (typeof judge !== 'string' || judge === '') return [];
  const { name, needs, uses = [] } = metric;
  if (!asksModel(metric)) {
    const itself = needs.includes('judge') ? ` itself; it is made of ${uses.join(', ')}` : '';
    return [complaint(path, `${keyPath(path)} is set, but ${name} asks no model${itself}.`)];
  }
  const { provider, model } = parseModelName(judge);
  if (asks(provider) && model !== undefined) return [];
  return [complaint(path, `${keyPath(path)} is ${found(judge)}; it must be "openai:MODEL" or "ollama:MODEL".`)];
}
