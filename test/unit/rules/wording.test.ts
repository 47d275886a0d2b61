import { expect, it } from 'vitest';
import { quote, withArguments } from '../../../src/rules/wording.ts';
import { drawn, UPPER } from '../../support/drawn.ts';

const KEY = `AKIA${drawn(1, 16, `${UPPER}234567`)}`;

it('never repeats a secret of the trace', () => {
  expect(quote(`It failed for ${KEY}.`)).toBe('"It failed for [REDACTED AWS access key]."');
  expect(withArguments({ key: KEY })).toBe('with `key` "[REDACTED AWS access key]"');
});
