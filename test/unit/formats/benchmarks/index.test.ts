import { describe, expect, it } from 'vitest';
import { detect } from '../../../../src/formats/index.ts';
import { fixture, read } from '../read-fixture.ts';

describe('the formats of benchmarks', () => {
  it.each([
    ['inspect-ai.json', 'inspect-ai'],
    ['tau-bench.json', 'tau-bench'],
    ['tau2-bench.json', 'tau2-bench'],
    ['toolbench.json', 'toolbench'],
    ['trail.json', 'trail'],
    ['who-and-when.json', 'who-and-when'],
  ])('load their reader when a document is met: %s', async (file, format) => {
    const document = fixture(file);
    const detected = detect(document);
    expect(detected?.format.name).toBe(format);
    const result = detected?.format.read(document);
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual(read(document));
    expect((await result)?.sessions.length).toBeGreaterThan(0);
  });
});
