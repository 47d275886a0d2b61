import { configuredTraces, findConfiguredTraces } from '../app/configured-traces.ts';
import type { SourceInput } from '../app/source-input.ts';
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
