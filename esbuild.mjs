/** Builds everything that ships into `dist`. `--watch` builds again whenever a source changes. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { build, context } from 'esbuild';
import { withoutUnusedFeatures } from './scripts/language-client.ts';
import { copyStandalonePage, reportPageBundle, standaloneBundle, webviewBundle } from './scripts/webview-bundle.ts';

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  outdir: 'dist',
  // ES modules first: what they do not use is left out, and the UMD builds of jsonc-parser cannot be bundled at all.
  mainFields: ['module', 'main'],
  // Names stay, so that a stack trace in a log can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
const esm = {
  ...common,
  format: 'esm',
  // Some dependencies are CommonJS and require what belongs to Node. The alias is a name that nothing bundled declares.
  banner: {
    js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
  },
};

/**
 * The editor loads these whole, and most of each is the protocol's library.
 *
 * @type {import('esbuild').BuildOptions}
 */
const whole = { minifyIdentifiers: true };

/** @type {readonly import('esbuild').BuildOptions[]} */
const bundles = [
  // What the npm package holds. Commands are imported when they are used, so that each run loads its own part only.
  {
    ...esm,
    entryPoints: {
      cli: 'src/cli/main.ts',
      index: 'src/index.ts',
      serverless: 'src/serverless/handler.ts',
    },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  },
  // The child processes that run configurations written as code, and the functions in them; for the package and the extension.
  // The compiler of other TypeScript than Node's is for the package alone: the extension does not list its file.
  {
    ...esm,
    ...whole,
    entryPoints: {
      'load-module-child': 'src/sandbox/load-module-child.ts',
      'call-functions-child': 'src/sandbox/call-functions-child.ts',
      'iterate-module-child': 'src/sandbox/iterate-module-child.ts',
      'scenario-child': 'src/scenarios/scenario-child.ts',
      'jiti-loader': 'src/sandbox/jiti-loader.ts',
    },
    // The build of jiti that requires nothing beside itself.
    alias: { jiti: 'jiti/static' },
    splitting: true,
    chunkNames: 'children/[name]-[hash]',
  },
  // What the extension contains besides: the server, whose clients of model servers load when a model is asked for the first
  // time; the extension itself, one file; and the report panel.
  {
    ...esm,
    ...whole,
    entryPoints: { server: 'src/server/main.ts' },
    splitting: true,
    chunkNames: 'server/[name]-[hash]',
  },
  {
    ...common,
    ...whole,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    entryPoints: { extension: 'src/extension/main.ts' },
    external: ['vscode'],
    plugins: [withoutUnusedFeatures],
  },
  webviewBundle,
  standaloneBundle,
  reportPageBundle,
];

await rm('dist', { recursive: true, force: true });
await copyStandalonePage('dist/standalone');
// Without one here, Node looks for it in two folders for every import of every chunk.
await mkdir('dist/chunks', { recursive: true });
await writeFile('dist/chunks/package.json', '{ "type": "module" }\n');

if (process.argv.includes('--watch')) {
  const contexts = await Promise.all(bundles.map((options) => context({ ...options, logLevel: 'info' })));
  await Promise.all(contexts.map((one) => one.watch()));
} else {
  const results = await Promise.all(bundles.map((options) => build(options)));
  const metafile = {
    inputs: Object.assign({}, ...results.map((result) => result.metafile?.inputs)),
    outputs: Object.assign({}, ...results.map((result) => result.metafile?.outputs)),
  };
  await writeFile('dist/meta.json', JSON.stringify(metafile));
}
