import { get, isObject } from '../core/json.ts';
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
