import { describe, expect, it } from 'vitest';
import { configurationHash } from '../../../src/app/configuration-hash.ts';
import { checkConfiguration } from '../../../src/config/check.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import type { ConfigurationInput } from '../../../src/config/schema.ts';

function hashOf(embedder: ConfigurationInput['embedder']): string {
  const { configuration } = checkConfiguration({ embedder }, REGISTRY);
  if (!configuration) throw new Error('The configuration is wrong.');
  return configurationHash(configuration);
}

describe('the hash of a configuration', () => {
  it('is the same wherever the folder of a static embedder is', () => {
    const [a, b] = ['/home/a/models/tiny', '/home/b/tiny'].map((model) => hashOf({ provider: 'static', model }));
    expect(a).toBe(b);
    expect(a).not.toBe(hashOf({ provider: 'lexical' }));
  });

  it('changes with the model of a server', () => {
    const [a, b] = ['e1', 'e2'].map((model) => hashOf({ provider: 'ollama', model }));
    expect(a).not.toBe(b);
  });
});
