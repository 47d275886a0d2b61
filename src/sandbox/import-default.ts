import { createJiti } from 'jiti';

/** Imports a module, TypeScript too, in this process, without caches. @returns null when it has no default export. */
export async function importDefault(file: string): Promise<{ readonly value: unknown } | null> {
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, interopDefault: false });
  const loaded: unknown = await jiti.import(file);
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) return null;
  return { value: await loaded.default };
}
