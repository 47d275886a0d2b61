import { relative, resolve } from 'node:path';
import { createProblem, type Problem } from '../core/problem.ts';
import type { ScenarioLocation, Session } from '../core/session.ts';
import { createRunId } from '../engine/plan.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { createFolder, writeFile } from '../output/write-file.ts';
import { type FinishedAttempt, runScenarios, type ScenarioEvent } from '../scenarios/run-scenarios.ts';
import { AttemptPlanner, type AttemptPlanOptions, type MoreAttempts, type ScenarioInput } from './attempt-planner.ts';

export interface ScenarioRunOptions extends AttemptPlanOptions {
  /** The root of the project, which gets the session files. */
  readonly project: string;
  readonly files: readonly ScenarioInput[];
  readonly retries?: number | undefined;
  readonly onEvent?: (event: ScenarioEvent) => void;
}

export interface ScenarioRun {
  /** Of the run that evaluates them, too. */
  readonly id: string;
  readonly attempts: readonly FinishedAttempt[];
  /** Where their session files are, relative to `cwd`. */
  readonly folder: string;
  /** The scenario of an attempt. */
  readonly scenarioOf: (session: Pick<Session, 'id'>) => ScenarioLocation | undefined;
  readonly problems: readonly Problem[];
}

/** A run whose attempts are made in rounds. */
export interface OpenScenarioRun extends Pick<ScenarioRun, 'id' | 'folder' | 'scenarioOf'> {
  /** So far. */
  problems(): readonly Problem[];
  /** Makes the attempts at all scenarios, or these after the ones that were made. */
  attempt(more?: readonly MoreAttempts[]): Promise<readonly FinishedAttempt[]>;
}

/** Runs scenarios: their attempts become session files in `.turnwise/runs/<run id>` of the project. */
export async function runScenarioFiles(options: ScenarioRunOptions): Promise<ScenarioRun> {
  const run = await openScenarioRun(options);
  const attempts = await run.attempt();
  const { id, folder, scenarioOf } = run;
  return { id, attempts, folder, scenarioOf, problems: run.problems() };
}

/** @see runScenarioFiles */
export async function openScenarioRun(options: ScenarioRunOptions): Promise<OpenScenarioRun> {
  const { cwd, project, files, signal, retries, onEvent, onDebugger } = options;
  const { simulation } = options.configuration;
  const id = createRunId(new Date());
  const runs = resolve(project, '.turnwise', 'runs');
  const folder = resolve(runs, id);
  await createFolder(folder);
  // Sessions are a person's texts, and results: no source. A file of the user's stays as it is.
  const ignore = resolve(project, '.turnwise', '.gitignore');
  if ((await nodeFileSystem.stat(ignore).catch(() => null)) === null) await writeFile(ignore, '*\n');
  const planner = new AttemptPlanner(options);
  const finished: FinishedAttempt[] = [];
  const attempt = async (more?: readonly MoreAttempts[]) => {
    const isNeeded = ({ file }: ScenarioInput) => !more || more.some(({ scenario }) => planner.isIn(scenario, file));
    const before = finished.length;
    const attempts = await runScenarios(
      files.filter(isNeeded).map((input) => planner.scenarioFile(input, more)),
      {
        folder,
        concurrency: onDebugger ? 1 : simulation.concurrency,
        retries: retries ?? simulation.retries,
        unmockedTools: simulation.unmockedTools,
        signal,
        onEvent: onEvent && ((event) => onEvent(countFrom(before, event))),
      },
    );
    finished.push(...attempts);
    return attempts;
  };
  return {
    id,
    folder: relative(cwd, folder),
    scenarioOf: ({ id: attempt }) => planner.locateScenario(attempt),
    problems: () => [...planner.problems, ...unfinished(finished)],
    attempt,
  };
}

/** An event of a round, with the attempts of the rounds before. */
function countFrom(before: number, event: ScenarioEvent): ScenarioEvent {
  if (event.type === 'planned') return { ...event, attempts: before + event.attempts };
  return event.type === 'attempt' ? { ...event, done: before + event.done, of: before + event.of } : event;
}

/** A problem for the attempts at a scenario that did not finish for the same reason. */
function unfinished(attempts: readonly FinishedAttempt[]): Problem[] {
  const failed = attempts.flatMap((attempt) =>
    attempt.failure ? [{ ...attempt, reason: attempt.failure.reason }] : [],
  );
  const groups = Map.groupBy(failed, ({ file, scenario, sessionFile, reason }) =>
    JSON.stringify([file, scenario.name, sessionFile === null, reason]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { file, scenario, trial, sessionFile, reason } = first;
    const subject = group.length === 1 ? `Attempt ${trial} of` : `${group.length} attempts at`;
    // Without a session file nothing is evaluated, so that the rest may pass.
    const severity = sessionFile === null ? 'error' : 'warning';
    const message = `${subject} "${scenario.name}" did not finish: ${reason}`;
    return [createProblem(severity, 'attempt-failed', file, message)];
  });
}
