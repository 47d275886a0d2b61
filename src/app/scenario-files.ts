import { dirname, join, resolve } from 'node:path';
import { locateCodeKeys } from '../config/key-locations.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import { parseConfiguration } from '../config/parse.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { DEFAULT_SCENARIOS } from '../core/scenario-file-names.ts';
import { positionFinder } from '../core/text/text-positions.ts';
import type { Expectation } from '../formats/format.ts';
import { decode } from '../input/decode.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { describeSystemError } from '../input/system-error.ts';
import { type DataScenario, readDataScenarios } from '../scenarios/data-scenarios.ts';
import type { ScenarioIssue } from '../scenarios/open-scenario-process.ts';
import type { ScenarioPlace } from '../scenarios/scenario.ts';
import { findScenarioPlaces, scenarioFileKind } from '../scenarios/scenario-places.ts';
import { readAdkScenarios } from './adk-scenarios.ts';

/** A file of scenarios that is read and not run. */
export interface ScenarioSource {
  /** Relative to the working directory. */
  readonly file: string;
  /** Empty where it cannot be read. */
  readonly text: string;
  /** What is in it, where it is data; null: the file is code. */
  readonly scenarios: readonly DataScenario[] | null;
  /** Where they stand, as far as that shows without running the file. */
  readonly places: readonly ScenarioPlace[];
  /** The cases of an evaluation set that may have been recorded; empty for other files. */
  readonly cases: readonly Expectation[];
  /** What is wrong with it so far. */
  readonly issues: readonly ScenarioIssue[];
  /** The line of a scenario, from 1; null where its name is no literal. */
  lineOf(name: string): Promise<number | null>;
  /** An issue as a problem with its line. */
  toProblem(issue: ScenarioIssue): Promise<Problem>;
}

/**
 * The files that paths and globs name, or that the configuration names where there are none. A folder stands for the scenario
 * files in it.
 */
export async function findScenarioFiles(
  paths: readonly string[],
  { file, configuration }: Pick<LoadedConfiguration, 'file' | 'configuration'>,
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly files: readonly string[]; readonly problems: readonly Problem[] }> {
  if (paths.length > 0) {
    const globs = await Promise.all(paths.map((path) => globsOf(path, cwd)));
    const { paths: found, problems } = await expandGlobs(globs.flat(), nodeFileSystem, cwd, signal);
    // Of a folder, one kind of file is enough.
    const missed = problems.filter(({ file: glob }) => paths.includes(glob));
    return { files: [...new Set(found)], problems: missed };
  }
  const globs = configuration?.scenarios ?? DEFAULT_SCENARIOS;
  const folder = file === null ? '' : dirname(file);
  const expand = (patterns: readonly string[]) => expandGlobs(patterns, nodeFileSystem, join(cwd, folder), signal);
  const [included, excluded] = await Promise.all([
    expand(globs.filter((glob) => !glob.startsWith('!'))),
    expand(globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1))),
  ]);
  const left = new Set(excluded.paths);
  const files = [...new Set(included.paths)].filter((path) => !left.has(path)).map((path) => join(folder, path));
  return { files, problems: [] };
}

async function globsOf(path: string, cwd: string): Promise<readonly string[]> {
  const stat = await nodeFileSystem.stat(resolve(cwd, path)).catch(() => null);
  return stat?.kind === 'directory' ? DEFAULT_SCENARIOS.map((glob) => `${path.replace(/\/$/, '')}/${glob}`) : [path];
}

/** Reads a file without running it. @param text of the file, where it is not what is on disk */
export async function readScenarioFile(file: string, cwd: string, text?: string): Promise<ScenarioSource> {
  const read = text ?? (await readText(resolve(cwd, file)));
  if (typeof read !== 'string') return failedSource(file, { message: read.reason, line: null });
  const places = await findScenarioPlaces(file, read);
  switch (scenarioFileKind(file)) {
    case 'code':
      return codeSource(file, read, places);
    case 'adk':
      return adkSource(file, read, places);
    case 'data':
      return dataSource(file, read, places);
  }
}

async function dataSource(file: string, text: string, places: readonly ScenarioPlace[]): Promise<ScenarioSource> {
  const { scenarios, issues, locateKeys } = await readDataScenarios(file, text);
  const pathOf = (name: string | null) => scenarios.find((scenario) => scenario.name === name)?.path ?? [];
  const lineAt = async (path: ScenarioIssue['path']) => (await locateKeys([path]))[0]?.line ?? null;
  return {
    file,
    text,
    scenarios,
    places,
    cases: [],
    issues,
    lineOf: (name) => lineAt([...pathOf(name), 'name']),
    toProblem: async (issue) =>
      problemOf(file, issue, issue.line ?? (await lineAt([...pathOf(issue.scenario), ...issue.path]))),
  };
}

async function readText(path: string): Promise<string | { readonly reason: string }> {
  try {
    const decoded = decode(await nodeFileSystem.read(path));
    if ('text' in decoded) return decoded.text;
    return { reason: 'issue' in decoded ? decoded.issue.message : 'The file is an archive: unpack it first.' };
  } catch (error) {
    return { reason: `The file cannot be read: ${describeSystemError(error)}.` };
  }
}

function failedSource(
  file: string,
  { message, line }: Pick<ScenarioIssue, 'message' | 'line'>,
  { text, places }: Pick<ScenarioSource, 'text' | 'places'> = { text: '', places: [] },
): ScenarioSource {
  const issue: ScenarioIssue = { severity: 'error', message, scenario: null, path: [], line };
  return {
    file,
    text,
    scenarios: [],
    places,
    cases: [],
    issues: [issue],
    lineOf: async () => null,
    toProblem: async (own) => problemOf(file, own, own.line),
  };
}

function codeSource(file: string, text: string, places: readonly ScenarioPlace[]): ScenarioSource {
  const lines = lineFinder(text);
  const placeOf = (name: string | null): ScenarioPlace | undefined => places.findLast((place) => place.name === name);
  return {
    file,
    text,
    scenarios: null,
    places,
    cases: [],
    issues: [],
    async lineOf(name) {
      // Of several with one name, the first is run, and the last is the problem.
      const place = places.find((one) => one.name === name);
      return place ? lines(place.start) : null;
    },
    async toProblem(issue) {
      const place = issue.scenario === null ? undefined : placeOf(issue.scenario);
      if (issue.line !== null || !place) return problemOf(file, issue, issue.line);
      const start = lines(place.start);
      const [at] = await locateCodeKeys(text.slice(place.start, place.end))([issue.path]);
      return problemOf(file, issue, at ? start + at.line - 1 : start);
    },
  };
}

/** The line of an offset, from 1. */
function lineFinder(text: string): (offset: number) => number {
  const positionOf = positionFinder(text);
  return (offset) => positionOf(offset).line + 1;
}

/** Each case of an evaluation set of the Agent Development Kit is a scenario. */
async function adkSource(file: string, text: string, places: readonly ScenarioPlace[]): Promise<ScenarioSource> {
  const parsed = await parseConfiguration(file, text);
  if (parsed.kind === 'failed') {
    return failedSource(file, { message: parsed.message, line: parsed.location?.line ?? null }, { text, places });
  }
  const lines = lineFinder(text);
  const lineOf = (name: string) => {
    const place = places.find((one) => one.name === name);
    return place ? lines(place.start) : null;
  };
  return {
    file,
    text,
    places,
    ...readAdkScenarios(file, parsed.value),
    lineOf: async (name) => lineOf(name),
    toProblem: async (issue) =>
      problemOf(file, issue, issue.line ?? (issue.scenario === null ? null : lineOf(issue.scenario))),
  };
}

function problemOf(file: string, { severity, message, scenario }: ScenarioIssue, line: number | null): Problem {
  const subject = scenario === null ? '' : `"${scenario}": `;
  return createProblem(severity, 'scenario', file, `${subject}${message}`, { line: line ?? undefined });
}
