import { createRequire } from 'node:module';
import { get } from '../core/json.ts';
import { isAgentestConfiguration } from '../core/trace-file-names.ts';
import { AGENTEST_MODULES, CONFIGURATION_EXPORTS, describeAgentestConfiguration } from './agentest-module.ts';
import { describeCustomMetrics } from './metric-classes.ts';
import { importWithNode, NotRunError, type VirtualModules } from './node-loader.ts';
import { SourceDigest } from './source-digest.ts';

/** Whether a module finds a package in its `node_modules`. */
export function isInstalled(name: string, file: string): boolean {
  try {
    createRequire(file).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Imports a module, TypeScript too, in this process, for what it does. What it imports of Agentest is ours.
 *
 * @param modules instead of what configurations import of Turnwise and of Agentest.
 */
export async function importModule(file: string, modules: VirtualModules): Promise<void> {
  await importExports(file, modules, new SourceDigest(file));
}

interface LoadedModule {
  readonly value: unknown;
  /** Of its code and of all that it imports, apart from packages. */
  readonly digest: string;
}

/**
 * Imports a module, TypeScript too, in this process. What it imports of Agentest is ours.
 *
 * @param modules see `importModule`.
 * @returns null when it has no default export.
 */
export async function importDefault(file: string, modules?: VirtualModules): Promise<LoadedModule | null> {
  const sources = new SourceDigest(file);
  const loaded = await importExports(file, modules, sources);
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) return null;
  const value: unknown = await loaded.default;
  return {
    value: isAgentestConfiguration(file) ? describeAgentestConfiguration(value) : describeCustomMetrics(value),
    digest: sources.digest,
  };
}

async function importExports(
  file: string,
  modules: VirtualModules | undefined,
  digest: SourceDigest,
): Promise<unknown> {
  // An installed package has more than configurations need.
  const own: VirtualModules = isInstalled('turnwise', file) ? {} : { turnwise: CONFIGURATION_EXPORTS };
  const all = { ...AGENTEST_MODULES, ...own, ...modules };
  try {
    return await importWithNode(file, all, digest);
  } catch (error) {
    if (!(error instanceof NotRunError)) throw error;
    const fallback = await importFallback();
    if (fallback === null) throw error.cause;
    return fallback.importWithJiti(file, all, digest);
  }
}

/** Null within the extension, which does not have it. */
async function importFallback(): Promise<typeof import('./jiti-loader.ts') | null> {
  try {
    return await import('./jiti-loader.ts');
  } catch (error) {
    if (get(error, 'code') === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
