import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/core/json.ts';
import { parseFile } from '../../src/input/parse-file.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD } from '../support/traces.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** `[0,0,0,…]` with a number of zeros. */
function zeros(count: number): Uint8Array {
  const array = new Uint8Array(2 * count + 1).fill(0x30);
  for (let at = 2; at < array.length; at += 2) array[at] = 0x2c;
  array[0] = 0x5b;
  array[array.length - 1] = 0x5d;
  return array;
}

const MESSAGE =
  'Line 1: the file has more than 20 million values, the most that Turnwise reads. Split it, for example by session.';

describe('a file with more values than the memory can have', () => {
  it('is one error of its file when it comes as an archive of a few bytes', async () => {
    await using folder = await temporaryFolder({ 'good.json': GOOD });
    const log = zipSync(
      { 'header.json': strToU8('{"version": 2, "eval": {"task": "t"}}'), 'samples/1.json': zeros(100_000_000) },
      { level: 9 },
    );
    expect(log.length).toBeLessThan(400_000);
    await writeFile(join(folder.path, 'log.eval'), log);
    const { code, stdout, stderr } = await turnwise(['eval', 'log.eval', 'good.json', '--format', 'json'], {
      cwd: folder.path,
      env: { NODE_OPTIONS: '--max-old-space-size=1500' },
    });
    expect(code, stderr).toBe(2);
    const report = JSON.parse(stdout);
    expect(report.problems).toMatchObject([
      { file: 'log.eval', code: 'too-many-values', message: `Skipped "samples/1.json" in the archive. ${MESSAGE}` },
    ]);
    expect(report.sessions).toMatchObject([{ source: { file: 'good.json' } }]);
  });

  it.each([
    ['JSON', 'a.json', zeros(20_000_002)],
    ['one line of JSON Lines', 'a.jsonl', zeros(20_000_002)],
  ])('is not parsed: %s', (_, file, content) => {
    const { document, problems } = parseFile(file, content);
    expect(document).toBeNull();
    expect(problems).toMatchObject([{ file, code: 'too-many-values', line: 1, message: MESSAGE }]);
  });

  it('is read as far as the limit when it has many lines', () => {
    const line = `{"a":[${'0,'.repeat(999_990)}0]}\n`;
    const { document, problems } = parseFile('a.jsonl', bytes(line.repeat(22)));
    const { value } = document ?? {};
    expect(Array.isArray(value) && Array.from(value, (line) => line !== undefined)).toEqual([
      ...Array.from({ length: 20 }, () => true),
      false,
      false,
    ]);
    expect(problems).toMatchObject([
      { line: 21, code: 'too-many-values' },
      { line: 22, code: 'too-many-values' },
    ]);
  });

  it('is limited in a text inside the file too', () => {
    expect(parseJson(new TextDecoder().decode(zeros(1_000_002)))).toBeUndefined();
    expect(parseJson(`${'['.repeat(1001)}${']'.repeat(1001)}`)).toBeUndefined();
    expect(parseJson(`[${'"a,[",'.repeat(400_000)}1]`)).toHaveLength(400_001);
  });
});

describe('broken lines', () => {
  it('are not all tried when there are very many', () => {
    const { document, problems } = parseFile('a.jsonl', bytes(`{"a": 1}\n${'{\n'.repeat(300_000)}`));
    expect(document?.value).toMatchObject({ 0: { a: 1 } });
    expect(problems.at(-1)?.message).toContain('100000');
  });

  it('at the head do not lose the file', () => {
    const { document } = parseFile('a.jsonl', bytes(`${'{"role": \n'.repeat(200)}{"role": "user"}\n`));
    expect(document?.value).toMatchObject({ length: 201, 200: { role: 'user' } });
  });
});
