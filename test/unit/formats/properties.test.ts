import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/core/document.ts';
import { isObject } from '../../../src/core/json.ts';
import type { Format, ReadResult } from '../../../src/formats/format.ts';
import { detect, FORMATS } from '../../../src/formats/index.ts';
import { documentAt, pointersOf, read, readAs, resolve } from './read-fixture.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'formats');
const DOCUMENTS = readdirSync(FIXTURES).map((name) => documentAt(join(FIXTURES, name)));

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  const inside: Path[] = Array.isArray(value)
    ? value.flatMap((entry, index) => pathsOf(entry, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => pathsOf(entry, [...path, key]))
      : [];
  return [path, ...inside];
}

/** The value with whatever stands at a path replaced. */
function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [token, ...rest] = path;
  if (token === undefined) return by;
  if (Array.isArray(value)) return value.map((entry, index) => (index === token ? replaced(entry, rest, by) : entry));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, key === token ? replaced(entry, rest, by) : entry]),
  );
}

/** The value with the keys of every object in another order. */
function reordered(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((entry) => reordered(entry, random));
  if (!isObject(value)) return value;
  const keyed = Object.entries(value).map(([key, entry]) => ({ key, entry: reordered(entry, random), at: random() }));
  return Object.fromEntries(keyed.toSorted((a, b) => a.at - b.at).map(({ key, entry }) => [key, entry]));
}

/** Any JSON, with keys and values that readers look for among it. */
const anyJson = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', 'Error: x', '{"error": 1}', [], {}, [[]], [null], {
    role: 'user',
  }),
  fc.dictionary(fc.constantFrom('role', 'content', 'parts', 'text', 'id', 'name', 'type', '__proto__'), fc.jsonValue()),
);

const paths = new Map(DOCUMENTS.map((document) => [document.file, pathsOf(document.value)]));

/** A valid file of some format in which a few values are something else. */
const mutated = fc
  .record({
    document: fc.constantFrom(...DOCUMENTS),
    changes: fc.array(fc.record({ where: fc.nat(), by: anyJson }), { maxLength: 4 }),
  })
  .map(({ document, changes }): Document => {
    const candidates = paths.get(document.file) ?? [];
    const value = changes.reduce(
      (current: unknown, { where, by }) => replaced(current, candidates[where % candidates.length] ?? [], by),
      document.value,
    );
    return { ...document, value };
  });

const arbitrary = fc.record({ file: fc.constant('any.json'), value: anyJson, lines: fc.boolean() });

function checkReading(document: Document, format: Format): void {
  const reading = readAs(format, document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  expect(new Set(reading.sessions.map(({ id }) => id)).size).toBe(reading.sessions.length);
  for (const session of reading.sessions) {
    expect(session.source.format).toBe(format.name);
    expect(new Set(session.turns.map(({ id }) => id)).size).toBe(session.turns.length);
  }
  const result = reading.sessions.length + (reading.expectations?.length ?? 0);
  if (result === 0) expect(reading.problems.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  for (const { message } of reading.problems) expect(message).toMatch(/\.$/);
}

describe.each(FORMATS.map((format) => ({ name: format.name, format })))('$name', ({ format }) => {
  it('reads any JSON without throwing, with valid pointers', () => {
    fc.assert(
      fc.property(arbitrary, (document) => {
        format.detect(document);
        checkReading(document, format);
      }),
      { numRuns: 200 },
    );
  });

  it('reads mutated files of all formats', () => {
    fc.assert(
      fc.property(mutated, (document) => checkReading(document, format)),
      { numRuns: 300 },
    );
  });
});

it('detection and reading do not depend on the order of keys', () => {
  fc.assert(
    fc.property(mutated, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (document, numbers) => {
      const random = () => numbers.next().value ?? 0;
      const other = { ...document, value: reordered(document.value, random) };
      const detection = detect(document);
      expect(detect(other)?.format.name).toBe(detection?.format.name);
      if (detection)
        expect(inOrder(readAs(detection.format, other))).toEqual(inOrder(readAs(detection.format, document)));
    }),
    { numRuns: 500 },
  );
});

/** Unknown keys are told in the order of the file. */
function inOrder({ problems, ...rest }: ReadResult) {
  const messages = problems.map(({ code, pointer, message }) => `${pointer} ${code} ${message}`);
  return { ...rest, problems: messages.toSorted() };
}

it('valid files give no errors', () => {
  for (const document of DOCUMENTS) {
    const errors = read(document).problems.filter(({ severity }) => severity === 'error');
    expect([document.file, errors]).toEqual([document.file, []]);
  }
});

it('deep nesting does not exhaust the stack', () => {
  let deep: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1)
    deep = depth % 2 ? [deep] : { content: deep, input: deep, args: deep };
  for (const document of DOCUMENTS) {
    const own = detect(document)?.format;
    for (const [index, path] of (paths.get(document.file) ?? []).entries()) {
      if (index % 7 !== 0) continue;
      const value = replaced(document.value, path, deep);
      for (const format of FORMATS) {
        format.detect({ ...document, value });
        // The readers of other formats do not get far.
        if (format === own || index % 700 === 0) readAs(format, { ...document, value });
      }
    }
  }
});
