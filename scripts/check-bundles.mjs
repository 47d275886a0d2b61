// Holds what ships against its size budget. Reads the metafile of the last build.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { shippedFiles } from './shipped-files.ts';

const KB = 1000;
const root = join(import.meta.dirname, '..');

const { outputs } = JSON.parse(
  await readFile(join(root, 'dist', 'meta.json'), 'utf8').catch(() => {
    console.error('There is no dist/meta.json. Run `npm run build` first.');
    process.exit(1);
  }),
);

/** A bundle and the chunks that it can load, each once; `without` one of them and what it alone loads. */
function bundle(entry, without) {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path) || path === without) return;
    seen.add(path);
    for (const imported of outputs[path]?.imports ?? []) if (!imported.external) visit(imported.path);
  };
  visit(entry);
  return [...seen].reduce((sum, path) => sum + outputs[path].bytes, 0);
}

/** A package is a zip: its files, compressed, and about 100 bytes for each one's names and sizes. */
async function archive(files) {
  const sizes = await Promise.all(
    files.map(async (file) => deflateRawSync(await readFile(join(root, file))).length + 2 * file.length + 100),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

// What the protocol of editors takes, no other command loads.
const lsp = Object.keys(outputs).find((path) => outputs[path].entryPoint === 'src/cli/lsp.ts');
const cli = { all: bundle('dist/cli.js'), withoutLsp: bundle('dist/cli.js', lsp) };

const rows = [
  { name: 'dist/extension.cjs', size: bundle('dist/extension.cjs'), budget: 500 * KB },
  { name: 'dist/server.js', size: bundle('dist/server.js'), budget: 1500 * KB },
  { name: 'dist/cli.js', size: cli.withoutLsp, budget: 1850 * KB },
  { name: 'its lsp, besides', size: cli.all - cli.withoutLsp, budget: 700 * KB },
  {
    name: 'dist/webview',
    size: bundle('dist/webview/report.js') + bundle('dist/webview/report.css'),
    budget: 400 * KB,
  },
  { name: 'VSIX, estimated', size: await archive(await shippedFiles(root)), budget: 1500 * KB },
];

const kilobytes = (size) => `${Math.round(size / KB)} kB`.padStart(8);
for (const { name, size, budget } of rows) {
  const isOver = size > budget;
  console.log(`${isOver ? '✗' : '✓'} ${name.padEnd(20)}${kilobytes(size)} of ${kilobytes(budget)}`);
  if (isOver) process.exitCode = 1;
}
