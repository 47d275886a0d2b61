import { checkConfiguration } from '../config/check.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { configurationHash } from './configuration-hash.ts';

/**
 * A configuration as data that another machine can apply. Null where it is more: functions, files beside it, or headers and
 * parameters of a model, which may be keys.
 */
export function portableConfiguration(configuration: Configuration): unknown {
  const {
    history: _,
    alerts: _alerts,
    traces: _traces,
    source: _source,
    scenarios: _scenarios,
    simulation: _simulation,
    ...rest
  } = configuration;
  const { judge, embedder } = rest;
  if (
    embedder.provider === 'static' ||
    [judge.headers, judge.query, embedder.headers, embedder.query].some(hasEntries)
  ) {
    return null;
  }
  const data: unknown = JSON.parse(JSON.stringify(rest));
  return readPortable(data, configurationHash(configuration)) && data;
}

function hasEntries(texts: Readonly<Record<string, string>> | undefined): boolean {
  return texts !== undefined && Object.keys(texts).length > 0;
}

/** The configuration that was stored. Null where it is not the same any more, as in another version. */
export function readPortable(data: unknown, hash: string): Configuration | null {
  const { configuration } = checkConfiguration(data, REGISTRY);
  return configuration && configurationHash(configuration) === hash ? configuration : null;
}
