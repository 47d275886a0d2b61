import { resolve } from 'node:path';
import { applyCriteria, findAdkConfiguration, warnUnusedJudges } from '../config/adk.ts';
import type { Configuration } from '../config/schema.ts';
import type { ScenarioLocation, Session } from '../core/session.ts';
import { createTaskMapper } from '../formats/mapped/task-mapper.ts';
import type { FileSystem } from '../input/file-system.ts';
import { type LoadOptions, type Locator, type ReadSummary, streamSessions } from '../input/load.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { type SessionSelection, selectSessions } from '../input/select-sessions.ts';
import { formatsWith, metricsWith, type PlugIns, registryWith } from './plug-ins.ts';

export interface LoadRunOptions
  extends PlugIns,
    SessionSelection,
    Pick<LoadOptions, 'tools' | 'context' | 'stdin' | 'rereads' | 'onFile'> {
  readonly signal: AbortSignal;
  /** Where files are read from; by default, the disk. */
  readonly files?: FileSystem;
  /** The scenario that a session is an attempt at, where the run made it. */
  readonly scenarioOf?: ((session: Session) => ScenarioLocation | undefined) | undefined;
  /** Read every file as this format, whatever detection says. */
  readonly inputFormat?: string;
}

/** What a run evaluates, as it is read, and under which configuration. */
export interface RunStream {
  /** Each as soon as it is complete. Can be iterated once; throws only when the signal is aborted. */
  readonly sessions: AsyncIterable<Session>;
  /** With the criteria beside the files. */
  readonly configuration: Configuration;
  /** The files and problems so far; complete when the iteration has ended. */
  summary(): ReadSummary;
  /** Resolves pointers to ranges in the files, without reading them again. */
  readonly locator: Locator;
}

/**
 * Reads the files of a run, and the criteria beside them: a `test_config.json` of ADK is part of what is expected. No session is complete before the last evaluation set is read, so the configuration is known with the
 * first session.
 */
export async function streamRun(
  paths: readonly string[] | AsyncIterable<string>,
  configuration: Configuration,
  options: LoadRunOptions,
): Promise<RunStream> {
  const {
    files: fileSystem = nodeFileSystem,
    inputFormat: format,
    tools,
    context,
    stdin,
    rereads,
    onFile,
    scenarioOf,
    signal,
  } = options;
  const formats = formatsWith(configuration, options);
  const mapTask = configuration.tasks && createTaskMapper(configuration.tasks, (file) => resolve(file));
  const reading = { format, tools, context, mapTask, stdin, rereads, onFile, signal };
  const stream = streamSessions(paths, fileSystem, reading, formats);
  const read = scenarioOf ? withScenarios(stream.sessions, scenarioOf) : stream.sessions;
  const sessions = await startReading(read);
  const registry = { ...registryWith(options), metrics: metricsWith(configuration, options) };
  const { files: inputs, evaluationSets } = stream.inputs();
  const beside = await findAdkConfiguration(inputs, registry, evaluationSets, fileSystem);
  const problems = beside ? [...beside.problems, ...warnUnusedJudges(beside, configuration)] : [];
  return {
    sessions: selectSessions(beside?.criteria ? withExpectations(sessions, beside.file) : sessions, options),
    configuration: beside?.criteria ? applyCriteria(configuration, beside.criteria, registry) : configuration,
    summary: () => {
      const read = stream.summary();
      const sources = beside ? [...read.sources, beside.file] : read.sources;
      return { ...read, sources, problems: [...read.problems, ...problems] };
    },
    locator: stream.locator,
  };
}

async function* withScenarios(
  sessions: AsyncIterable<Session>,
  scenarioOf: NonNullable<LoadRunOptions['scenarioOf']>,
): AsyncGenerator<Session, void> {
  for await (const session of sessions) {
    const scenario = scenarioOf(session);
    yield scenario ? { ...session, scenario } : session;
  }
}

/** Names the file of the criteria in each session. */
async function* withExpectations(sessions: AsyncIterable<Session>, file: string): AsyncGenerator<Session, void> {
  for await (const session of sessions) {
    yield { ...session, expectationFiles: [...(session.expectationFiles ?? []), file] };
  }
}

/** Reads as far as the first session. An error is thrown by the iteration. */
async function startReading(sessions: AsyncIterable<Session>): Promise<AsyncIterable<Session>> {
  const iterator = sessions[Symbol.asyncIterator]();
  // Emptied when the session is taken, so that it is not kept.
  const first = [await settle(iterator.next())];
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => first.pop()?.() ?? iterator.next(),
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** Waits for a promise, whatever becomes of it. */
async function settle<Value>(promise: Promise<Value>): Promise<() => Promise<Value>> {
  await promise.catch(() => {});
  return () => promise;
}

/** What a run evaluates, all of it read, and under which configuration. */
export interface LoadedRun extends Omit<RunStream, 'sessions' | 'summary'>, Pick<ReadSummary, 'problems' | 'files'> {
  readonly sessions: readonly Session[];
}

/** Reads all sessions of a run; see `streamRun`. Aborting gives a run without sessions. */
export async function loadRun(
  paths: readonly string[],
  configuration: Configuration,
  options: LoadRunOptions,
): Promise<LoadedRun> {
  const { sessions: stream, summary, ...run } = await streamRun(paths, configuration, options);
  const sessions: Session[] = [];
  try {
    for await (const session of stream) sessions.push(session);
  } catch (error) {
    if (!options.signal.aborted) throw error;
    return { ...run, sessions: [], problems: [], files: [] };
  }
  const { problems, files } = summary();
  return { ...run, sessions, problems, files };
}
