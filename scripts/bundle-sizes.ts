import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { shippedFiles } from './shipped-files.ts';

/** What ships, and what it may come to; in bytes. */
export interface BundleSize {
  readonly name: string;
  readonly size: number;
  readonly budget: number;
}

interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly bytes: number;
        readonly entryPoint?: string;
        readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
      }
    >
  >;
}

const KB = 1000;

/** Of the last build; null where there was none. @param root of the repository. */
export async function bundleSizes(root: string): Promise<readonly BundleSize[] | null> {
  const text = await readFile(join(root, 'dist', 'meta.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const { outputs }: Metafile = JSON.parse(text);
  const size = (entry: string, without?: string) => sizeOf(outputs, entry, without);
  // What the protocol of editors takes, no other command loads.
  const lsp = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === 'src/cli/lsp.ts');
  const cli = { all: size('dist/cli.js'), withoutLsp: size('dist/cli.js', lsp) };
  return [
    { name: 'dist/extension.cjs', size: size('dist/extension.cjs'), budget: 500 * KB },
    { name: 'dist/server.js', size: size('dist/server.js'), budget: 1500 * KB },
    { name: 'dist/cli.js', size: cli.withoutLsp, budget: 1850 * KB },
    { name: 'its lsp, besides', size: cli.all - cli.withoutLsp, budget: 700 * KB },
    {
      name: 'dist/webview',
      size: size('dist/webview/report.js') + size('dist/webview/report.css'),
      budget: 400 * KB,
    },
    { name: 'VSIX, estimated', size: await archive(root), budget: 1500 * KB },
  ];
}

/** A bundle and the chunks that it can load, each once; `without` one of them and what it alone loads. */
function sizeOf(outputs: Metafile['outputs'], entry: string, without?: string): number {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || path === without) return;
    seen.add(path);
    for (const imported of outputs[path]?.imports ?? []) if (!imported.external) visit(imported.path);
  };
  visit(entry);
  return [...seen].reduce((sum, path) => sum + (outputs[path]?.bytes ?? Number.NaN), 0);
}

/** A package is a zip: its files, compressed, and about 100 bytes for each one's names and sizes. */
async function archive(root: string): Promise<number> {
  const sizes = await Promise.all(
    (await shippedFiles(root)).map(
      async (file) => deflateRawSync(await readFile(join(root, file))).length + 2 * file.length + 100,
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
