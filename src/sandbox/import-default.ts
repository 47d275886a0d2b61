import { createJiti } from 'jiti';
import { isAgentestConfiguration } from '../core/trace-file-names.ts';
import { AGENTEST_MODULES, describeAgentestConfiguration } from './agentest-module.ts';

/**
 * Imports a module, TypeScript too, in this process, without caches. What it imports of Agentest is ours.
 *
 * @returns null when it has no default export.
 */
export async function importDefault(file: string): Promise<{ readonly value: unknown } | null> {
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: AGENTEST_MODULES,
  });
  const loaded: unknown = await jiti.import(file);
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) return null;
  const value: unknown = await loaded.default;
  return { value: isAgentestConfiguration(file) ? describeAgentestConfiguration(value) : value };
}
