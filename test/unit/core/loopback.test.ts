import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/core/loopback.ts';

describe('isLoopback', () => {
  const hostname = (url: string) => new URL(url).hostname;

  it.each([
    'http://127.0.0.1',
    'http://127.255.1.2:80',
    'http://localhost:1',
    'http://LOCALHOST',
    'http://models.localhost',
    'http://[::1]',
    'http://[0:0::1]',
    'http://127.1',
    'http://0x7f.0.0.1',
    'http://2130706433',
  ])('accepts %s', (url) => {
    expect(isLoopback(hostname(url))).toBe(true);
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
  ])('rejects %s', (url) => {
    expect(isLoopback(hostname(url))).toBe(false);
  });
});
