import { dirname } from 'node:path';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Session } from '../core/session.ts';
import type { FileSystem } from '../input/file-system.ts';
import { validateConfiguration } from './evaluate-files.ts';
import { type LoadedRun, loadRun } from './load-run.ts';

/** Reads the sessions of a file as an evaluation does. @param isTrusted whether code of its configuration may run. */
export async function readTrace(path: string, isTrusted: boolean, files: FileSystem): Promise<readonly Session[]> {
  const { sessions } = await loadTrace(path, isTrusted, files, new AbortController().signal);
  return sessions;
}

/** The same with what finds lines in the file. */
export async function loadTrace(
  path: string,
  isTrusted: boolean,
  files: FileSystem,
  signal: AbortSignal,
): Promise<LoadedRun> {
  const { configuration } = await loadConfiguration({
    cwd: dirname(path),
    registry: REGISTRY,
    code: isTrusted ? 'run' : 'refuse',
    agentest: 'ignore',
  });
  const settings = validateConfiguration({ map: configuration?.map });
  return await loadRun([path], settings, { files, signal });
}
