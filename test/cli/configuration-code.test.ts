import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD } from '../support/traces.ts';

/** Leaves a file behind when it runs. */
const code = (value: object) =>
  `import { writeFileSync } from 'node:fs';
  writeFileSync(new URL('ran', import.meta.url), '');
  export default ${JSON.stringify(value)};`;

const OWN = code({ custom: [{ name: 'tone', question: 'Is it polite?', rubric: 'Polite or not.', scale: 'unit' }] });

/** A repository that somebody cloned, and the command line in it. */
async function clonedRepository(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', 'a.json': GOOD, ...files });
  const run = async (...args: string[]) => {
    const result = await turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } });
    return { ...result, ran: existsSync(join(folder.path, 'ran')) };
  };
  return { run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const skipped = (file: string) =>
  `${file}: warning: This configuration is code and was not run, so its settings do not count here. To run it, add --config ${file}.\n`;

describe('a configuration that is code', () => {
  it.each([
    ['metrics', 'turnwise.config.ts'],
    ['formats', 'turnwise.config.mjs'],
    ['formats a.json', 'turnwise.config.js'],
    ['prompts', 'turnwise.config.ts'],
    ['prompts --turn a.json#1', 'agentest.config.ts'],
    ['metrics', 'agentest.config.ts'],
  ])('does not run by itself for `turnwise %s`, which says so: %s', async (command, file) => {
    await using folder = await clonedRepository({ [file]: file.startsWith('agentest') ? code({}) : OWN });
    expect(await folder.run(...command.split(' '))).toMatchObject({ code: 0, stderr: skipped(file), ran: false });
  });

  it.each(['rules', 'cache', 'trust', 'pass-at-k --n 4 --c 2 --k 2', 'metrics --help', 'init'])(
    'is not even looked for by `turnwise %s`',
    async (command) => {
      await using folder = await clonedRepository({ 'sub/a.json': GOOD, 'turnwise.config.ts': OWN });
      expect(await folder.run(...command.split(' '))).toMatchObject({ ran: false });
    },
  );

  it.each(['turnwise.config.ts', 'agentest.config.ts'])(
    'is an error of a dry run, whose plan would not be that of the run: %s',
    async (file) => {
      await using folder = await clonedRepository({ [file]: code({}) });
      expect(await folder.run('eval', 'a.json', '--dry-run')).toEqual({
        code: 2,
        stdout: '',
        stderr: `turnwise: ${file} is code and was not run, because --dry-run runs no code that it finds. To plan with it, add --config ${file}.\n`,
        ran: false,
      });
      const named = await folder.run('eval', 'a.json', '--dry-run', '--config', file);
      expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('Plan: 1 session'), ran: true });
    },
  );

  it('runs where the user names it, and for an evaluation', async () => {
    for (const command of [
      ['metrics', 'tone', '--config', 'turnwise.config.ts'],
      ['eval', 'a.json', '--record', 'none'],
    ]) {
      await using folder = await clonedRepository({ 'turnwise.config.ts': OWN });
      expect(await folder.run(...command)).toMatchObject({ code: 0, stderr: '', ran: true });
    }
  });
});
