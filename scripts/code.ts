/**
 * Opens VS Code with the packaged extension and a profile of its own, which is gone afterwards: `node scripts/code.ts [FOLDER]`;
 * the default is `samples`. Where no `code` is on PATH, a headless server prints its address for a browser.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execute, onPath, vscodeServer } from '../test/support/vscode/install.ts';
import { startServer } from '../test/support/vscode/server.ts';
import { packageExtension } from '../test/support/vscode/vsix.ts';

const root = join(import.meta.dirname, '..');
const usage = `Usage: npm run code -- [FOLDER]

Opens VS Code with the packaged extension on a folder, by default samples. The profile is its own, and gone afterwards.`;
const { values, positionals } = parseArguments();
if (values.help) {
  console.log(usage);
  process.exit();
}
const [named] = positionals;
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

/** Ends with a sentence where the arguments are wrong. */
function parseArguments() {
  try {
    const parsed = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
    if (parsed.positionals.length > 1) throw new Error('Only one folder can be opened.');
    return parsed;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
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
  console.log(
    "Its Output panel stays empty: VS Code's log needs a native module that the server from npm does not have.",
  );
  await interrupted;
}
