import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A terminal escape in one character, a reversal of the reading direction, a mark, a line separator and invisible tags. */
const HOSTILE = 'a\u009B31mb\u202Ec\u2066d\u200Fe\u2028f\u{E0041}g\u007Fh\uFEFFi';
const FORBIDDEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;

describe('JSON output', () => {
  it.each([
    'eval a.json --format json',
    'eval a.json --format json --out out.json',
    'eval HOSTILE.json --dry-run --format json',
    'formats a.json --convert',
    'prompts --turn a.json#1 --format json',
  ])('has control, direction and invisible characters as escapes: %s', async (line) => {
    const args = line.replace('HOSTILE', HOSTILE).split(' ');
    const turn = { input: HOSTILE, output: HOSTILE, steps: [] };
    const trace = JSON.stringify({ turnwise: 1, sessions: [{ id: `id${HOSTILE}`, turns: [turn] }] });
    await using folder = await temporaryFolder({ '.git': '', 'a.json': trace, [`${HOSTILE}.json`]: trace });
    const { stdout } = await turnwise(args, {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
    const text = args.includes('--out') ? await readFile(join(folder.path, 'out.json'), 'utf8') : stdout;
    expect(JSON.stringify(JSON.parse(text))).toContain(HOSTILE);
    expect(text.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
    expect(text).toContain('\\u009b31mb\\u202ec\\u2066d');
  });
});
