/**
 * Loads modules of the user where Node's own loader cannot: before Node 22.15, without its TypeScript, and with decorators. It
 * brings a compiler, so that only the npm package has it.
 */
import * as nodeModule from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { readModuleFile, realPath } from './module-files.ts';
import type { VirtualModules } from './node-loader.ts';
import type { SourceDigest } from './source-digest.ts';

/** @returns the module's exports. */
export async function importWithJiti(file: string, modules: VirtualModules, digest: SourceDigest): Promise<unknown> {
  const transformer = createJiti(import.meta.url, { fsCache: false });
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    interopDefault: false,
    virtualModules: { ...modules },
    transform: (options) => {
      if (options.filename !== undefined) digest.add(options.filename, options.source);
      return { code: transformer.transform(options) };
    },
  });
  digest.add(file, readModuleFile(file));
  // Node loads what needs no translation. Before Node 22.15, nobody can look on while it loads modules of ECMAScript.
  const hooks = nodeModule.registerHooks?.({
    load(url, context, nextLoad) {
      const result = nextLoad(url, context);
      if (url.startsWith('file:') && result.source) digest.add(fileURLToPath(url), result.source);
      return result;
    },
  });
  try {
    const exports = await jiti.import(file);
    // Node's own namespace of a CommonJS module has its exports as the default one.
    return requireCache(file)[realPath(file)]?.exports ?? exports;
  } finally {
    hooks?.deregister();
    for (const required of Object.keys(requireCache(file))) {
      if (extname(required) !== '.node') digest.add(required, readModuleFile(required));
    }
  }
}

function requireCache(file: string): NodeJS.Dict<NodeJS.Module> {
  return nodeModule.createRequire(file).cache;
}
