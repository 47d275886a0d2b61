import { basename } from 'node:path';
import { findDataScenarios } from './data-places.ts';
import { findScenarios } from './find-scenarios.ts';
import type { ScenarioPlace } from './scenario.ts';

/** `adk`: an evaluation set of the Agent Development Kit. */
export type ScenarioFileKind = 'code' | 'data' | 'adk';

export function scenarioFileKind(file: string): ScenarioFileKind {
  if (/\.[cm]?[jt]s$/.test(file)) return 'code';
  return /\.(evalset|test)\.json$/.test(basename(file)) ? 'adk' : 'data';
}

/** Where the scenarios of a file stand. Nothing is run, and half of a file is enough. */
export async function findScenarioPlaces(file: string, text: string): Promise<readonly ScenarioPlace[]> {
  const kind = scenarioFileKind(file);
  return kind === 'code' ? findScenarios(text) : findDataScenarios(file, text, kind);
}
