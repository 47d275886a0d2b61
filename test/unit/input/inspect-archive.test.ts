import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { strToU8, type ZippableFile, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseFile } from '../../../src/input/parse-file.ts';
import { sharedData } from '../../support/shared-data.ts';

const FORMATS = join(import.meta.dirname, '..', '..', 'fixtures', 'formats');
const json = (value: unknown) => strToU8(JSON.stringify(value));
const sample = (id: string | number, epoch = 1) => json({ id, epoch });
const archive = (files: Readonly<Record<string, ZippableFile>>) => zipSync({ ...files });
const read = (bytes: Uint8Array) => parseFile('log.eval', bytes);
const value = (bytes: Uint8Array) => read(bytes).document?.value;

const LOG = { 'header.json': json({ version: 2, eval: { task: 't' } }), 'samples/1_epoch_1.json': sample(1) };

/** Overwrites a number of the directory's entry of a file: 24 is its size, 20 that of its data, 10 its method. */
function claiming(bytes: Uint8Array, name: string, field: number, size: number): Uint8Array {
  const changed = bytes.slice();
  const view = new DataView(changed.buffer);
  for (let at = 0; at + 46 < changed.length; at += 1) {
    const named = new TextDecoder().decode(changed.subarray(at + 46, at + 46 + name.length));
    if (view.getUint32(at, true) === 0x02014b50 && named === name) view.setUint32(at + field, size, true);
  }
  return changed;
}

describe('an .eval archive', () => {
  it('has the shape of the plain log: header and samples', () => {
    expect(read(archive(LOG))).toEqual({
      document: {
        file: 'log.eval',
        value: { version: 2, eval: { task: 't' }, samples: [{ id: 1, epoch: 1 }] },
        lines: false,
      },
      text: null,
      problems: [],
    });
  });

  it('sorts samples by epoch and id, stored or deflated', () => {
    const files = {
      'samples/10_epoch_1.json': sample(10),
      'samples/2_epoch_2.json': sample(2, 2),
      'samples/2_epoch_1.json': [sample(2), { level: 0 }],
      'samples/a/b_epoch_1.json': sample('a/b'),
      'header.json': json({}),
      'summaries.json': json([]),
      '_journal/summaries/1.json': json([]),
    } satisfies Record<string, ZippableFile>;
    expect(value(archive(files))).toEqual({
      samples: [
        { id: 2, epoch: 1 },
        { id: 10, epoch: 1 },
        { id: 'a/b', epoch: 1 },
        { id: 2, epoch: 2 },
      ],
    });
  });

  it('uses _journal/start.json as the header of an interrupted run', () => {
    const { 'header.json': header, ...rest } = LOG;
    expect(value(archive({ '_journal/start.json': header, ...rest }))).toMatchObject({ version: 2 });
  });

  it('may have no samples and a ZIP comment', () => {
    const bytes = archive({ 'header.json': json({ a: 1 }) });
    const commented = new Uint8Array([...bytes.slice(0, -2), 3, 0, 0x61, 0x62, 0x63]);
    expect([value(bytes), value(commented)]).toEqual(Array(2).fill({ a: 1, samples: [] }));
  });

  it('keeps large integers and the key __proto__', () => {
    const files = {
      'header.json': strToU8('{"__proto__": {"polluted": true}, "n": 299736297362973629736297362973}'),
    };
    expect(Object.keys(value(archive(files)) ?? {})).toEqual(['__proto__', 'n', 'samples']);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('an unreadable sample is skipped and reported', () => {
  const two = archive({ ...LOG, 'samples/2_epoch_1.json': sample(2) });
  const second = 'samples/2_epoch_1.json';

  it.each<[string, Uint8Array, string]>([
    ['invalid JSON', archive({ ...LOG, [second]: strToU8('{"id": 2,,}') }), 'invalid-json'],
    ['binary data', archive({ ...LOG, [second]: new Uint8Array([0xff, 0xfe, 0]) }), 'broken-archive'],
    ['an archive again', archive({ ...LOG, [second]: archive(LOG) }), 'broken-archive'],
    ['longer than declared', claiming(two, second, 24, 3), 'broken-archive'],
    ['shorter than declared', claiming(two, second, 24, 300), 'broken-archive'],
    ['truncated', claiming(two, second, 20, 1_000_000), 'broken-archive'],
    ['elsewhere', claiming(two, second, 42, 7), 'broken-archive'],
    ['beyond the end', claiming(two, second, 42, 0xfffffff0), 'broken-archive'],
    ['compressed with Zstandard', claiming(two, second, 10, 93), 'broken-archive'],
    ['unknown compression', claiming(two, second, 10, 14), 'broken-archive'],
    ['declared as stored', claiming(two, second, 10, 0), 'broken-archive'],
    [
      'stored, with another size',
      claiming(archive({ ...LOG, [second]: [sample(2), { level: 0 }] }), second, 24, 3),
      'broken-archive',
    ],
  ])('%s', (_, bytes, code) => {
    const { document, problems } = read(bytes);
    expect(document?.value).toMatchObject({ version: 2, samples: [{ id: 1, epoch: 1 }] });
    expect(problems).toMatchObject([{ severity: 'error', code, file: 'log.eval', line: null }]);
    expect(problems[0]?.message).toMatch(/^Skipped "samples\/2_epoch_1\.json" in the archive.*\.$/s);
  });

  it('damaged data', () => {
    const large = archive({ ...LOG, [second]: json({ text: 'ab'.repeat(5000), more: Array.from(Array(200).keys()) }) });
    const at = new TextDecoder('latin1').decode(large).indexOf(second) + second.length;
    const { problems } = read(large.fill(0xff, at + 4, at + 40));
    expect(problems).toMatchObject([{ code: expect.stringMatching(/^(?:broken-archive|not-utf-8|invalid-json)$/) }]);
  });
});

describe('an invalid archive', () => {
  it.each<[string, Uint8Array, string, string]>([
    ['any other archive', archive({ 'a.txt': strToU8('x') }), 'not-text', 'not an Inspect AI log'],
    ['an archive without its end', archive(LOG).slice(0, -30), 'not-text', 'directory'],
    ['a directory that points nowhere', archive(LOG).fill(0xee, -6, -2), 'not-text', 'directory'],
    ['a name without an end', claiming(archive(LOG), 'header.json', 28, 0xffff), 'not-text', 'directory'],
    ['a broken header', archive({ ...LOG, 'header.json': strToU8('{') }), 'truncated', '"header.json"'],
    [
      'what would unpack to more than can be read',
      claiming(archive({ ...LOG, 'samples/2_epoch_1.json': sample(2) }), 'samples/2_epoch_1.json', 24, 0x30000000),
      'too-large',
      'would unpack to 769 MB',
    ],
  ])('%s', (_, bytes, code, words) => {
    const { document, problems } = read(bytes);
    expect(document).toBeNull();
    expect(problems).toMatchObject([{ severity: 'error', code, line: null }]);
    expect(problems[0]?.message).toContain(words);
  });

  it('allocates no more memory than the directory declares', () => {
    const zeros = archive({ ...LOG, 'samples/2_epoch_1.json': new Uint8Array(2 ** 24) });
    expect(zeros.length).toBeLessThan(2 ** 15);
    const before = process.memoryUsage().arrayBuffers;
    expect(read(claiming(zeros, 'samples/2_epoch_1.json', 24, 10)).problems).toMatchObject([
      { code: 'broken-archive', message: expect.stringContaining('its size differs') },
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });

  it('never throws, whatever bytes are changed', () => {
    const bytes = archive({ ...LOG, 'samples/2_epoch_1.json': sample(2) });
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 5), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(changes, fc.nat(bytes.length), (changed, length) => {
        const broken = bytes.slice();
        for (const [at, byte] of changed) broken[at + 4] = byte;
        const { document, problems } = read(broken.slice(0, Math.max(4, length)));
        expect(document !== null || problems.length > 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

it('reads the same value from an archive as from the plain log', () => {
  const plain = JSON.parse(readFileSync(join(FORMATS, 'inspect-ai.json'), 'utf8'));
  const { samples, ...header } = plain;
  const files = samples.map((sample: { id: unknown; epoch: unknown }) => [
    `samples/${sample.id}_epoch_${sample.epoch}.json`,
    json(sample),
  ]);
  const { document, problems } = read(archive({ 'header.json': json(header), ...Object.fromEntries(files) }));
  expect(problems).toEqual([]);
  // An archive has its samples by epoch and id.
  expect(document?.value).toEqual({ ...header, samples: expect.arrayContaining(samples) });
  expect(document?.value).toHaveProperty('samples.length', samples.length);
});

const real = sharedData('inspect-ai/log_read_sample.eval');

it.skipIf(real === null)('reads a real log (needs ../shared/data)', () => {
  const { document, problems } = read(readFileSync(real ?? ''));
  expect(problems).toEqual([]);
  expect(document?.value).toMatchObject({
    version: 2,
    status: 'success',
    eval: { task: 'popularity', model: 'ollama/gemma3' },
    samples: [{ id: 1, epoch: 1, target: ' Yes', scores: { match: { value: 'C' } } }],
  });
});
