import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readScenarioFile, type ScenarioSource } from '../../app/scenario-files.ts';
import type { Problem } from '../../core/problem.ts';
import { positionFinder } from '../../core/text/text-positions.ts';
import type { FileProblemRow, FileRange } from '../../protocol/messages.ts';
import type { ScenarioRow } from '../../protocol/scenarios.ts';
import { describeDataScenario } from '../../scenarios/data-scenarios.ts';
import { checkScenarios, type ScenarioIssue } from '../../scenarios/open-scenario-process.ts';
import { START } from '../results/session-results-view.ts';

/** What is in a scenario file, found without running its code. */
export interface ScenarioFileRows {
  readonly scenarios: readonly ScenarioRow[];
  readonly problems: readonly FileProblemRow[];
}

/** @param text of the open document, where it has unsaved edits. */
export async function readScenarioRows(path: string, text?: string): Promise<ScenarioFileRows> {
  const source = await readScenarioFile(path, '', text);
  const issues = [...source.issues, ...foundIssues(source)];
  const problems = await Promise.all(issues.map((issue) => source.toProblem(issue)));
  const positionOf = positionFinder(source.text);
  const rangeOf = ({ start, end }: { readonly start: number; readonly end: number }): FileRange => ({
    start: positionOf(start),
    end: positionOf(end),
  });
  return {
    scenarios: source.places.map(({ name, agent, turns, expectedCalls, ...place }) => ({
      name,
      ...(agent === null ? {} : { agent }),
      range: rangeOf(place),
      turns: turns.map(rangeOf),
      expectedCalls: expectedCalls.map(rangeOf),
    })),
    problems: problems.map((problem) => problemRow(problem, path)),
  };
}

/** What is wrong as far as that shows without the code of the file. */
function foundIssues({ scenarios, places }: ScenarioSource): readonly ScenarioIssue[] {
  // Of code, only names are known.
  const known = scenarios?.map(describeDataScenario) ?? [];
  if (scenarios) return checkScenarios(known).issues;
  const names = places.flatMap(({ name }) => name ?? []);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...repeated].map((name) => ({
    severity: 'error',
    message: `Two scenarios of this file are named "${name}". Give each its own name.`,
    scenario: name,
    path: [],
    line: null,
  }));
}

/** @param file of a problem that names none; its path, or the folder that paths are relative to. */
export function problemRow({ severity, message, file, line }: Problem, at: string, folder = ''): FileProblemRow {
  const path = file === '' ? at : isAbsolute(file) ? file : resolve(folder, file);
  return { severity, message, location: { uri: pathToFileURL(path).href, range: lineRange(line) } };
}

/** The start of a line; of the file where there is none. @param line from 1 */
export function lineRange(line: number | null): FileRange {
  if (line === null) return START;
  const start = { line: Math.max(0, line - 1), character: 0 };
  return { start, end: start };
}
