import { describe, expect, it } from 'vitest';
import { jsonChunks } from '../../../src/reports/json.ts';
import * as made from './report.ts';

const REPORT = made.report({
  sessions: [made.session('a', [made.turn(0, { coherence: made.scored(0.5) }), made.turn(1)]), made.session('b', [])],
  gates: [made.gate()],
  failures: [made.failures('repeated tool call', 'low', [made.occurrence('a', 0, 'a "quoted"\n reason \uD800')])],
});

describe('jsonChunks', () => {
  it('joins to the report, with its keys in order', () => {
    const text = [...jsonChunks(REPORT)].join('');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(REPORT)));
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(REPORT));
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('puts each turn into its own chunk', () => {
    const turns = Array.from({ length: 1000 }, (_, index) => made.turn(index, { coherence: made.scored(0.5) }));
    const chunks = [...jsonChunks(made.report({ sessions: [made.session('a', turns)] }))];
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThan(1000);
  });

  it('writes chunks lazily', () => {
    const { value, done } = jsonChunks(REPORT).next();
    expect([value, done]).toEqual(['{\n  "schemaVersion": ', false]);
  });
});
