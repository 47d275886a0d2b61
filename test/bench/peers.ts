import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A command of another tool that does the least that ours does: reads one file, and says whether what it has is right. */
export interface Peer {
  readonly name: string;
  /** Of Node. */
  readonly args: readonly string[];
}

const VERSION = '0.123.1';

/** Installs promptfoo from npm below a folder, with one test that asks no model. Takes minutes, and some hundred megabytes. */
export async function installPromptfoo(below: string): Promise<Peer> {
  const folder = join(below, 'promptfoo');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', `promptfoo@${VERSION}`], { cwd: folder });
  const configuration = join(folder, 'promptfooconfig.json');
  const test = { vars: { question: 'Where is A-1?' }, assert: [{ type: 'contains', value: 'A-1' }] };
  await writeFile(configuration, JSON.stringify({ prompts: ['{{question}}'], providers: ['echo'], tests: [test] }));
  const main = join(folder, 'node_modules', 'promptfoo', 'dist', 'src', 'entrypoint.js');
  return {
    name: `\`promptfoo eval\` ${VERSION}, one test with an answer that is given`,
    args: [main, 'eval', '-c', configuration, '--no-cache', '--no-write', '--no-table', '--no-progress-bar'],
  };
}
