import { describe, expect, it } from 'vitest';
import { hostOf, isLoopback } from '../../../src/protocol/models.ts';

describe('the host to which consent and keys are given', () => {
  it.each([
    ['https://api.openai.com/v1', 'api.openai.com'],
    ['https://API.OpenAI.com:443/v1?a=b', 'api.openai.com'],
    ['api.openai.com', 'api.openai.com'],
    [' openrouter.ai/api/v1 ', 'openrouter.ai'],
    ['https://gateway.example:8443', 'gateway.example:8443'],
    // What goes there can be read on the way: another thing than the same host with TLS.
    ['http://api.openai.com/v1', 'http://api.openai.com'],
    ['http://10.0.0.5:8000/v1', 'http://10.0.0.5:8000'],
    ['http://localhost:1234/v1', 'localhost:1234'],
    ['localhost:1234', 'localhost:1234'],
    ['http://127.0.0.1:11434', '127.0.0.1:11434'],
    ['http://[::1]:8080', '[::1]:8080'],
    // Homographs show what they are.
    ['https://аpi.openai.com', 'xn--pi-6kc.openai.com'],
    ['https://api.openai.com@evil.example/v1', 'evil.example'],
  ])('of %s is %s', (address, host) => {
    expect(hostOf(address)).toBe(host);
  });

  it.each(['', ' ', 'ftp://a.example', 'file:///etc/passwd', 'https://', 'two words', 'http://'])(
    'is none of "%s"',
    (address) => {
      expect(hostOf(address)).toBeNull();
    },
  );
});

describe('loopback', () => {
  const name = (url: string) => new URL(url).hostname;

  it.each([
    'http://127.0.0.1',
    'http://127.255.1.2:80',
    'http://localhost:1',
    'http://LOCALHOST',
    'http://[::1]',
    'http://[0:0::1]',
    'http://127.1',
    'http://0x7f.0.0.1',
    'http://2130706433',
  ])('is %s', (url) => {
    expect(isLoopback(name(url))).toBe(true);
  });

  it.each([
    'http://127.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://evil.localhost.example',
    'http://notlocalhost',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://192.168.0.1',
    'http://169.254.169.254',
    'http://[::]',
    'http://[::2]',
    'http://[fe80::1]',
    'http://128.0.0.1',
  ])('is not %s', (url) => {
    expect(isLoopback(name(url))).toBe(false);
  });
});
