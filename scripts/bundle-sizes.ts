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
  // No other command loads the protocols of editors and coding agents, watches files, receives traces, starts threads, connects
  // to Postgres or loads the panel, and no run without a model loads the providers' clients or the tokenizers of static models.
  const clients = [
    ...chunk('node_modules/openai/index.mjs'),
    ...chunk('node_modules/ollama/dist/browser.mjs'),
    ...chunk('node_modules/@huggingface/tokenizers/dist/tokenizers.mjs'),
  ];
  // The server loads it when the user watches an agent.
  const receiver = chunk('src/receiver/start-receiver.ts');
  // The server loads them when an agent calls one.
  const agentTools = chunk('src/server/agent-tools/tool-calls.ts');
  const parts = {
    // With the tools for coding agents, which it shares with mcp, and the page of labels.
    lsp: { chunks: chunk('src/cli/lsp.ts'), budget: 856 * KB },
    mcp: { chunks: chunk('src/cli/mcp.ts'), budget: 320 * KB },
    watch: { chunks: chunk('src/cli/watch.ts'), budget: 80 * KB },
    collect: { chunks: [...chunk('src/cli/collect.ts'), ...receiver], budget: 62 * KB },
    jobs: { chunks: chunk('src/cli/jobs.ts'), budget: 20 * KB },
    queue: { chunks: [...chunk('src/cli/eval-queue.ts'), ...chunk('node_modules/pg/esm/index.mjs')], budget: 140 * KB },
    html: { chunks: chunk('src/reports/html/report-page.ts'), budget: 115 * KB },
    'calibrate judge': { chunks: chunk('src/cli/calibrate-judge.ts'), budget: 70 * KB },
    'model clients': { chunks: clients, budget: 800 * KB },
  };
  const partChunks = Object.values(parts).flatMap(({ chunks }) => chunks);
  const cli = size('dist/cli.js', partChunks);
  const lazyViews = [
    ...chunk('webview/overview/overview-app.tsx'),
    ...chunk('webview/runs/runs-app.tsx'),
    ...chunk('webview/components/timeline.tsx'),
  ];
  const serverParts = { 'model clients': clients, receiver, 'agent tools': agentTools };
  const withPart = (part: keyof typeof serverParts) => {
    const others = Object.entries(serverParts).flatMap(([name, chunks]) => (name === part ? [] : chunks));
    return size('dist/server.js', others) - server;
  };
  const server = size('dist/server.js', Object.values(serverParts).flat());
  return [
    // 4 kB of it register the tools for coding agents and offer `turnwise mcp`, and 4 kB are messages of the page of labels.
    { name: 'dist/extension.cjs', size: size('dist/extension.cjs'), budget: 589 * KB },
    // 13 kB of it evaluate files as they are read: the tools for coding agents use it, from modules that the server has anyway. 15 kB
    // say what labels say about a judge.
    { name: 'dist/server.js', size: server, budget: 2165 * KB },
    { name: 'dist/server.js: model clients', size: withPart('model clients'), budget: 480 * KB },
    { name: 'dist/server.js: receiver', size: withPart('receiver'), budget: 35 * KB },
    { name: 'dist/server.js: agent tools', size: withPart('agent tools'), budget: 40 * KB },
    { name: 'dist/cli.js', size: cli, budget: 2930 * KB },
    ...Object.entries(parts).map(([part, { chunks, budget }]) => {
      const others = partChunks.filter((path) => !chunks.includes(path));
      return { name: `dist/cli.js: ${part}`, size: size('dist/cli.js', others) - cli, budget };
    }),
    {
      name: 'dist/webview',
      size: size('dist/webview/report.js', lazyViews) + size('dist/webview/report.css'),
      budget: 425 * KB,
    },
    { name: 'HTML report without data', size: await reportShell(root), budget: 400 * KB },
    { name: 'VSIX, estimated', size: await archive(root), budget: 1500 * KB },
  ];
}

/** The app as a report has it: the script compressed, in base64. */
async function reportShell(root: string): Promise<number> {
  const read = (file: string) => readFile(join(root, 'dist', 'report-page', file));
  const [script, styles] = await Promise.all([read('page.js'), read('page.css')]);
  return Math.ceil((deflateRawSync(script).length * 4) / 3) + styles.length;
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
