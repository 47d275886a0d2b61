import type { lookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { checkedLookup } from '../../../src/scenarios/agents/address-rules.ts';

const RULES = { privateNetwork: false, advice: 'Allow it.' };

/** Resolves a name that the network says has these addresses. */
function resolve(addresses: readonly string[], all = false): Promise<unknown> {
  const resolved = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const network = (_host: string, _options: object, callback: (...args: unknown[]) => void) => callback(null, resolved);
  return new Promise((done) => {
    checkedLookup(RULES, network as typeof lookup)('agent.example', { all }, (error, address) =>
      done(error?.message ?? address),
    );
  });
}

describe('a name that resolves', () => {
  it('to public addresses can be connected to', async () => {
    expect(await resolve(['93.184.216.34', '2606:2800::1'])).toBe('93.184.216.34');
    expect(await resolve(['93.184.216.34'], true)).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await resolve(['127.0.0.1'])).toBe('127.0.0.1');
  });

  it('to any forbidden address cannot', async () => {
    expect(await resolve(['93.184.216.34', '169.254.169.254'])).toBe(
      'agent.example (169.254.169.254) is a link-local or metadata address, which is never connected to.',
    );
    expect(await resolve(['10.1.2.3'])).toBe('agent.example (10.1.2.3) is in a private network. Allow it.');
  });
});
