/** Loads modules of the user with Node's own loader, which removes types since 22.18, and hooks for what else people write. */
import * as nodeModule from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { errorMessage } from '../core/error-message.ts';
import { isObject } from '../core/json.ts';
import { isModuleFile, readModuleFile, realPath } from './module-files.ts';
import { commonJsExports } from './module-syntax.ts';
import type { SourceDigest } from './source-digest.ts';
import { SourceError, UnsupportedSyntaxError } from './source-errors.ts';
import { findSyntaxError, isTypeScript, translateSource } from './translate-source.ts';

/** What modules get for a specifier, instead of what is installed. */
export type VirtualModules = Readonly<Record<string, object>>;

/** Nothing of a module has run, because this loader cannot. The cause says why. */
export class NotRunError extends Error {}

type LoadHook = nodeModule.LoadHookSync;
type ResolveHook = nodeModule.ResolveHookSync;
type HookContext = nodeModule.ResolveHookContext | nodeModule.LoadHookContext;

/** What the sources of our own modules read, by their URL. */
const REGISTRY = Symbol.for('turnwise.modules');
const registry = new Map<string, unknown>();
Reflect.set(globalThis, REGISTRY, registry);

let loaders = 0;
let isSilent = false;

/**
 * Imports a module. Its virtual modules also count for what it imports later.
 *
 * @returns its exports.
 * @throws NotRunError with a cause, or what the module throws.
 */
export async function importWithNode(file: string, modules: VirtualModules, digest: SourceDigest): Promise<unknown> {
  // Since 22.15.
  if (nodeModule.registerHooks === undefined) {
    throw new NotRunError('', { cause: new Error(`It needs Node.js 22.18, and this is ${process.versions.node}`) });
  }
  silenceExperiments();
  const loader = new NodeLoader(file, modules, digest);
  const hooks = nodeModule.registerHooks({ resolve: loader.resolve, load: loader.load });
  try {
    const { exports }: { exports: unknown } = await import(loader.start);
    return loader.isCommonJs ? nodeModule.createRequire(file)(file) : exports;
  } catch (error) {
    hooks.deregister();
    throw loader.explain(error);
  }
}

/** Node's warnings about what this file uses, which are no concern of the user. */
function silenceExperiments(): void {
  if (isSilent) return;
  isSilent = true;
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (/stripTypeScriptTypes|is loading ES Module/.test(String(warning))) return;
    emitWarning.call(process, warning, ...rest);
  };
}

class NodeLoader {
  readonly #prefix = `turnwise:${loaders++}/`;
  readonly #entry: string;
  /** Symbolic links are followed for all modules but the first, whose path is what the user knows. */
  readonly #realEntry: string;
  readonly #modules: VirtualModules;
  readonly #digest: SourceDigest;
  /** The modules that the first one imports, and those that they import. */
  readonly #reached = new Set<string>();
  /** The code of modules, by their files. */
  readonly #sources = new Map<string, string>();
  /** Whether the first module is CommonJS. */
  isCommonJs = false;
  /** Whether a module has begun to run. Until then all that are imported statically are only parsed. */
  hasStarted = false;

  constructor(file: string, modules: VirtualModules, digest: SourceDigest) {
    this.#entry = pathToFileURL(file).href;
    this.#realEntry = pathToFileURL(realPath(file)).href;
    this.#modules = modules;
    this.#digest = digest;
    this.#reached.add(this.#entry);
    registry.set(this.#ownUrl('started'), () => {
      this.hasStarted = true;
    });
    for (const [name, module] of Object.entries(modules)) registry.set(this.#ownUrl(`modules/${name}`), module);
  }

  /** A module whose export `exports` has those of the user's. */
  get start(): string {
    return this.#ownUrl('start');
  }

  readonly resolve: ResolveHook = (specifier, context, nextResolve) => {
    const { parentURL = '' } = context;
    if (specifier.startsWith(this.#prefix)) return { url: specifier, format: 'module', shortCircuit: true };
    if (parentURL === this.start) return { url: this.#entry, shortCircuit: true };
    if (!this.#reached.has(parentURL)) return nextResolve(specifier, context);
    if (Object.hasOwn(this.#modules, specifier) && !isPackage(parentURL)) {
      return { url: this.#ownUrl(`modules/${specifier}`), format: 'module', shortCircuit: true };
    }
    const resolved = resolveAsWritten(specifier, context, nextResolve);
    const url = resolved.url === this.#realEntry ? this.#entry : resolved.url;
    this.#reached.add(url);
    return { ...resolved, url };
  };

  readonly load: LoadHook = (url, context, nextLoad) => {
    if (url.startsWith(this.#prefix)) {
      return isRequire(context)
        ? { format: 'commonjs', source: `module.exports = ${registered(url)};`, shortCircuit: true }
        : { format: 'module', source: this.#ownSource(url), shortCircuit: true };
    }
    if (!this.#reached.has(url) || !url.startsWith('file:')) return nextLoad(url, context);
    const file = fileURLToPath(url);
    if (isTypeScript(file) || (/^\.[cm]?js$/.test(extname(file)) && !isPackage(url))) {
      return this.#loadCode(url, file, isRequire(context));
    }
    if (extname(file) === '.json' && !isPackage(url) && !isRequire(context) && !context.importAttributes.type) {
      return { format: 'module', source: jsonModule(file, this.#read(file)), shortCircuit: true };
    }
    const result = nextLoad(url, context);
    if (result.source) this.#digest.add(file, result.source);
    return result;
  };

  /** What to throw instead of an error. */
  explain(error: unknown): unknown {
    // A SyntaxError of the user's code, as of JSON.parse, is thrown after the start.
    if (this.hasStarted || !(error instanceof SyntaxError)) return error;
    if (error instanceof SourceError) return error.seenFrom(fileURLToPath(this.#entry));
    if (error.message.includes('does not provide an export named')) {
      error.message += '. Is it a type? Then write `import type` or `export type`';
    } else if (!(error instanceof UnsupportedSyntaxError)) {
      // Node does not say where.
      for (const [file, source] of this.#sources) {
        const found = findSyntaxError(file, source);
        if (found) return found.seenFrom(fileURLToPath(this.#entry));
      }
    }
    return new NotRunError('', { cause: error });
  }

  #loadCode(url: string, file: string, isRequired: boolean): ReturnType<LoadHook> {
    const source = this.#read(file);
    this.#sources.set(file, source);
    const { format, code } = translateSource(file, source);
    if (format === 'commonjs' && url === this.#entry) this.isCommonJs = true;
    const isImported = format === 'commonjs' && !isRequired;
    return isImported
      ? { format: 'module', source: importedCommonJs(code), shortCircuit: true }
      : { format, source: code, shortCircuit: true };
  }

  #read(file: string): string {
    const source = readModuleFile(file);
    this.#digest.add(file, source);
    return source;
  }

  #ownUrl(path: string): string {
    return `${this.#prefix}${path}`;
  }

  #ownSource(url: string): string {
    switch (url) {
      case this.start:
        return `import ${JSON.stringify(this.#ownUrl('started'))};\nimport * as exports from ${JSON.stringify(this.#entry)};\nexport { exports };`;
      case this.#ownUrl('started'):
        return `${registered(url)}();`;
      default:
        return moduleSource(registered(url), Object.keys(Object(registry.get(url))));
    }
  }
}

/** The code for what our own modules have. */
function registered(url: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(REGISTRY.description)})].get(${JSON.stringify(url)})`;
}

/** Of a module that exports a value as its default, and what it has. */
function moduleSource(value: string, names: Iterable<string>, standard = 'value'): string {
  const exported = [...names].filter((name) => name !== 'default');
  return [
    `const value = ${value};`,
    `export default ${standard};`,
    ...exported.map((name, index) => {
      const text = JSON.stringify(name);
      return `const $${index} = value?.[${text}]; export { $${index} as ${text} };`;
    }),
  ].join('\n');
}

function jsonModule(file: string, text: string): string {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const names = isObject(value) ? Object.keys(value) : [];
    return moduleSource(`JSON.parse(${JSON.stringify(JSON.stringify(value))})`, names);
  } catch (error) {
    throw new SourceError(errorMessage(error), { file, line: 1, column: 1 });
  }
}

/**
 * Code that is CommonJS is imported by requiring it: only there do hooks see what it requires. As with compilers, the default
 * export is what it calls so.
 */
function importedCommonJs(code: string): string {
  const required = 'process.getBuiltinModule("node:module").createRequire(import.meta.url)(import.meta.filename)';
  return moduleSource(
    required,
    commonJsExports(code),
    'value?.__esModule && "default" in value ? value.default : value',
  );
}

/** In the order in which they are tried. */
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.mjs', '.cjs'];

/** What Node finds; else what CommonJS finds, such as a folder; else what TypeScript finds. */
function resolveAsWritten(
  specifier: string,
  context: nodeModule.ResolveHookContext,
  nextResolve: Parameters<ResolveHook>[2],
): ReturnType<ResolveHook> {
  try {
    return nextResolve(specifier, context);
  } catch (error) {
    const { parentURL = '' } = context;
    const url = resolveTypeScript(specifier, parentURL);
    if (isRequire(context)) {
      if (url === null) throw error;
      return { url, shortCircuit: true };
    }
    try {
      return { url: pathToFileURL(nodeModule.createRequire(parentURL).resolve(specifier)).href, shortCircuit: true };
    } catch (unresolved) {
      if (url === null) throw unresolved;
      return { url, shortCircuit: true };
    }
  }
}

/** A module that is named without its extension, by its folder, or as the JavaScript that a compiler would make of it. */
function resolveTypeScript(specifier: string, parentURL: string): string | null {
  if (!/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) return null;
  const path = fileURLToPath(new URL(specifier, parentURL));
  const candidates = [
    ...EXTENSIONS.map((extension) => path + extension),
    ...(/\.[cm]?jsx?$/.test(path) ? [path.replace(/js(x?)$/, 'ts$1'), path.replace(/jsx?$/, 'tsx')] : []),
    ...['.js', ...EXTENSIONS].map((extension) => `${path.replace(/\/$/, '')}/index${extension}`),
  ];
  const found = candidates.find(isModuleFile);
  return found === undefined ? null : pathToFileURL(realPath(found)).href;
}

function isPackage(url: string): boolean {
  return url.includes('/node_modules/');
}

function isRequire({ conditions }: HookContext): boolean {
  return [...(conditions ?? [])].includes('require');
}
