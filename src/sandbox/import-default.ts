import { createHash } from 'node:crypto';
import * as nodeModule from 'node:module';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { isAgentestConfiguration } from '../core/trace-file-names.ts';
import { AGENTEST_MODULES, CONFIGURATION_EXPORTS, describeAgentestConfiguration } from './agentest-module.ts';
import { describeCustomMetrics } from './metric-classes.ts';

/** What modules get for a specifier, instead of what is installed. */
export type VirtualModules = Readonly<Record<string, object>>;

interface ImportOptions {
  /** Instead of what configurations import of Turnwise and of Agentest. */
  readonly modules?: VirtualModules;
  /** A module that several import is loaded once. */
  readonly cache?: boolean;
}

function jitiOptions(file: string, { modules, cache = false }: ImportOptions) {
  // An installed package has more than configurations need.
  const own = isInstalled('turnwise', file) ? {} : { turnwise: CONFIGURATION_EXPORTS };
  return {
    fsCache: false,
    moduleCache: cache,
    interopDefault: false,
    virtualModules: { ...AGENTEST_MODULES, ...own, ...modules },
  };
}

/** Whether a module finds a package in its `node_modules`. */
export function isInstalled(name: string, file: string): boolean {
  try {
    nodeModule.createRequire(file).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Imports a module, TypeScript too, in this process, for what it does. What it imports of Agentest is ours. */
export async function importModule(file: string, options: ImportOptions): Promise<void> {
  await createJiti(import.meta.url, jitiOptions(file, options)).import(file);
}

interface LoadedModule {
  readonly value: unknown;
  /** Of its code and of all that it imports, apart from packages. */
  readonly digest: string;
}

/**
 * Imports a module, TypeScript too, in this process, by default without caches. What it imports of Agentest is ours.
 *
 * @returns null when it has no default export.
 */
export async function importDefault(file: string, options: ImportOptions = {}): Promise<LoadedModule | null> {
  const sources = new SourceDigest(file);
  const transformer = createJiti(import.meta.url, { fsCache: false });
  const jiti = createJiti(import.meta.url, {
    ...jitiOptions(file, options),
    transform: (options) => {
      if (options.filename !== undefined) sources.add(options.filename, options.source);
      return { code: transformer.transform(options) };
    },
  });
  // Node loads what needs no translation. Before Node 22.15, nobody can look on.
  const hooks = nodeModule.registerHooks?.({
    load(url, context, nextLoad) {
      const result = nextLoad(url, context);
      if (url.startsWith('file:') && result.source) sources.add(fileURLToPath(url), result.source);
      return result;
    },
  });
  const loaded: unknown = await jiti.import(file).finally(() => hooks?.deregister());
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) return null;
  const value: unknown = await loaded.default;
  return {
    value: isAgentestConfiguration(file) ? describeAgentestConfiguration(value) : describeCustomMetrics(value),
    digest: sources.digest,
  };
}

const PACKAGES = `${sep}node_modules${sep}`;

/** The sources of modules, each by its path from the first one, so that a copy elsewhere has the same digest. */
class SourceDigest {
  readonly #folder: string;
  readonly #hashes = new Map<string, string>();

  constructor(file: string) {
    this.#folder = dirname(file);
  }

  add(file: string, source: string | NodeJS.ArrayBufferView | ArrayBuffer): void {
    if (file.includes(PACKAGES)) return;
    const path = relative(this.#folder, file).replaceAll(sep, '/');
    const content = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
    this.#hashes.set(path, createHash('sha256').update(content).digest('hex'));
  }

  get digest(): string {
    const files = [...this.#hashes].sort(([a], [b]) => (a < b ? -1 : 1));
    return createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 32);
  }
}
