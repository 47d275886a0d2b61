import { describe, expect, it } from 'vitest';
import { normalizeVerdict, parseVerdict } from '../../../../src/metrics/shared/verdict-label.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../../support/time-growth.ts';

const ofValid = (value: unknown) => ({ reasoning: 'x', is_the_agent_response_valid: value });
const ofInvalid = (value: unknown) => ({ reasoning: 'x', is_the_agent_response_invalid: value });

describe('verdictIn', () => {
  it.each<[answer: unknown, verdict: string | null]>([
    [ofValid('valid'), 'valid'],
    [ofValid('True'), 'valid'],
    [ofValid(true), 'valid'],
    [ofValid(['VALID']), 'valid'],
    [ofValid('invalid'), 'invalid'],
    [ofValid('false'), 'invalid'],
    [ofValid(false), 'invalid'],
    [ofValid('almost'), 'invalid'],
    [ofValid('partially_valid'), 'invalid'],
    [ofValid('Partially valid'), 'invalid'],
    [ofValid('partially'), 'invalid'],
    [ofValid('yes'), null],
    [ofValid(''), null],
    [ofValid(null), null],
    [ofValid([]), null],
    [ofValid(['valid', 'valid']), null],
    [ofValid({ label: 'valid' }), null],
    [ofInvalid('invalid'), 'invalid'],
    [ofInvalid(true), 'invalid'],
    [ofInvalid('true'), 'invalid'],
    [ofInvalid('false'), 'valid'],
    [ofInvalid('valid'), 'valid'],
    [ofInvalid('undefined label'), null],
    [{ ...ofValid('valid'), ...ofInvalid('invalid') }, 'valid'],
    [{}, null],
    [null, null],
    [JSON.parse('{"__proto__": {"is_the_agent_response_valid": "valid"}}'), null],
  ])('of %j is %s', (answer, verdict) => {
    expect(parseVerdict(answer)).toBe(verdict);
  });

  it.each<[text: string, verdict: string | null]>([
    ['{"is_the_agent_response_valid": "valid",}', 'valid'],
    ['```json\n{"reasoning": "so", "is_the_agent_response_valid": partially valid\n}', 'invalid'],
    ['"is_the_agent_response_valid" :\n\n[ "almost" ]', 'invalid'],
    ['is_the_agent_response_valid: valid', null],
    ['{"is_the_agent_response_valid": ', null],
    ['The response is valid.', null],
  ])('of the broken text %j is %s', (text, verdict) => {
    expect(parseVerdict(text)).toBe(verdict);
  });

  it.each([ofValid('valid'), ofValid(['almost\n']), ofValid(false), ofValid('maybe'), ofInvalid('true')])(
    'gives the same result for the JSON text of %j',
    (answer) => {
      expect(parseVerdict(JSON.stringify(answer, null, 2))).toBe(parseVerdict(answer));
    },
  );

  it('takes linear time for a text with unclosed strings', () => {
    expect(timeGrowth(parseVerdict, '"is_the_agent_response_valid": ')).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});

describe('withVerdict', () => {
  it('replaces a variant with the word of the schema', () => {
    expect(normalizeVerdict(ofInvalid('true'))).toEqual({
      ...ofInvalid('true'),
      is_the_agent_response_valid: 'invalid',
    });
  });

  it.each([ofValid('maybe'), 'valid', null, [ofValid('valid')]])('does not change %j', (answer) => {
    expect(normalizeVerdict(answer)).toBe(answer);
  });
});
