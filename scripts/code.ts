/**
 * Opens VS Code with the packaged extension and a profile of its own, which is gone afterwards: `node scripts/code.ts [FOLDER]`;
 * the default is `samples`. Where no `code` is on PATH, a headless server prints its address for a browser.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execute, onPath, vscodeServer } from '../test/support/vscode/install.ts';
import { startServer } from '../test/support/vscode/server.ts';
import { packageExtension } from '../test/support/vscode/vsix.ts';

const root = join(import.meta.dirname, '..');
const [named] = process.argv.slice(2);
const folder = named === undefined ? join(root, 'samples') : resolve(process.env.INIT_CWD ?? '.', named);
const profile = await mkdtemp(join(tmpdir(), 'turnwise-code-'));
const interrupted = new Promise<void>((end) => process.once('SIGINT', end).once('SIGTERM', end));
try {
  const vsix = join(profile, 'turnwise.vsix');
  await packageExtension(root, vsix);
  const desktop = onPath('code');
  await (desktop === null ? openInBrowser(vsix) : openOnDesktop(desktop, vsix));
} finally {
  await rm(profile, { recursive: true, force: true });
}

async function openOnDesktop(code: string, vsix: string): Promise<void> {
  process.env.TURNWISE_HOME = join(profile, 'turnwise');
  const own = ['--user-data-dir', join(profile, 'user'), '--extensions-dir', join(profile, 'extensions')];
  await execute(code, [...own, '--install-extension', vsix]);
  console.log(`VS Code opens ${folder}. Close its window to end.`);
  await Promise.race([execute(code, [...own, '--new-window', '--wait', folder]), interrupted]);
}

async function openInBrowser(vsix: string): Promise<void> {
  const token = randomUUID();
  const program = await vscodeServer(console.log);
  await using server = await startServer(program, join(profile, 'server'), { installed: vsix, settings: {}, token });
  const query = new URLSearchParams({ tkn: token, folder: pathToFileURL(folder).pathname });
  console.log(`Open http://127.0.0.1:${server.port}/?${query} in a browser. Ctrl+C ends the server.`);
  await interrupted;
}
