import { expect, it } from 'vitest';
import { formatArguments, quoteText } from '../../../../src/rules/shared/message-format.ts';
import { randomText, UPPER } from '../../../support/random-text.ts';

const KEY = `AKIA${randomText(1, 16, `${UPPER}234567`)}`;

it('never repeats a secret of the trace', () => {
  expect(quoteText(`It failed for ${KEY}.`)).toBe('"It failed for [REDACTED AWS access key]."');
  expect(formatArguments({ key: KEY })).toBe('with `key` "[REDACTED AWS access key]"');
});
