import { describe, expect, it } from 'vitest';
import { ApiKeys } from '../../../src/extension/api-keys.ts';

/** A secret storage like VS Code's, which cannot list its keys. */
function storage(kept: Record<string, string> = {}) {
  const secrets = new Map(Object.entries(kept));
  return {
    secrets,
    get: async (name: string) => secrets.get(name),
    store: async (name: string, value: string) => void secrets.set(name, value),
    delete: async (name: string) => void secrets.delete(name),
  };
}

describe('API keys', () => {
  it('are stored by host and found by every window', async () => {
    const secrets = storage();
    const keys = new ApiKeys(secrets);
    expect(await keys.get('a.example')).toBeNull();
    await keys.set('a.example', 'key-a');
    await keys.set('b.example:8443', 'key-b');
    expect(await new ApiKeys(secrets).get('a.example')).toBe('key-a');
    expect(await keys.get('a.example:8443')).toBeNull();
    expect(await keys.hosts()).toEqual(['a.example', 'b.example:8443']);
    await keys.set('a.example', 'another');
    expect(await keys.get('a.example')).toBe('another');
  });

  it('are removed without a trace', async () => {
    const secrets = storage();
    const keys = new ApiKeys(secrets);
    await Promise.all(['a', 'b', 'c'].map((host) => keys.set(host, `key-${host}`)));
    await keys.delete(['a', 'none']);
    expect(await keys.hosts()).toEqual(['b', 'c']);
    await keys.delete(['b', 'c']);
    expect(secrets.secrets.size).toBe(0);
  });

  it('are not found for a host named like an object property', async () => {
    const keys = new ApiKeys(storage());
    expect(await keys.get('constructor')).toBeNull();
    await keys.set('__proto__', 'key');
    await keys.set('other', 'key-o');
    expect(await keys.get('__proto__')).toBe('key');
  });

  it.each(['not json', '{}', '[["a",1]]', '["a"]', 'null'])(
    'are none in what is damaged, which can be replaced: %s',
    async (text) => {
      const secrets = storage({ 'turnwise.keys': text });
      const keys = new ApiKeys(secrets);
      expect(await keys.get('a')).toBeNull();
      expect(await keys.hosts()).toEqual([]);
      await keys.set('a', 'key-a');
      expect(await keys.get('a')).toBe('key-a');
    },
  );

  it('can be set after storing one failed', async () => {
    const secrets = storage();
    const keys = new ApiKeys({ ...secrets, store: () => Promise.reject(new Error('locked')) });
    await expect(keys.set('a', 'key')).rejects.toThrow('locked');
    await expect(keys.delete([])).resolves.toBeUndefined();
  });
});
