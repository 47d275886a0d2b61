import { get, getString, isObject } from '../core/json.ts';
import { isUserFunction } from '../sandbox/module-function.ts';

const FUNCTION_KEYS = { judge: 'ask', embedder: 'embed' } as const;

/**
 * Expands the short forms of functions: `judge: fn` is `judge: { provider: 'function', ask: fn }`, and an `ask` without
 * a provider has the provider `function`. The same for `embedder` and `embed`.
 */
export function expandFunctions(configuration: unknown): unknown {
  if (!isObject(configuration)) return configuration;
  const expanded = Object.entries(FUNCTION_KEYS).flatMap(([role, key]): [string, unknown][] => {
    const written = get(configuration, role);
    if (isUserFunction(written)) return [[role, { provider: 'function', [key]: written }]];
    const isAlone = isObject(written) && isUserFunction(get(written, key)) && get(written, 'provider') === undefined;
    return isAlone ? [[role, { ...written, provider: 'function' }]] : [];
  });
  return expanded.length === 0 ? configuration : { ...configuration, ...Object.fromEntries(expanded) };
}

/** Replaces the name of one of `providers` as the judge's provider by its function. A judge with an `ask` has one. */
export function resolveProvider(configuration: unknown): unknown {
  const judge = get(configuration, 'judge');
  const name = getString(judge, 'provider');
  const ask = name === undefined ? undefined : get(get(configuration, 'providers'), name);
  if (!isObject(configuration) || !isObject(judge) || !isUserFunction(ask) || get(judge, 'ask') !== undefined) {
    return configuration;
  }
  return { ...configuration, judge: { ...judge, provider: 'function', name, ask } };
}
