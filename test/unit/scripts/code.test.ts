import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../../scripts/code.ts');

it('prints how `npm run code` is used, and opens nothing', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--help']);
  expect(stdout).toMatch(/^Usage: npm run code -- \[FOLDER\]\n/);
});

it.each([
  ['--folder', "Unknown option '--folder'"],
  ['a b', 'Only one folder can be opened.'],
])('`npm run code -- %s` is an error that says why', async (text, why) => {
  const failed = promisify(execFile)(process.execPath, [script, ...text.split(' ')]);
  await expect(failed).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
});
