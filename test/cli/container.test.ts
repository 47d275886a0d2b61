import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';

const ROOT = join(import.meta.dirname, '..', '..');

async function dockerfile() {
  const text = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const instructions = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const of = (name: string) =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return { of };
}

it('copies into the image what the repository has, and into its second stage what the build makes', async () => {
  const { of } = await dockerfile();
  const copied = of('COPY').map((line) => line.split(' ').slice(0, -1));
  const own = copied.filter(([first]) => !first?.startsWith('--from'));
  expect(own.length).toBeGreaterThan(3);
  for (const path of own.flat()) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  const { scripts, bin } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const script of of('RUN').flatMap((line) => /^npm run (\w+)$/.exec(line)?.[1] ?? []))
    expect(scripts).toHaveProperty(script);
  expect(of('ENTRYPOINT').map((line) => JSON.parse(line))).toEqual([['node', bin.turnwise.replace('./', '')]]);
});

it('runs a command that the command line has, as a user who is not root', async () => {
  const { of } = await dockerfile();
  const command: string[] = JSON.parse(of('CMD')[0] ?? '[]');
  const { code, stdout } = await turnwise([...command, '--help'], { cwd: ROOT });
  expect([code, stdout]).toEqual([0, expect.stringContaining('turnwise worker')]);
  expect(of('USER')).toEqual(['node']);
  const variables = of('ENV').flatMap((line) => line.match(/\bTURNWISE_\w+/g) ?? []);
  expect(variables).toEqual(['TURNWISE_HOME']);
});
