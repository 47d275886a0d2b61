import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { CancellationToken } from 'vscode-languageserver/node';
import type { ScenarioInput } from '../../app/attempt-planner.ts';
import { findProject } from '../../app/git-state.ts';
import { runScenarioFiles, type ScenarioRun } from '../../app/run-scenarios.ts';
import { scenarioSettings } from '../../app/scenario-evaluation.ts';
import { findScenarioFiles, readScenarioFile } from '../../app/scenario-files.ts';
import type { Configuration } from '../../config/schema.ts';
import { withoutModels } from '../../config/without-models.ts';
import { mapConcurrent } from '../../core/async/concurrency.ts';
import { memoize } from '../../core/cache/memoize.ts';
import type { FileProblemRow } from '../../protocol/messages.ts';
import { debuggerNeeded, type ScenarioRunParams, type ScenarioRunResult } from '../../protocol/scenarios.ts';
import type { FinishedAttempt, ScenarioEvent } from '../../scenarios/run-scenarios.ts';
import { toAbortSignal } from '../abort-signal.ts';
import { ModelAccess } from '../consent/model-access.ts';
import type { ServerContext } from '../context.ts';
import { isInside, uriToPath } from '../disk/paths.ts';
import { type FolderConfiguration, loadFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { ConfigGroups } from '../evaluation/group-by-config.ts';
import type { StoredScenarioResult } from './attempt-results.ts';
import { EarlyEvaluation, isDecidedByRules } from './early-evaluation.ts';
import { RunningResults } from './running-results.ts';
import { ScenarioProgress } from './scenario-progress.ts';
import { problemRow, readScenarioRows } from './scenario-ranges.ts';
import { buildScenarioResult } from './scenario-result.ts';

/** What runs of scenarios work on. */
export type ScenarioRunsContext = Pick<
  ServerContext,
  'connection' | 'settings' | 'evaluator' | 'results' | 'files' | 'folders' | 'runs' | 'decisions' | 'scenarios'
>;

const CONCURRENT_READS = 8;

/** Runs scenarios that the user asks for, and evaluates their attempts. */
export class ScenarioRuns {
  readonly #context: ScenarioRunsContext;

  constructor(context: ScenarioRunsContext) {
    this.#context = context;
  }

  /** Never rejects for what scenarios do. */
  async run(params: ScenarioRunParams, token: CancellationToken): Promise<ScenarioRunResult> {
    const { connection, settings, scenarios } = this.#context;
    const first = params.files[0]?.uri ?? pathToFileURL([...this.#context.folders][0] ?? '/').href;
    const refuse = (message: string): ScenarioRunResult => ({
      complete: false,
      results: [],
      problems: [problemRow({ ...NO_PLACE, message }, uriToPath(first) ?? '')],
    });
    if (!settings().trusted) {
      return refuse(l10n.t('Scenarios run code of the workspace, which is not trusted. Trust it and run them again.'));
    }
    if (params.isDebug && params.files.length !== 1) {
      return refuse(l10n.t('One scenario file can be debugged at a time. Choose one.'));
    }
    using stop = toAbortSignal(token);
    using progress = new ScenarioProgress(connection, params.run);
    const ran: StoredScenarioResult[] = [];
    const problems: FileProblemRow[] = [];
    const names = new Map(params.files.map(({ uri, names }) => [uriToPath(uri) ?? '', names]));
    const groups = new ConfigGroups(this.#context.files);
    await groups.add(names.size > 0 ? [...names.keys()] : await this.allFiles(stop.signal));
    for (let group = groups.next(); group && !stop.signal.aborted; group = groups.next()) {
      const { results, problems: found } = await this.#runGroup(group.paths, names, params, {
        token,
        signal: stop.signal,
        progress,
      });
      scenarios.set(results);
      ran.push(...results);
      problems.push(...found);
    }
    const rows = await scenarios.rows([...new Set(ran.map(({ file }) => file))]);
    const isOfRun = new Set(ran.map(({ file, name }) => JSON.stringify([pathToFileURL(file).href, name])));
    return {
      complete: !stop.signal.aborted,
      results: rows.filter(({ uri, name }) => isOfRun.has(JSON.stringify([uri, name]))),
      problems,
    };
  }

  /** All scenario files of the open folders. */
  async allFiles(signal: AbortSignal = new AbortController().signal): Promise<string[]> {
    const { folders, settings } = this.#context;
    const found = await Promise.all(
      [...folders].map(async (folder) => {
        const loaded = await loadFolderConfiguration(folder, { isTrusted: () => settings().trusted });
        const { files } = await findScenarioFiles([], loaded, folder, signal);
        return files.map((file) => resolve(folder, file));
      }),
    );
    return [...new Set(found.flat())];
  }

  /** Runs scenarios of files with one configuration. */
  async #runGroup(
    paths: readonly string[],
    names: ReadonlyMap<string, readonly string[] | undefined>,
    params: ScenarioRunParams,
    { token, signal, progress }: Pick<GroupRun, 'token' | 'signal' | 'progress'>,
  ): Promise<{ readonly results: readonly StoredScenarioResult[]; readonly problems: readonly FileProblemRow[] }> {
    const { settings } = this.#context;
    const [first = ''] = paths;
    const project = await this.#projectOf(first);
    const isTrusted = () => settings().trusted;
    const loaded = await loadFolderConfiguration(first, { isTrusted });
    const sources = await mapConcurrent(paths, CONCURRENT_READS, (path) =>
      readScenarioFile(relative(project, path), project),
    );
    const issues = sources.flatMap((source) => source.issues.map((issue) => source.toProblem(issue)));
    const problems = [
      ...loaded.problems.map((problem) => problemRow(problem, first, loaded.cwd)),
      ...(await Promise.all(issues)).map((problem) => problemRow(problem, first, project)),
    ];
    if (!loaded.configuration) return { results: [], problems };
    const startedAt = Date.now();
    const running = this.#showResults({ project, startedAt }, progress);
    const group = { params, token, signal, progress, running, project, first, startedAt };
    const inputs = sources.map((source, index) => ({ ...source, names: names.get(paths[index] ?? '') }));
    const made = await this.#makeAttempts(inputs, loaded, group);
    const results = await this.#evaluate(made, group);
    return { results, problems: [...problems, ...made.problems.map((problem) => problemRow(problem, first, project))] };
  }

  /** As runs of the editor are recorded: the project of the outermost folder that is open. */
  async #projectOf(path: string): Promise<string> {
    const around = [...this.#context.folders].filter((folder) => isInside(path, folder));
    const [open] = around.sort((a, b) => a.length - b.length);
    return await findProject(open ?? dirname(path));
  }

  /** Shows what is known of scenarios before the run ends. Where the scenarios stand is read once. */
  #showResults(run: Pick<GroupRun, 'project' | 'startedAt'>, progress: ScenarioProgress): RunningResults {
    const { scenarios } = this.#context;
    const rowsIn = memoize((file: string) => readScenarioRows(file));
    const show = async (result: StoredScenarioResult, pending: number) => {
      const row = scenarios.rowOf(result, (await rowsIn(result.file)).scenarios, false);
      if (row) progress.showResult({ ...row, pending });
    };
    return new RunningResults({ ...run, show: (result, pending) => void show(result, pending) });
  }

  async #makeAttempts(
    inputs: readonly ScenarioInput[],
    loaded: FolderConfiguration,
    { params, signal, progress, running, project, first }: GroupRun,
  ): Promise<ScenarioRun> {
    const { connection } = this.#context;
    const configuration = loaded.configuration;
    if (!configuration) throw new TypeError('A broken configuration is a problem, and nothing runs.');
    const file = loaded.file ?? loaded.agentestFile;
    using early = this.#evaluateEarly(configuration, { params, progress, running, project, first });
    const onEvent = (event: ScenarioEvent) => {
      if (event.type === 'planned') {
        progress.plan(event.added.length);
        running.plan(event.added);
      } else if (event.type === 'started') {
        progress.setPhase(resolve(project, event.file), event.attempt, 'simulating');
      } else {
        progress.setPhase(resolve(project, event.attempt.file), event.attempt, 'evaluating');
        running.finish(event.attempt);
        early?.add(event.attempt);
      }
    };
    return await runScenarioFiles({
      cwd: project,
      project,
      files: inputs,
      configuration,
      configurationFile: file === null ? null : relative(project, resolve(loaded.cwd, file)),
      env: { ...process.env, ...loaded.keys },
      signal,
      attempts: params.attempts,
      agents: params.agents && params.agents.length > 0 ? params.agents : undefined,
      recordings: params.isReplay ? this.#recordings(inputs, project) : undefined,
      onDebugger: params.isDebug
        ? (port) => {
            connection.sendNotification(debuggerNeeded.method, { run: params.run, port }).catch(() => {});
          }
        : undefined,
      allowSimulator: () => this.#allowSimulator(configuration, { first, loaded, signal }),
      onEvent,
      log: (text) => progress.print(text),
    });
  }

  /** Evaluates attempts while others are made; null where that has to wait for all of them. */
  #evaluateEarly(
    configuration: Configuration,
    {
      params,
      progress,
      running,
      project,
      first,
    }: Pick<GroupRun, 'params' | 'progress' | 'running' | 'project' | 'first'>,
  ): EarlyEvaluation | null {
    const { evaluator } = this.#context;
    if (!isDecidedByRules(params.isReplay ? withoutModels(configuration) : configuration)) return null;
    return new EarlyEvaluation({
      evaluate: (attempts, signal) =>
        evaluator.preview(
          attempts.flatMap(({ sessionFile }) => sessionFile ?? []),
          { runId: params.run, file: first, settings: scenarioSettings(attempts) },
          signal,
        ),
      onResults: (views) => showFinished(running.evaluate(views), project, progress),
    });
  }

  /** The session file of the last attempt at each scenario. */
  #recordings(inputs: readonly ScenarioInput[], project: string): ReadonlyMap<string, string> {
    const results = inputs.flatMap(({ file }) => this.#context.scenarios.in(resolve(project, file)));
    return new Map(
      results.flatMap(({ name, attempts }) => {
        const last = attempts.findLast(({ sessionFile }) => sessionFile !== null);
        return last?.sessionFile ? [[name, last.sessionFile] as const] : [];
      }),
    );
  }

  #allowSimulator(
    configuration: Configuration,
    {
      first,
      loaded,
      signal,
    }: { readonly first: string; readonly loaded: FolderConfiguration; readonly signal: AbortSignal },
  ): ReturnType<ModelAccess['allowSimulator']> {
    const { editor, consent } = this.#context.decisions;
    const access = new ModelAccess(editor, consent, process.env);
    const { cwd, keys } = loaded;
    return access.allowSimulator({ configuration, paths: [first], cwd, keys, signal, onWait: () => {} });
  }

  /** What was finished before the user stopped is evaluated with the rules only, and is no run of its own. */
  async #evaluate(
    { id, attempts, folder }: ScenarioRun,
    { params, token, signal, progress, running, project, first, startedAt }: GroupRun,
  ): Promise<StoredScenarioResult[]> {
    const { connection, evaluator, results, runs } = this.#context;
    if (attempts.length === 0) return [];
    const wasStopped = signal.aborted;
    const uri = pathToFileURL(resolve(project, folder)).href;
    const viewOf = (sessionFile: string) => results.sessionsIn(sessionFile)[0];
    await evaluator.evaluate(
      [uri],
      connection.window.attachWorkDoneProgress(undefined),
      wasStopped ? CancellationToken.None : token,
      {
        isRecorded: !wasStopped,
        rulesOnly: wasStopped || (params.isReplay ?? false),
        scenarios: { runId: id, file: first, settings: scenarioSettings(attempts) },
        onSessions: (files) => {
          const views = files.flatMap((file) => viewOf(file) ?? []);
          showFinished(running.evaluate(views), project, progress);
        },
      },
    );
    const run = (await runs?.history.find(id).catch(() => null)) ? id : null;
    const finishedAt = new Date();
    showFinished(attempts, project, progress);
    const byScenario = Map.groupBy(attempts, ({ file, scenario }) => JSON.stringify([file, scenario.name]));
    return [...byScenario.values()].flatMap(
      (own) => buildScenarioResult(own, { project, startedAt, finishedAt, run, viewOf }) ?? [],
    );
  }
}

/** The part of a run with one configuration. */
interface GroupRun {
  readonly params: ScenarioRunParams;
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  readonly progress: ScenarioProgress;
  readonly running: RunningResults;
  readonly project: string;
  /** The path of a scenario file, whose nearest configuration counts. */
  readonly first: string;
  /** In milliseconds of the epoch. */
  readonly startedAt: number;
}

const NO_PLACE = { severity: 'error', code: 'scenario', file: '', line: null, pointer: null } as const;

function showFinished(attempts: readonly FinishedAttempt[], project: string, progress: ScenarioProgress): void {
  for (const attempt of attempts) progress.setPhase(resolve(project, attempt.file), attempt, 'finished');
}
