import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonChunks } from '../../../../src/server/results/json-stream.ts';
import '../../../support/properties.ts';

const asIs = (_key: string, part: unknown) => part;

describe('jsonChunks', () => {
  it('give the same text as JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 9 }), (value) => {
        expect([...jsonChunks(value, asIs)].join('')).toBe(JSON.stringify(value));
      }),
    );
  });

  it('omit and replace values at any depth', () => {
    const replacing = (key: string, part: unknown) => (key === 'notes' ? undefined : part === 'old' ? 'new' : part);
    let value: unknown = 'old';
    for (let depth = 0; depth < 9; depth += 1) value = { notes: [1], list: ['old', value, undefined], none: undefined };
    expect([...jsonChunks(value, replacing)].join('')).toBe(
      JSON.stringify(value, (key, part: unknown) => replacing(key, part)),
    );
  });

  it('are many for many turns, and none is long', () => {
    const turns = Array.from({ length: 5000 }, (_, index) => ({ index, text: 'x'.repeat(100) }));
    const pieces = [...jsonChunks({ sessions: [{ detail: { report: { turns } } }] }, asIs)];
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece.length).toBeLessThan(65_000);
  });
});
