/**
 * Writes `l10n/bundle.l10n.json`: every string of the extension, the language server and the webview that goes through
 * `l10n.t`. `--check` writes nothing and fails when the file is out of date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';
import { glob } from 'tinyglobby';

const root = join(import.meta.dirname, '..');
const bundle = join(root, 'l10n', 'bundle.l10n.json');

const paths = await glob(['src/{extension,server,panel}/**/*.ts', 'webview/**/*.{ts,tsx}'], {
  cwd: root,
  absolute: true,
});
const sources = paths.sort().map(async (path) => ({
  extension: path.endsWith('.tsx') ? ('.tsx' as const) : ('.ts' as const),
  contents: await readFile(path, 'utf8'),
}));
const strings = await getL10nJson(await Promise.all(sources));
const sorted = Object.fromEntries(Object.entries(strings).sort(([a], [b]) => (a < b ? -1 : 1)));
const text = `${JSON.stringify(sorted, null, 2)}\n`;

if (process.argv.includes('--check')) {
  if ((await readFile(bundle, 'utf8').catch(() => '')) !== text) {
    console.error('l10n/bundle.l10n.json is out of date. Run `npm run l10n`.');
    process.exitCode = 1;
  }
} else {
  await mkdir(dirname(bundle), { recursive: true });
  await writeFile(bundle, text);
}
