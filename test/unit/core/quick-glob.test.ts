import { expect, it } from 'vitest';
import { isQuickGlob } from '../../../src/core/quick-glob.ts';

it.each([
  'runs/**/*.jsonl',
  '../traces',
  '../../runs/*-*.json',
  '**/{a,b}/**/*.trace.{json,jsonl}',
  '**/.claude/projects/**/*.jsonl',
  'a[0-9]?.json',
])('%s is quick', (glob) => {
  expect(isQuickGlob(glob)).toBe(true);
});

it.each([
  '*a*a*b',
  '**/a/**/a/**/b',
  '+(a|aa)b',
  '!(a)*(b)',
  '{1..9999999}',
  '{a,b}'.repeat(12),
  `${'a'.repeat(600)}.json`,
])('%s is refused', (glob) => {
  expect(isQuickGlob(glob)).toBe(false);
});
