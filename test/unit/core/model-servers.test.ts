import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/core/loopback.ts';
import { findModelServer, MODEL_SERVERS, type ModelServer } from '../../../src/core/model-servers.ts';

const servers: readonly ModelServer[] = Object.values(MODEL_SERVERS);

describe('servers with names', () => {
  it('are on this machine with a command that starts them, or are reached by HTTPS', () => {
    for (const { title, baseUrl, startCommand } of servers) {
      const { hostname, protocol } = new URL(baseUrl);
      expect(startCommand !== undefined, title).toBe(isLoopback(hostname));
      expect(isLoopback(hostname) || protocol === 'https:', title).toBe(true);
    }
  });

  it('have titles and base URLs of their own', () => {
    expect(new Set(servers.map(({ title }) => title)).size).toBe(servers.length);
    expect(new Set(servers.map(({ baseUrl }) => baseUrl)).size).toBe(servers.length);
  });

  it('are found by their base URL, with or without a slash at its end', () => {
    expect(findModelServer('https://api.anthropic.com/v1/')?.title).toBe('Anthropic');
    expect(findModelServer('https://api.anthropic.com/v1')?.structuredOutput).toBe('text');
    expect(findModelServer('https://api.anthropic.com/v2')).toBeUndefined();
  });
});
