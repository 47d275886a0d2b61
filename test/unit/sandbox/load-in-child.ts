import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { ModuleLoadReply } from '../../../src/sandbox/load-module.ts';

const CHILD = join(import.meta.dirname, '..', '..', '..', 'src', 'sandbox', 'load-module-child.ts');

const WITHOUT_COMPILER = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!specifier.endsWith('/jiti-loader.ts')) return nextResolve(specifier, context);
    throw Object.assign(new Error('It is not there.'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});`;

/** As Node.js 26, which makes no code of enums. */
const REMOVES_TYPES_ALONE = `import types from 'node:module';
const { stripTypeScriptTypes } = types;
types.stripTypeScriptTypes = (code, options) => {
  if (options?.mode !== 'transform') return stripTypeScriptTypes(code, options);
  throw Object.assign(new TypeError('Only strip.'), { code: 'ERR_INVALID_ARG_VALUE' });
};
types.syncBuiltinESMExports();`;

/** What runs before the child: takes away what some installations do not have. */
const PRELOADS = {
  /** As in the npm package. */
  both: '',
  /** As in the extension, which has no compiler. */
  Node: WITHOUT_COMPILER,
  'both, Node.js 26': REMOVES_TYPES_ALONE,
  'Node.js 26': `${WITHOUT_COMPILER}\n${REMOVES_TYPES_ALONE}`,
  /** As in the npm package with Node.js 22.13, whose loader has no hooks. */
  compiler: `import nodeModule from 'node:module';
nodeModule.registerHooks = undefined;
nodeModule.syncBuiltinESMExports();`,
};

/** What loads a module. */
export type Loader = keyof typeof PRELOADS;

interface LoadedInChild {
  readonly reply: ModuleLoadReply | undefined;
  readonly printed: string;
}

/** Loads a module as a configuration is loaded. */
export function loadInChild(file: string, loader: Loader): Promise<LoadedInChild> {
  const child = fork(CHILD, [file, JSON.stringify({ functions: [], iterables: [] })], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(PRELOADS[loader])}`],
  });
  const { promise, resolve, reject } = Promise.withResolvers<LoadedInChild>();
  let printed = '';
  let reply: ModuleLoadReply | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  }
  child.on('message', (message: ModuleLoadReply) => {
    reply = message;
  });
  child.on('error', reject).on('close', () => resolve({ reply, printed }));
  return promise;
}
