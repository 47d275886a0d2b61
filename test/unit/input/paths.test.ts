import { describe, expect, it } from 'vitest';
import { plainPath } from '../../../src/input/paths.ts';

describe('plainPath', () => {
  it.each([
    ['traces', 'traces'],
    ['traces/', 'traces'],
    ['./traces', 'traces'],
    ['.//a//b/./c/.', 'a/b/c'],
    ['.\\a\\b\\', 'a\\b'],
    ['.', '.'],
    ['./', '.'],
    ['..', '..'],
    ['../a/../b/', '../a/../b'],
    ['/', '/'],
    ['//server/share/', '//server/share'],
    ['C:\\', 'C:\\'],
    ['-', '-'],
    ['.hidden/', '.hidden'],
    ['./runs/**/', 'runs/**/'],
    ['./a//*.json', 'a//*.json'],
  ])('of %s is %s', (path, plain) => {
    expect(plainPath(path)).toBe(plain);
  });
});
