import type { Configuration } from '../config/schema.ts';
import { canonicalJson, isObject } from '../core/json.ts';
import { hashOf } from '../core/session-hashes.ts';
import { ModuleFunction } from '../sandbox/module-function.ts';

/** Of what decides results: neither what labels say about them, nor where they are recorded, nor how sessions are made, nor how fast models may be asked, nor keys. */
export function configurationHash(configuration: Configuration): string {
  const {
    history: _,
    alerts: _alerts,
    calibrations: _calibrations,
    traces: _traces,
    source: _source,
    scenarios: _scenarios,
    simulation: _simulation,
    judge,
    embedder,
    ...rest
  } = configuration;
  const {
    concurrency: _concurrency,
    requestsPerMinute: _requests,
    tokensPerMinute: _tokens,
    timeoutMs: _timeout,
    patienceMs: _patience,
    maxCalls: _calls,
    maxTokens: _max,
    price: _price,
    headers: _headers,
    ...asked
  } = judge;
  // The plan has a hash of the files of a static model, wherever they are.
  const compared = embedder.provider === 'static' ? { provider: embedder.provider } : embedder;
  return hashOf(canonicalJson(describeFunctions({ ...rest, judge: asked, embedder: compared })));
}

/** Functions by their code, wherever the file stands. */
function describeFunctions(value: unknown): unknown {
  if (typeof value === 'function') return { code: String(value) };
  if (value instanceof ModuleFunction) return { path: value.path, digest: value.digest };
  if (Array.isArray(value)) return value.map(describeFunctions);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, describeFunctions(item)]));
}
