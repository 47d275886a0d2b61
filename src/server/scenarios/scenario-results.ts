import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findConfigurationFiles } from '../../config/discover.ts';
import { memoize } from '../../core/cache/memoize.ts';
import { verdictOf } from '../../core/verdict.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { FileLocation } from '../../protocol/messages.ts';
import type { AttemptMessage, AttemptRow, ScenarioResult, ScenarioRow } from '../../protocol/scenarios.ts';
import { isInside } from '../disk/paths.ts';
import { isConfigurationFile } from '../results/evaluated-file.ts';
import { START } from '../results/session-results-view.ts';
import type { AttemptNote, AttemptResult, StoredScenarioResult } from './attempt-results.ts';
import type { RecordedScenarios } from './restore-scenarios.ts';
import { lineRange, readScenarioRows } from './scenario-ranges.ts';

interface ScenarioResultsOptions {
  readonly files: Pick<FileSystem, 'stat'>;
  /** What runs before this server have recorded of scenarios. */
  readonly recorded: Pick<RecordedScenarios, 'find'>;
  /** The key of the report of a session file, where there are results of it. */
  readonly sessionKey: (sessionFile: string) => string | null;
  /** Results of scenarios in these files are others now, or became stale. */
  readonly onChange: (paths: readonly string[]) => void;
}

/** The last results of scenarios, by their files. */
export class ScenarioResults {
  readonly #options: ScenarioResultsOptions;
  readonly #byFile = new Map<string, Map<string, StoredScenarioResult>>();

  constructor(options: ScenarioResultsOptions) {
    this.#options = options;
  }

  get(file: string, name: string): StoredScenarioResult | undefined {
    return this.#byFile.get(file)?.get(name);
  }

  /** All of a file. */
  in(file: string): readonly StoredScenarioResult[] {
    return [...(this.#byFile.get(file)?.values() ?? [])];
  }

  get paths(): readonly string[] {
    return [...this.#byFile.keys()];
  }

  /** Replaces the results of these scenarios. */
  set(results: readonly StoredScenarioResult[]): void {
    for (const result of results) {
      const before = this.get(result.file, result.name);
      this.#put({ ...result, previousRun: before?.run ?? before?.previousRun ?? null });
    }
    this.#tell(results.map(({ file }) => file));
  }

  /** Files were created, changed or deleted. */
  onFilesChanged(paths: readonly string[]): void {
    const folders = paths.filter(isConfigurationFile).map((path) => dirname(path));
    const changed = new Set(paths);
    const isConcerned = (file: string) => changed.has(file) || folders.some((folder) => isInside(file, folder));
    this.#tell(this.paths.filter(isConcerned));
  }

  /** A file, or all in a folder, has another path. */
  move(from: string, to: string): void {
    const moved = this.paths.filter((path) => path === from || isInside(path, from));
    const targets = moved.map((path) => {
      const results = this.in(path);
      const target = to + path.slice(from.length);
      this.#byFile.delete(path);
      this.#byFile.set(target, new Map(results.map((result) => [result.name, { ...result, file: target }])));
      return target;
    });
    this.#tell([...moved, ...targets]);
  }

  clear(): void {
    const paths = this.paths;
    this.#byFile.clear();
    this.#tell(paths);
  }

  /** As they are shown. Those whose file or scenario is gone are left out. */
  async rows(files: readonly string[]): Promise<ScenarioResult[]> {
    const { stat } = this.#options.files;
    const modified = memoize(async (path: string) => (await stat(path).catch(() => null))?.modified ?? null);
    const configurations = memoize((folder: string) => findConfigurationFiles(folder));
    const rows = await Promise.all(
      files.map(async (file) => {
        const changedAt = await modified(file);
        if (changedAt === null) return [];
        const { scenarios } = await readScenarioRows(file);
        await this.#restore(file, scenarios);
        const results = this.in(file);
        if (results.length === 0) return [];
        const settings = await Promise.all((await configurations(dirname(file))).map((path) => modified(path)));
        const latest = Math.max(changedAt, ...settings.map((time) => time ?? 0));
        return results.flatMap((result) => this.rowOf(result, scenarios, latest > result.startedAt) ?? []);
      }),
    );
    return rows.flat();
  }

  /** Scenarios that were not run since the server started have the result of an earlier run. */
  async #restore(file: string, scenarios: readonly ScenarioRow[]): Promise<void> {
    const unknown = scenarios.flatMap(({ name }) => (name !== null && !this.get(file, name) ? [name] : []));
    for (const result of await this.#options.recorded.find(file, unknown)) {
      if (!this.get(file, result.name)) this.#put(result);
    }
  }

  #put(result: StoredScenarioResult): void {
    const inFile = this.#byFile.get(result.file) ?? new Map<string, StoredScenarioResult>();
    this.#byFile.set(result.file, inFile.set(result.name, result));
  }

  /** A result as it is shown; null where its scenario is gone. @param scenarios those of its file. */
  rowOf(result: StoredScenarioResult, scenarios: readonly ScenarioRow[], isStale: boolean): ScenarioResult | null {
    const { file, name, summary, attempts, run, previousRun, finishedAt } = result;
    const scenario = findRow(scenarios, name);
    if (!scenario) return null;
    const uri = pathToFileURL(file).href;
    return {
      uri,
      name,
      verdict: verdictOf(attempts.map(({ verdict }) => (verdict === 'undecided' ? null : verdict === 'passed'))),
      summary: summary.text,
      ...(summary.allPass ? { allPass: summary.allPass } : {}),
      attempts: attempts.map((attempt) => this.#attemptRow(attempt, uri, scenario)),
      run,
      ...(previousRun === null ? {} : { previousRun }),
      finishedAt,
      isStale,
    };
  }

  #attemptRow({ sessionFile, messages, ...attempt }: AttemptResult, uri: string, scenario: ScenarioRow): AttemptRow {
    const trace = sessionFile === null ? null : pathToFileURL(sessionFile).href;
    return {
      ...attempt,
      uri: trace,
      session: sessionFile === null ? null : this.#options.sessionKey(sessionFile),
      messages: messages.map((note) => toMessage(note, { uri, scenario, trace })),
    };
  }

  #tell(paths: readonly string[]): void {
    if (paths.length > 0) this.#options.onChange([...new Set(paths)]);
  }
}

/** A name that is no literal stands in the only scenario without one. */
function findRow(scenarios: readonly ScenarioRow[], name: string): ScenarioRow | null {
  const named = scenarios.find((scenario) => scenario.name === name);
  if (named) return named;
  const [first, ...others] = scenarios.filter((scenario) => scenario.name === null);
  if (!first) return null;
  return others.length === 0 ? first : { name, range: START, turns: [], expectedCalls: [] };
}

function toMessage(
  { text, expected, actual, turn, expectedCall, traceLine }: AttemptNote,
  { uri, scenario, trace }: { readonly uri: string; readonly scenario: ScenarioRow; readonly trace: string | null },
): AttemptMessage {
  const turnRange = turn === null ? undefined : scenario.turns[turn];
  const calls = scenario.expectedCalls.filter((call) =>
    turnRange ? includes(turnRange, call) : !scenario.turns.some((one) => includes(one, call)),
  );
  const range = (expectedCall === null ? undefined : calls[expectedCall]) ?? turnRange ?? scenario.range;
  const at: FileLocation | null = trace === null ? null : { uri: trace, range: lineRange(traceLine) };
  return { text, expected, actual, location: { uri, range }, trace: at, turn };
}

type Range = ScenarioRow['range'];

function includes(outer: Range, inner: Range): boolean {
  return isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);
}

function isBefore(first: Range['start'], second: Range['start']): boolean {
  return first.line < second.line || (first.line === second.line && first.character <= second.character);
}
