/** Which key belongs to which host: a key never travels to a host that did not issue it. */

type Environment = Readonly<Record<string, string | undefined>>;

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';
export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434';

/** The environment variable whose key may be sent to a base URL: OpenAI's own host has its own, all others share one. */
export function keyVariable(baseUrl: string): 'OPENAI_API_KEY' | 'TURNWISE_API_KEY' {
  const url = URL.parse(baseUrl);
  // Regions are in front of the host's name: eu.api.openai.com.
  const isOpenai = url?.protocol === 'https:' && url.port === '' && /^([a-z]+\.)?api\.openai\.com$/.test(url.hostname);
  return isOpenai ? 'OPENAI_API_KEY' : 'TURNWISE_API_KEY';
}

/**
 * Where the key of one server alone stands, which goes before those that are for several. No shell can set it: it is for
 * hosts of the engine that keep a key for each server.
 */
export function serverKeyVariable(baseUrl: string): string {
  return `TURNWISE_API_KEY ${URL.parse(baseUrl)?.origin ?? ''}`;
}

/** The key for a base URL; undefined where the environment has none. */
export function readKey(baseUrl: string, env: Environment): string | undefined {
  return (env[serverKeyVariable(baseUrl)] ?? env[keyVariable(baseUrl)])?.trim() || undefined;
}

/** How a key is shown to a server: Azure has a header of its own. */
export function keyHeaders(baseUrl: string, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  const isAzure = /\.azure\.(com|us|cn)$/.test(URL.parse(baseUrl)?.hostname ?? '');
  return isAzure ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}
