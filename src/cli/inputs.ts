import { dirname, resolve } from 'node:path';
import { configuredTraces, findConfiguredTraces } from '../app/configured-traces.ts';
import type { SourceInput } from '../app/source-input.ts';
import { findConfiguration } from '../config/discover.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import { nodeFileSystem, withPipe } from '../input/node-file-system.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

/**
 * The files that the command line names; without any, what the configuration's source yields, or else its traces.
 *
 * @throws UsageError
 */
export async function findInputs(
  inputs: readonly string[],
  loaded: LoadedConfiguration,
  { cwd }: CommandHost,
  signal: AbortSignal,
): Promise<SourceInput> {
  const [first = '', ...others] = inputs;
  // A pipe can be read once, which is enough only for the one input.
  const files = others.length === 0 ? withPipe(first) : nodeFileSystem;
  if (inputs.length > 0) return { ...(await expandGlobs(inputs, files, cwd, signal)), files };
  const source = loaded.configuration?.source;
  if (source === undefined) {
    const traces = configuredTraces(loaded);
    if (traces) return { ...(await findConfiguredTraces(traces, { cwd, files, signal })), files };
    throw new UsageError(
      'Name the files or folders to evaluate. Without any, "source" or "traces" of the configuration is evaluated.',
    );
  }
  const { readSource } = await import('../app/source-input.ts');
  return readSource(source, signal);
}

/** Folders beside which a configuration is looked for. */
const MAX_FOLDERS = 20;

/** A line about the configurations beside or above the inputs that do not count here; null where there is none. */
export async function describeOtherConfigurations(
  inputs: readonly string[],
  loaded: Pick<LoadedConfiguration, 'file' | 'agentestFile'>,
  { cwd }: Pick<CommandHost, 'cwd'>,
): Promise<string | null> {
  const kinds = await Promise.all(
    [...new Set(inputs.map((input) => resolve(cwd, input)))].slice(0, MAX_FOLDERS).map(async (path) => {
      const entry = await nodeFileSystem.stat(path).catch(() => null);
      return entry === null ? [] : [entry.kind === 'directory' ? path : dirname(path)];
    }),
  );
  const found = await Promise.all([...new Set(kinds.flat())].map((folder) => findConfiguration(folder)));
  const own = await findConfiguration(cwd);
  const counting = new Set([own?.file, loaded.file, loaded.agentestFile]);
  const [first, ...more] = new Set(found.flatMap((one) => (one && !counting.has(one.file) ? [one.file] : [])));
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` (nor ${more.length === 1 ? '1 other' : `${more.length} others`})`;
  return `${first} does not count here${others}: run turnwise in that folder, or add --config ${first}`;
}
