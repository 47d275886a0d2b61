import type { CheckScenarioMetrics } from '../config/scenario-metrics.ts';
import { type ConfigIssue, configIssue, explainIssues, formatKeyPath, type KeyPath } from '../config/schema-errors.ts';
import { didYouMean } from '../config/suggest.ts';
import { isObject } from '../core/json.ts';
import { type Scenario, scenarioSchema } from './scenario.ts';

export interface CheckedScenario {
  /** Null where it cannot be run. */
  readonly scenario: Scenario | null;
  /** Their paths begin in the scenario. */
  readonly issues: readonly ConfigIssue[];
}

const KEYS = [
  ...Object.keys(scenarioSchema.shape).filter((key) => key !== 'mockedTools' && key !== 'hasState'),
  'mocks',
];

/**
 * Checks a scenario without its code.
 *
 * @param raw its options with its name, the names of its mocked tools, and whether it has a state.
 * @param checkMetrics by default nothing is said about metrics, which the configuration knows.
 */
export function checkScenario(raw: unknown, checkMetrics: CheckScenarioMetrics = () => []): CheckedScenario {
  const parsed = scenarioSchema.safeParse(raw);
  if (!parsed.success) {
    const issues = explainIssues(parsed.error.issues, scenarioSchema, raw, []);
    return { scenario: null, issues: issues.map((issue) => withoutWhole(issue)) };
  }
  const { data } = parsed;
  const issues = [...unknownKeys(raw, data, []), ...requirements(data), ...checkMetrics(raw)];
  return { scenario: issues.some(({ severity }) => severity === 'error') ? null : data, issues };
}

function withoutWhole(issue: ConfigIssue): ConfigIssue {
  if (issue.path.length > 0) return issue;
  return { ...issue, message: issue.message.replace(formatKeyPath([]), 'The scenario') };
}

/** What the schema dropped: it is nobody's. */
function unknownKeys(raw: unknown, parsed: unknown, path: KeyPath): ConfigIssue[] {
  if (Array.isArray(raw) && Array.isArray(parsed)) {
    return raw.flatMap((item, index) => unknownKeys(item, parsed[index], [...path, index]));
  }
  if (!isObject(raw) || !isObject(parsed)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    if (Object.hasOwn(parsed, key)) return unknownKeys(value, parsed[key], [...path, key]);
    const where = path.length === 0 ? '' : ` in ${formatKeyPath(path)}`;
    const close = path.length === 0 ? didYouMean(key, KEYS) : '';
    return [configIssue([...path, key], `Unknown key "${key}"${where} ignored.${close}`, 'warning')];
  });
}

function requirements({ name, profile, goal, firstMessage, turns, finalState, hasState }: Scenario): ConfigIssue[] {
  if (name.trim() === '') return [configIssue(['name'], 'The name is blank: a report needs one.')];
  if (firstMessage?.trim() === '') {
    return [configIssue(['firstMessage'], 'firstMessage is blank: write what the user says first, or remove it.')];
  }
  if (firstMessage !== undefined && turns) {
    const message =
      '"firstMessage" is of a simulated user, and "turns" say all that the user says. Remove one of them.';
    return [configIssue(['firstMessage'], message)];
  }
  if (finalState !== undefined && !hasState) {
    const message = '"finalState" cannot be checked: add a function "state" to "mocks" that returns the state.';
    return [configIssue(['finalState'], message)];
  }
  if (turns) {
    return turns.flatMap(({ userMessage }, index) =>
      userMessage.trim() === ''
        ? [
            configIssue(
              ['turns', index, 'userMessage'],
              `turns[${index}].userMessage is blank: write what the user says.`,
            ),
          ]
        : [],
    );
  }
  const missing = Object.entries({ profile, goal }).filter(([, text]) => text === undefined || text.trim() === '');
  return missing.map(([key]) =>
    configIssue([key], `"${key}" is missing: a simulated user needs a profile and a goal. Or write "turns".`),
  );
}
