import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../../src/llm/proxy.ts';

const proxied = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.href ?? null;

describe('the proxy of the environment', () => {
  it.each([
    ['https://api.test/v1', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['https://api.test/v1', { https_proxy: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'http://p:1/'],
    ['https://api.test/v1', { HTTP_PROXY: 'http://p:1' }, null],
    ['http://api.test/v1', { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'http://p:1/'],
    ['http://api.test/v1', { ALL_PROXY: 'p:1' }, 'http://p:1/'],
    ['https://api.test/v1', { HTTPS_PROXY: 'http://u:w@p:1' }, 'http://u:w@p:1/'],
    ['https://api.test/v1', {}, null],
    ['https://api.test/v1', { HTTPS_PROXY: '' }, null],
  ])('for %s in %j is %s', (url, env, proxy) => {
    expect(proxied(url, env)).toBe(proxy);
  });

  it.each([
    'http://localhost:11434',
    'http://127.0.0.1:1234',
    'http://127.8.9.1',
    'http://[::1]:8000',
    'https://a.localhost',
  ])('is none for loopback: %s', (url) => {
    expect(proxied(url, { ALL_PROXY: 'http://p:1' })).toBeNull();
  });

  it.each(['http://127.evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'])(
    'is used for names that only look like loopback: %s',
    (url) => {
      expect(proxied(url, { ALL_PROXY: 'http://p:1' })).toBe('http://p:1/');
    },
  );

  it.each([
    ['https://api.test/v1', '*', false],
    ['https://api.test/v1', 'api.test', false],
    ['https://api.test/v1', 'other.test, API.test', false],
    ['https://api.test/v1', 'other.test api.test', false],
    ['https://api.test/v1', '.test', false],
    ['https://api.test/v1', '*.test', false],
    ['https://a.api.test/v1', 'api.test', false],
    ['https://api.test/v1', 'api.test:443', false],
    ['https://api.test/v1', 'api.test:8443', true],
    ['http://10.0.0.7:8000/v1', '10.0.0.7', false],
    ['http://[fd00::1]:8000/v1', '[fd00::1]:8000', false],
    ['http://[fd00::1]:8000/v1', '[fd00::1]', false],
    ['https://api.test/v1', 'pi.test', true],
    ['https://api.test/v1', 'api.test.example', true],
    ['https://api.test/v1', ' , ', true],
  ])('%s with NO_PROXY=%s', (url, list, isProxied) => {
    expect(proxied(url, { ALL_PROXY: 'http://p:1', NO_PROXY: list }) !== null).toBe(isProxied);
  });

  it.each(['socks5://p:1', 'http://', 'http://u:secret@'])('cannot be %s', (proxy) => {
    expect(() => proxied('https://api.test/v1', { HTTPS_PROXY: proxy })).toThrow(
      'The environment names a proxy for api.test that is not an http or https URL.',
    );
  });
});
