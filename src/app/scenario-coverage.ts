import { dirname, join, resolve } from 'node:path';
import type { LoadedConfiguration } from '../config/load.ts';
import { positionTracker } from '../core/pointer-ranges.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { decode } from '../input/decode.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { findTools } from '../scenarios/find-tools.ts';
import type { CoveredTool } from '../scenarios/tool-coverage.ts';

/** The name of a tool where it is defined. */
interface ToolLocation {
  readonly file: string;
  /** One-based; columns and the length in UTF-16 code units. */
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A tool, what of it was exercised, and where it is defined. */
export interface LocatedTool extends CoveredTool {
  /** Null where no file was found that defines it. */
  readonly place: ToolLocation | null;
}

interface LocateToolsOptions {
  readonly cwd: string;
  readonly loaded: Pick<LoadedConfiguration, 'file' | 'configuration'>;
  /** Their mocks define a tool that no other file defines. */
  readonly scenarioFiles: readonly string[];
  readonly signal: AbortSignal;
}

/** Finds tools by name in the files that `simulation.toolFiles` names, and then in the scenario files. Paths are relative to `cwd`. */
export async function locateTools(
  tools: readonly CoveredTool[],
  { cwd, loaded, scenarioFiles, signal }: LocateToolsOptions,
): Promise<{ readonly tools: readonly LocatedTool[]; readonly problems: readonly Problem[] }> {
  const folder = dirname(loaded.file ?? '');
  const globs = loaded.configuration?.simulation.toolFiles ?? [];
  const { paths, problems } = await expandGlobs(globs, nodeFileSystem, resolve(cwd, folder), signal);
  const files = [
    ...paths.map((path) => ({ file: join(folder, path), isScenarioFile: false })),
    ...scenarioFiles.map((file) => ({ file, isScenarioFile: true })),
  ];
  const places = new Map<string, LocatedTool['place']>();
  const unread: Problem[] = [];
  const missing = new Set(tools.map(({ name }) => name));
  for (const { file, isScenarioFile } of files) {
    if (missing.size === 0 || signal.aborted) break;
    const text = await readText(resolve(cwd, file));
    if (text === null) {
      unread.push(
        createProblem('warning', 'tool-file', file, 'The file cannot be read, so that its tools are not found.'),
      );
      continue;
    }
    const position = positionTracker(text);
    for (const { name, start, end } of findTools(text, missing, isScenarioFile)) {
      const { line, column } = position(start);
      places.set(name, { file, line, column, length: end - start });
      missing.delete(name);
    }
  }
  return {
    tools: tools.map((tool) => ({ ...tool, place: places.get(tool.name) ?? null })),
    problems: [...problems, ...unread],
  };
}

async function readText(path: string): Promise<string | null> {
  const decoded = await nodeFileSystem.read(path).then(decode, () => null);
  return decoded && 'text' in decoded ? decoded.text : null;
}

/** The names of tools whose arguments no trace lists: those that no call had are not measured. */
export function undescribedTools(tools: readonly CoveredTool[]): readonly string[] {
  return tools.filter(({ isDescribed }) => !isDescribed).map(({ name }) => name);
}
