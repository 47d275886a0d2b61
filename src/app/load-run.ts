import { applyCriteria, findAdkConfiguration, warnUnusedJudges } from '../config/adk.ts';
import type { Configuration } from '../config/schema.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import type { FileSystem } from '../input/file-system.ts';
import { type FileSummary, type LoadOptions, type LoadResult, type Locator, load } from '../input/load.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { selectSessions } from '../input/select-sessions.ts';
import { formatsWith, metricsWith, type PlugIns, registryWith } from './plug-ins.ts';

export interface LoadRunOptions extends PlugIns, Pick<LoadOptions, 'tools' | 'context' | 'stdin' | 'onFile'> {
  readonly signal: AbortSignal;
  /** Where files are read from; by default, the disk. */
  readonly files?: FileSystem;
  /** Read every file as this format, whatever detection says. */
  readonly inputFormat?: string;
  /** Only the session with this id. */
  readonly session?: string;
  /** The maximum number of sessions, evenly spaced over the input. */
  readonly sample?: number;
}

/** What a run evaluates, and under which configuration. */
export interface LoadedRun {
  readonly sessions: readonly Session[];
  /** With the criteria beside the files. */
  readonly configuration: Configuration;
  readonly problems: readonly Problem[];
  readonly files: readonly FileSummary[];
  /** Resolves pointers to ranges in the files, without reading them again. */
  readonly locator: Locator;
}

/**
 * Reads the files of a run, and the criteria beside them: ADK's evaluation sets come with a `test_config.json`, which is part
 * of what they expect. Aborting gives a run without sessions.
 */
export async function loadRun(
  paths: readonly string[],
  configuration: Configuration,
  options: LoadRunOptions,
): Promise<LoadedRun> {
  const { files: fileSystem = nodeFileSystem, inputFormat: format, tools, context, stdin, onFile, signal } = options;
  const formats = formatsWith(configuration, options);
  const loaded = await load(paths, fileSystem, { format, tools, context, stdin, onFile, signal }, formats).catch(
    (error: unknown) => {
      if (signal.aborted) return NOTHING_LOADED;
      throw error;
    },
  );
  const registry = { ...registryWith(options), metrics: metricsWith(configuration, options) };
  const evaluationSets = loaded.files.filter((file) => file.format === 'adk-evalset').map(({ file }) => file);
  const beside = await findAdkConfiguration(evaluationSets, registry);
  return {
    sessions: selectSessions(loaded.sessions, options),
    configuration: beside?.criteria ? applyCriteria(configuration, beside.criteria, registry) : configuration,
    problems: [...loaded.problems, ...(beside ? [...beside.problems, ...warnUnusedJudges(beside, configuration)] : [])],
    files: loaded.files,
    locator: loaded.locator,
  };
}

const NOTHING_LOADED: LoadResult = { sessions: [], problems: [], files: [], locator: { locate: () => new Map() } };
