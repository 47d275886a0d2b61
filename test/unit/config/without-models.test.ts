import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../../src/config/check.ts';
import type { Configuration, ConfigurationInput } from '../../../src/config/schema.ts';
import { withoutModels, withoutSlowParts } from '../../../src/config/without-models.ts';
import { TEST_REGISTRY } from './test-registry.ts';

function configured(embedder: ConfigurationInput['embedder']): Configuration {
  const { configuration } = checkConfiguration({ embedder }, TEST_REGISTRY);
  if (!configuration) throw new Error('The configuration is wrong.');
  return configuration;
}

describe('a configuration without models', () => {
  it('compares by words what a server would have compared', () => {
    expect(withoutModels(configured({ provider: 'ollama', model: 'e' })).embedder).toEqual({ provider: 'lexical' });
    expect(withoutModels(configured({ provider: 'none' })).embedder).toEqual({ provider: 'none' });
  });

  it('keeps a static embedder, which sends nothing', () => {
    const embedder = { provider: 'static', model: 'models/tiny' } as const;
    expect(withoutModels(configured(embedder)).embedder).toEqual(embedder);
  });

  it('waits for no model, not even for one in a folder, where it must be quick', () => {
    expect(withoutSlowParts(configured({ provider: 'static', model: 'm' })).embedder).toEqual({ provider: 'none' });
  });
});
