import { execFile } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

/** Writes its arguments down, and whether the package that is named in them is there. */
const FAKE_CODE = `#!/usr/bin/env node
const { appendFileSync, existsSync } = require('node:fs');
const args = process.argv.slice(2);
const vsix = args.find((arg) => arg.endsWith('.vsix'));
appendFileSync(process.env.CALLS, JSON.stringify({ args, packaged: vsix !== undefined && existsSync(vsix) }) + '\\n');
`;

it('`npm run code` installs the package into a profile of its own, and opens the samples', {
  timeout: 120_000,
}, async () => {
  await using folder = await temporaryFolder({ 'bin/code': FAKE_CODE });
  await chmod(join(folder.path, 'bin/code'), 0o755);
  const env = {
    ...process.env,
    PATH: [join(folder.path, 'bin'), process.env.PATH].join(delimiter),
    CALLS: join(folder.path, 'calls'),
  };
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'code.ts')], { env });
  const calls = (await readFile(env.CALLS, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const own = ['--user-data-dir', expect.any(String), '--extensions-dir', expect.any(String)];
  expect(calls).toEqual([
    { args: [...own, '--install-extension', expect.stringMatching(/\.vsix$/)], packaged: true },
    { args: [...own, '--new-window', '--wait', join(root, 'samples')], packaged: false },
  ]);
});
