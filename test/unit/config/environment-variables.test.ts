import { expect, it } from 'vitest';
import { expandHeaders } from '../../../src/config/environment-variables.ts';

it('replaces variables in headers, and names each that is not set', () => {
  const headers = { Authorization: 'Bearer $' + '{KEY}', 'X-Tenant': '$' + '{TENANT}/$' + '{PART}', plain: '$KEY' };
  expect(expandHeaders('shop', headers, { KEY: 'k', TENANT: 't', PART: 'p' })).toEqual({
    headers: { Authorization: 'Bearer k', 'X-Tenant': 't/p', plain: '$KEY' },
    issues: [],
  });
  expect(expandHeaders('shop', headers, { KEY: 'k', TENANT: 't' }).issues).toEqual([
    {
      severity: 'error',
      path: ['simulation', 'agents', 'shop', 'headers', 'X-Tenant'],
      message:
        'simulation.agents.shop.headers.X-Tenant names the environment variable PART, which is not set. Set it, or remove it from the header.',
    },
  ]);
});
