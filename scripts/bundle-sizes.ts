import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { shippedFiles } from './shipped-files.ts';

/** The shipped files and their size budgets in bytes. */
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

/** Measures the last build; null without a build. @param root of the repository. */
export async function bundleSizes(root: string): Promise<readonly BundleSize[] | null> {
  const text = await readFile(join(root, 'dist', 'meta.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const { outputs }: Metafile = JSON.parse(text);
  const chunk = (entryPoint: string) =>
    Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith(entryPoint));
  const size = (entry: string, without: readonly string[] = []) => sizeOf(outputs, entry, new Set(without));
  // No other command loads the editors' protocol or watches files, and no run without a model loads the providers' clients or
  // the tokenizers of static models.
  const watch = chunk('src/cli/watch.ts');
  const lsp = chunk('src/cli/lsp.ts');
  const clients = [
    ...chunk('node_modules/openai/index.mjs'),
    ...chunk('node_modules/ollama/dist/browser.mjs'),
    ...chunk('node_modules/@huggingface/tokenizers/dist/tokenizers.mjs'),
  ];
  const cli = size('dist/cli.js', [...lsp, ...watch, ...clients]);
  const lazyViews = [
    ...chunk('webview/overview/overview-app.tsx'),
    ...chunk('webview/runs/runs-app.tsx'),
    ...chunk('webview/components/timeline.tsx'),
  ];
  const server = size('dist/server.js', clients);
  return [
    { name: 'dist/extension.cjs', size: size('dist/extension.cjs'), budget: 575 * KB },
    { name: 'dist/server.js', size: server, budget: 2080 * KB },
    { name: 'dist/server.js: model clients', size: size('dist/server.js') - server, budget: 480 * KB },
    { name: 'dist/cli.js', size: cli, budget: 2720 * KB },
    { name: 'dist/cli.js: lsp', size: size('dist/cli.js', [...watch, ...clients]) - cli, budget: 765 * KB },
    { name: 'dist/cli.js: watch', size: size('dist/cli.js', [...lsp, ...clients]) - cli, budget: 80 * KB },
    { name: 'dist/cli.js: model clients', size: size('dist/cli.js', [...lsp, ...watch]) - cli, budget: 800 * KB },
    {
      name: 'dist/webview',
      size: size('dist/webview/report.js', lazyViews) + size('dist/webview/report.css'),
      budget: 420 * KB,
    },
    { name: 'VSIX, estimated', size: await archive(root), budget: 1885 * KB },
  ];
}

/** Sums a bundle and the chunks that it can load, each once, excluding `without` and the chunks that only these load. */
function sizeOf(outputs: Metafile['outputs'], entry: string, without: ReadonlySet<string>): number {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || without.has(path)) return;
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
