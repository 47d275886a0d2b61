import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { errorMessage } from '../core/error-message.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { checkConfiguration, type Registry } from './check.ts';
import { addCustomMetrics } from './custom-metric-names.ts';
import { findConfiguration } from './discover.ts';
import { applyFlags, type ConfigFlags } from './flags.ts';
import { expandFunctions } from './function-shorthands.ts';
import type { LocateKeys } from './key-locations.ts';
import { parseConfiguration, parseFailure, type RawConfiguration } from './parse.ts';
import type { Configuration } from './schema.ts';
import type { ConfigIssue } from './schema-errors.ts';

/** A problem of a configuration. The file is a flag such as `--threshold coherence=3` if that is its source. */
export interface ConfigurationProblem extends Problem {
  /** One-based. */
  readonly column: number | null;
}

export interface LoadedConfiguration {
  /** Relative to the working directory; null if there is none. */
  readonly file: string | null;
  /** Null if one of the problems is an error. */
  readonly configuration: Configuration | null;
  readonly problems: readonly ConfigurationProblem[];
}

export interface LoadRequest {
  readonly cwd: string;
  /** `--config`; by default the nearest file. */
  readonly file?: string;
  readonly flags?: ConfigFlags;
  readonly registry: Registry;
  /** Where the search ends, in addition to the root of a repository. */
  readonly home?: string;
  /** `refuse`: a configuration that is code is an error and does not run, as in an untrusted folder. */
  readonly code?: 'run' | 'refuse';
}

/** Finds, reads and checks the configuration, and applies flags. Never rejects. */
export async function loadConfiguration({
  cwd,
  file: named,
  flags = {},
  registry,
  home,
  code = 'run',
}: LoadRequest): Promise<LoadedConfiguration> {
  const discovered = named === undefined ? await findConfiguration(cwd, home) : { file: named, ignored: [] };
  if (!discovered) {
    const { configuration, problems } = await checkLoaded({}, '', flags, registry, async (paths) =>
      paths.map(() => null),
    );
    return { file: null, configuration, problems };
  }
  const file = named ?? relative(cwd, discovered.file);
  const ignored = discovered.ignored.map((other): ConfigurationProblem => {
    const message = `This configuration is ignored, because ${file} is beside it. Delete one of them.`;
    return { ...createProblem('warning', 'configuration-ignored', relative(cwd, other), message), column: null };
  });
  const refused = code === 'refuse' && !/\.(json|ya?ml)$/.test(discovered.file);
  const raw = refused ? parseFailure(CODE_REFUSED) : await readConfiguration(resolve(cwd, discovered.file));
  if (raw.kind === 'failed') {
    const { message, location } = raw;
    const failed = {
      ...createProblem('error', 'configuration', file, message, { line: location?.line }),
      column: location?.column ?? null,
    };
    return { file, configuration: null, problems: [...ignored, failed] };
  }
  const { configuration, problems } = await checkLoaded(raw.value, file, flags, registry, raw.locateKeys);
  return { file, configuration, problems: [...ignored, ...problems] };
}

const CODE_REFUSED =
  'This configuration is code, which does not run in an untrusted folder. Trust the folder, or write the configuration as JSON or YAML.';

async function checkLoaded(
  raw: unknown,
  file: string,
  flags: ConfigFlags,
  registry: Registry,
  locateKeys: LocateKeys,
): Promise<{ configuration: Configuration | null; problems: ConfigurationProblem[] }> {
  const { value, flagAt } = applyFlags(expandFunctions(raw), flags, addCustomMetrics(registry.metrics, raw));
  const { configuration, issues } = checkConfiguration(value, registry);
  const problems = await locateIssues(issues, file, locateKeys);
  return {
    configuration,
    problems: problems.map((problem, index) => {
      const flag = flagAt(issues[index]?.path ?? []);
      return flag === null ? problem : { ...problem, file: flag, line: null, column: null };
    }),
  };
}

/** Issues as problems with their lines. */
export async function locateIssues(
  issues: readonly ConfigIssue[],
  file: string,
  locateKeys: LocateKeys,
): Promise<ConfigurationProblem[]> {
  const places = issues.length === 0 ? [] : await locateKeys(issues.map(({ path }) => path));
  return issues.map(({ severity, message }, index) => {
    const location = places[index];
    return {
      ...createProblem(severity, 'configuration', file, message, { line: location?.line }),
      column: location?.column ?? null,
    };
  });
}

/** Reads and parses a configuration file of any kind. Never rejects. */
export async function readConfiguration(file: string): Promise<RawConfiguration> {
  try {
    return await parseConfiguration(file, (await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    return parseFailure(`The configuration file cannot be read: ${systemReason(error)}.`);
  }
}

function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission was denied';
  if (code === 'EISDIR') return 'it is a directory';
  return errorMessage(error);
}
