import { describe, expect, it } from 'vitest';
import { hostOf } from '../../../src/core/model-host.ts';

describe('the host to which consent and keys apply', () => {
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
