/**
 * Who may import whom: docs/architecture.md says it in words. Each layer lists the layers that it may import besides
 * itself; everything that is not listed is forbidden.
 */
const LAYERS = {
  core: [],
  formats: ['core'],
  rules: ['core'],
  llm: ['core'],
  judge: ['core', 'llm'],
  embed: ['core', 'llm'],
  sandbox: ['core'],
  stats: ['core'],
  metrics: ['core', 'rules', 'llm', 'judge', 'embed', 'sandbox', 'stats'],
  config: ['core', 'formats', 'rules', 'llm', 'judge', 'sandbox', 'metrics', 'input'],
  input: ['core', 'formats'],
  output: [],
  engine: ['core', 'rules', 'llm', 'judge', 'embed', 'metrics', 'config', 'report-model'],
  runs: ['core', 'stats', 'report-model'],
  store: ['core', 'output', 'llm', 'judge', 'engine', 'runs'],
  receiver: ['core', 'formats', 'input', 'output', 'store'],
  queue: ['core', 'llm'],
  workers: ['core'],
  scenarios: ['core', 'llm', 'judge', 'sandbox', 'stats', 'output', 'config', 'input'],
  app: [
    'core',
    'scenarios',
    'formats',
    'rules',
    'sandbox',
    'input',
    'llm',
    'judge',
    'embed',
    'metrics',
    'config',
    'engine',
    'report-model',
    'runs',
    'stats',
    'store',
    'queue',
    'workers',
    'output',
    'version',
  ],
  'report-model': ['core', 'metrics', 'stats'],
  // Of metrics only the table, for their names: see views-derive-nothing.
  // Of rules only the table, whose pages are the help of findings.
  reports: ['core', 'metrics', 'rules', 'report-model', 'runs', 'protocol', 'panel'],
  // What coding agents ask: answers in the words of the agent report.
  'agent-tools': ['core', 'metrics', 'config', 'input', 'report-model', 'reports', 'runs', 'store', 'app'],
  protocol: ['core'],
  // Of metrics and rules only the tables, for their names and questions: see views-derive-nothing.
  panel: ['core', 'input', 'metrics', 'rules', 'report-model', 'protocol'],
  cli: [
    'core',
    'scenarios',
    'formats',
    'metrics',
    'rules',
    'judge',
    'config',
    'input',
    'output',
    'engine',
    'report-model',
    'reports',
    'runs',
    'store',
    'queue',
    'app',
    'agent-tools',
    'llm',
    'version',
    'receiver',
    'server',
  ],
  serverless: ['core', 'config', 'input', 'reports', 'store', 'scenarios', 'app'],
  server: [
    'core',
    'scenarios',
    'formats',
    'metrics',
    'rules',
    'judge',
    'config',
    'input',
    'output',
    'engine',
    'report-model',
    'protocol',
    'panel',
    'runs',
    'store',
    'app',
    'agent-tools',
    'llm',
    'receiver',
    'workers',
    'version',
  ],
  extension: ['core', 'protocol'],
  webview: ['core', 'protocol'],
  // The app with its data beside it: it sorts, filters and searches what the editor's server does elsewhere.
  page: ['core', 'protocol', 'panel', 'report-model', 'webview'],
};

/** The library's entry stands beside the hosts: none of them imports it. */
const LIBRARY = '^src/index[.]ts$';

/** Layers that do not stand in a folder of their own under `src`. */
const ELSEWHERE = {
  library: LIBRARY,
  version: '^src/version[.]ts$',
  webview: '^webview/(?!page/)',
  page: '^webview/page/',
};

const pathOf = (layer) => ELSEWHERE[layer] ?? `^src/${layer}/`;

const layerRules = Object.entries(LAYERS).map(([layer, allowed]) => ({
  name: `${layer}-imports`,
  comment: `${layer} may import ${['itself', ...allowed].join(', ')}.`,
  severity: 'error',
  from: { path: pathOf(layer) },
  to: { path: '^(src|test|scripts|webview)/', pathNot: [layer, ...allowed].map(pathOf) },
}));

/** Layers that are functions of their arguments: no disk, no network, no editor, and no package but these. */
const PURE = '^src/(core|formats|rules|stats|metrics|engine|report-model|runs)/';

module.exports = {
  forbidden: [
    ...layerRules,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'views-derive-nothing',
      comment:
        'cli, server, panel and reports format what report-model derives: they compute no coverage, threshold or mean.',
      severity: 'error',
      from: { path: '^src/(cli|server|reports|panel|agent-tools)/' },
      to: {
        path: '^src/(core/scoring|engine/|metrics/)',
        pathNot:
          '^src/(engine/(events|outcome-storage)|metrics/(index|metric|custom/metric-table|attempts/pass-at-k))[.]ts$',
      },
    },
    {
      name: 'pure-layers',
      comment:
        'core, formats, rules, metrics, engine and report-model touch neither disk nor network. A hash touches neither.',
      severity: 'error',
      from: { path: PURE },
      to: { dependencyTypes: ['core'], pathNot: '^crypto$' },
    },
    {
      name: 'pure-packages',
      comment: 'The pure layers need zod, and rules and metrics nothing that is not listed in docs/architecture.md.',
      severity: 'error',
      from: { path: PURE },
      to: { path: 'node_modules', pathNot: 'node_modules/(zod|@cfworker/json-schema)/' },
    },
    {
      name: 'one-reader-one-writer',
      comment: `Files are read by input/node-file-system, which bounds what it reads, and written by output/write-file, which replaces
no input. Besides: store has databases and the keys and consents of this installation, in a private folder, some of which
must be read synchronously or appended to; child-file looks for a file of this program, module-files is for
Node's loader of modules, which is synchronous, and page-files
reads the app of HTML reports.`,
      severity: 'error',
      from: {
        path: '^(src|webview)/',
        pathNot:
          '^src/(input/node-file-system|output/write-file|store/.+|sandbox/(child-file|module-files)|reports/html/page-files)[.]ts$',
      },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    {
      name: 'network-at-the-edge',
      comment: 'Nothing in input and config starts processes or uses the network; a pipe is read as a socket.',
      severity: 'error',
      from: { path: '^src/(input|output|config)/', pathNot: '^src/input/node-file-system[.]ts$' },
      to: { path: '^(node:)?(child_process|http|https|net)$' },
    },
    {
      name: 'vscode-in-extension-only',
      severity: 'error',
      from: { path: '^(src|webview)/', pathNot: '^src/extension/' },
      to: { path: '^vscode$|node_modules/vscode-languageclient/' },
    },
    {
      name: 'server-in-lsp-only',
      comment: 'The other commands start without the protocol and its library.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/lsp[.]ts$' },
      to: { path: '^src/server/' },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { pathNot: '^test/fixtures/' },
      to: { couldNotResolve: true, pathNot: '^(vscode|bun)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|test/(fixtures|vscode/own))/|^esbuild[.]mjs$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
