import { expect, it } from 'vitest';
import { isCubicPattern } from '../../../../src/core/text/bounded-pattern.ts';

it.each([
  'run-(?<task>\\w+)-(?<trial>\\d+)',
  '(?<agent>gpt|claude)-(?<task>\\w+)-(?<trial>\\d+)\\.jsonl?',
  '^(?<agent>\\w+)-(?<task>\\w+)-(?<trial>\\d+)$',
  '(?<task>[a-z]{2,8})-(?<trial>\\d{1,3})',
])('matching %s takes cubic time at most', (pattern) => {
  expect(isCubicPattern(pattern)).toBe(true);
});

it.each([
  ['with a fourth power', '(?<agent>\\w+)-(?<task>\\w+)-(?<trial>\\d+)'],
  ['with a repeated repetition', '^(?<task>(?:\\w+)+)$'],
  ['with a repeated choice', '^(?<task>(?:a|a)*)$'],
  ['with many choices', `^${'(?:a|b)?'.repeat(20)}$`],
  ['with many optional parts', '(?<task>[a-z]*)[a-z]*a?a?a?a?a?a?z'],
  ['that is long', `^${'a'.repeat(600)}$`],
])('a pattern %s may take longer', (_, pattern) => {
  expect(isCubicPattern(pattern)).toBe(false);
});
