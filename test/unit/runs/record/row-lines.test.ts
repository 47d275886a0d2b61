import { expect, it } from 'vitest';
import { decodeRows, encodeRows } from '../../../../src/runs/record/row-lines.ts';
import { sessionRow } from '../../../support/recorded-runs.ts';

const ROWS = [sessionRow({ id: 'a', scores: { goal: 0.5 } }), sessionRow({ id: 'b' })];
const LINES = encodeRows(ROWS, 10).trimEnd().split('\n');

it('reads the rows that were written', () => {
  expect(decodeRows(LINES)).toEqual(ROWS);
  expect(decodeRows(encodeRows([], 0).trimEnd().split('\n'))).toEqual([]);
});

it.each([
  ['without the line that ends them', LINES.slice(0, -1)],
  ['of which one is missing', LINES.slice(1)],
  ['of which one was changed', [LINES[0]?.replace('0.5', '0.9') ?? '', ...LINES.slice(1)]],
])('reads no rows %s', (_, lines) => {
  expect(decodeRows(lines)).toBeNull();
});
