import { existsSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { dataFolder, type Environment } from './home.ts';

/**
 * Lets Node keep the compiled code of Turnwise in the data folder, which only its user can write: commands start sooner. Only where that
 * folder exists, so that a container that runs once does not write what nobody reads, and `--record none` creates no folder.
 */
export function useCompileCache(version: string, env: Environment): void {
  const folder = dataFolder(env);
  if (!existsSync(folder)) return;
  const caches = join(folder, 'compile-cache');
  const own = join(caches, version);
  // That of another version is not used any more. Failures cost the time that is saved, and nothing else.
  try {
    if (!existsSync(own)) rmSync(caches, { recursive: true, force: true });
    enableCompileCache(own);
  } catch {}
}
