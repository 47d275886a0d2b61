import type { Configuration } from './schema.ts';

/** The configuration without judges and servers: rules only, and texts compared by a static model or by their words. */
export function withoutModels(configuration: Configuration): Configuration {
  const left = withoutJudges(configuration);
  return left.embedder.provider === 'static' ? left : withoutEmbedder(left);
}

/**
 * The configuration without anything that takes long: models, and functions of the user. What an embedder elsewhere
 * would compare is not compared by words instead.
 */
export function withoutSlowParts(configuration: Configuration): Configuration {
  const { provider } = configuration.embedder;
  return {
    ...withoutJudges(configuration),
    embedder: provider === 'lexical' ? configuration.embedder : { provider: 'none' },
    custom: configuration.custom.filter(({ evaluate }) => evaluate === undefined),
  };
}

/** Removes the default judge and those of single metrics. */
export function withoutJudges(configuration: Configuration): Configuration {
  const { model, baseUrl, headers, query, extraBody, price, ask, ...judge } = configuration.judge;
  const { metrics } = configuration;
  const own = Array.isArray(metrics)
    ? metrics
    : Object.fromEntries(Object.entries(metrics).map(([name, { judge: _, ...settings }]) => [name, settings]));
  return {
    ...configuration,
    judge: { ...judge, provider: judge.provider === 'none' ? 'none' : 'rules' },
    metrics: own,
  };
}

/** Compares texts by their words. */
export function withoutEmbedder(configuration: Configuration): Configuration {
  const { provider } = configuration.embedder;
  return { ...configuration, embedder: { provider: provider === 'none' ? 'none' : 'lexical' } };
}
