import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { labelSheet, readLabelSheet } from '../../../src/app/label-sheet.ts';
import { judgedMetric, judgedResult } from '../runs/calibration/labels.ts';

const AT = '2026-11-28T10:00:00.000Z';

function cells(csv: string): string[][] {
  return Papa.parse<string[]>(csv.slice(1).trimEnd()).data;
}

/** Fills the first columns in, as a spreadsheet saves it. */
function filled(csv: string, label: string, note = '', delimiter = ','): string {
  const [head = [], ...rows] = cells(csv);
  return Papa.unparse([head, ...rows.map((row) => [label, note, ...row.slice(2)])], { delimiter });
}

const RESULTS = [0, 1, 2].map((number) => judgedResult(number));
const METRICS = [judgedMetric(RESULTS)];
const SHEET = labelSheet(RESULTS.map((result) => ({ result, asks: 'Is it right?', session: null })));

describe('a sheet of results to label', () => {
  it('has neither the score nor the verdict of the judge', () => {
    const [pass, fail] = [5, 1].map((score) => {
      const result = { ...judgedResult(1), score, verdict: score === 5 ? ('pass' as const) : ('fail' as const) };
      return labelSheet([{ result, asks: '', session: null }]);
    });
    expect(pass).toBe(fail);
  });

  it('comes back with the labels, whatever names sessions and notes have', () => {
    const hostile = fc.constantFrom('=1+1', '@x', '-2', '+3', "'", "'=", '\t', '"', ';', ',', '\r\n', 'ü', '\u202e');
    const name = fc.array(fc.oneof(hostile, fc.string()), { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(name, name, fc.constantFrom(',', ';', '\t'), (session, file, delimiter) => {
        const result = judgedResult(1, { session, file });
        const csv = labelSheet([{ result, asks: 'Is it right?', session: null }]);
        expect(
          cells(csv)
            .flat()
            .filter((cell) => /^[=+\-@\t\r]/.test(cell)),
        ).toEqual([]);
        const { labels, problems } = readLabelSheet(filled(csv, 'y', 'n', delimiter), [judgedMetric([result])], AT);
        expect(problems).toEqual([]);
        expect(labels).toMatchObject([{ session, file, label: 'pass', note: 'n', at: AT }]);
      }),
    );
  });

  it('understands the words that people write', () => {
    for (const word of ['pass', 'Y', '1', 'yes', 'ja']) {
      expect(readLabelSheet(filled(SHEET, word), METRICS, AT).labels.map(({ label }) => label)).toEqual(
        RESULTS.map(() => 'pass'),
      );
    }
    for (const word of ['fail', 'N', '2', '0', 'nein']) {
      expect(readLabelSheet(filled(SHEET, word), METRICS, AT).labels[0]?.label).toBe('fail');
    }
  });

  it('counts rows without a label, and reports others with their line', () => {
    expect(readLabelSheet(filled(SHEET, ''), METRICS, AT)).toEqual({ labels: [], empty: 3, problems: [] });
    const { labels, problems } = readLabelSheet(filled(SHEET, 'perhaps', 'a\nb'), METRICS, AT);
    expect(labels).toEqual([]);
    expect(problems.map(({ line }) => line)).toEqual([2, 4, 6]);
  });

  it.each([
    ['another judge', { judge: 'openai/other' }, 'about the judge openai/m, and openai/other answered'],
    ['another question', { question: 'q2' }, 'about another version of the question of faithfulness'],
    ['a session that changed', { content: 'new' }, 'the session is not in it, or it changed'],
  ])('takes over no label of %s', (_, changes, message) => {
    const metric = { ...judgedMetric(RESULTS.map((result) => judgedResult(result.line ?? 0, changes))), ...changes };
    const { labels, problems } = readLabelSheet(filled(SHEET, 'y'), [metric], AT);
    expect(labels).toEqual([]);
    expect(problems[0]?.message).toContain(message);
  });

  it('refuses two labels of one result, and a file that is no sheet', () => {
    const [first = '', ...rest] = filled(SHEET, 'y').split('\r\n');
    const twice = [first, ...rest, ...rest.map((row) => row.replace(/^y/, 'n'))].join('\r\n');
    expect(readLabelSheet(twice, METRICS, AT).problems[0]?.message).toContain('another label above');
    expect(readLabelSheet('a,b\r\n1,2', METRICS, AT).problems[0]).toEqual({
      line: 1,
      message: 'There is no column "id". Export a sheet again.',
    });
  });
});
