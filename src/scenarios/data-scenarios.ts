import type { LocateKeys } from '../config/key-locations.ts';
import { parseConfiguration } from '../config/parse.ts';
import { configIssue, describeValue, type KeyPath } from '../config/schema-errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { mockIssues } from './data-mocks.ts';
import type { ScenarioIssue } from './open-scenario-process.ts';

/** A scenario that is data. */
export interface DataScenario {
  readonly name: string;
  readonly options: JsonObject;
  /** Where it stands in its file. */
  readonly path: KeyPath;
}

export interface DataScenarioFile {
  readonly scenarios: readonly DataScenario[];
  readonly issues: readonly ScenarioIssue[];
  readonly locateKeys: LocateKeys;
}

/** A scenario that is data in the shape of one that was loaded. */
export function describeDataScenario({ name, options: { mocks, ...options } }: DataScenario): JsonObject {
  const tools = isObject(mocks) && isObject(mocks.tools) ? Object.keys(mocks.tools) : [];
  return { ...options, name, mockedTools: tools, hasState: false };
}

const NOWHERE: LocateKeys = async (paths) => paths.map(() => null);

/** Reads a file of scenarios in YAML or JSON: one, a list, or `{ scenarios: [...] }`. Never throws. */
export async function readDataScenarios(file: string, text: string): Promise<DataScenarioFile> {
  const parsed = await parseConfiguration(file, text);
  if (parsed.kind === 'failed') {
    const { message, location } = parsed;
    const issue: ScenarioIssue = { severity: 'error', message, scenario: null, path: [], line: location?.line ?? null };
    return { scenarios: [], issues: [issue], locateKeys: NOWHERE };
  }
  const { value, locateKeys } = parsed;
  const scenarios: DataScenario[] = [];
  const issues: ScenarioIssue[] = [];
  for (const [path, entry] of entriesOf(value)) {
    const name = isObject(entry) ? entry.name : undefined;
    if (isObject(entry) && typeof name === 'string' && name.trim() !== '') {
      const { $schema: _, name: _name, ...options } = entry;
      scenarios.push({ name, options, path });
      issues.push(...mockIssues(options).map((issue) => ({ ...issue, scenario: name, line: null })));
    } else {
      const what = isObject(entry)
        ? 'A scenario has no "name": a report needs one.'
        : `A scenario is ${describeValue(entry)}; it must be an object.`;
      issues.push({ ...configIssue(path, what), scenario: null, line: null });
    }
  }
  return { scenarios, issues, locateKeys };
}

function entriesOf(value: unknown): [KeyPath, unknown][] {
  if (Array.isArray(value)) return value.map((entry: unknown, index) => [[index], entry]);
  if (isObject(value) && Array.isArray(value.scenarios)) {
    return value.scenarios.map((entry: unknown, index) => [['scenarios', index], entry]);
  }
  return [[[], value]];
}
