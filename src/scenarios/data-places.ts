import { basename } from 'node:path';
import type { Node } from 'yaml';
import type { ScenarioPlace } from './scenario.ts';

type OffsetRange = ScenarioPlace['turns'][number];
type Key = readonly string[];

/** The keys of a kind of file, each with its spellings. */
interface FileKeys {
  readonly list: Key;
  readonly name: Key;
  readonly turns: Key;
  /** From a turn to its expected calls. */
  readonly callsOfTurn: readonly (readonly Key[])[];
  /** From a scenario to those of the whole session. */
  readonly calls: readonly Key[];
}

const TOOL_CALLS: readonly Key[] = [['assertions'], ['toolCalls'], ['expected']];

const KEYS: Readonly<Record<'data' | 'adk', FileKeys>> = {
  data: { list: ['scenarios'], name: ['name'], turns: ['turns'], callsOfTurn: [TOOL_CALLS], calls: TOOL_CALLS },
  adk: {
    list: ['eval_cases', 'evalCases'],
    name: ['eval_id', 'evalId', 'name'],
    turns: ['conversation', 'data'],
    callsOfTurn: [
      [
        ['intermediate_data', 'intermediateData'],
        ['tool_uses', 'toolUses'],
      ],
      [['expected_tool_use', 'expectedToolUse']],
    ],
    calls: [],
  },
};

/** What a case of an evaluation set has instead of turns. */
const SIMULATION: Key = ['conversation_scenario', 'conversationScenario'];

/** Finds the scenarios that have a name in YAML or JSON, as far as it can be read. */
export async function findDataScenarios(
  file: string,
  text: string,
  kind: 'data' | 'adk',
): Promise<readonly ScenarioPlace[]> {
  const { isMap, isNode, isScalar, isSeq, parseDocument } = await import('../config/yaml.ts');
  const keys = KEYS[kind];
  // JSON is YAML; of a duplicate key, the last value counts in both.
  const root: unknown = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' }).contents;

  const childOf = (node: unknown, key: Key): unknown =>
    isMap(node)
      ? node.items.findLast((pair) => isScalar(pair.key) && key.includes(String(pair.key.value)))?.value
      : undefined;
  const itemsOf = (node: unknown): Node[] => (isSeq(node) ? node.items.filter(isNode) : []);
  const rangeOf = ({ range }: Node): OffsetRange => {
    const [start = 0, end = 0] = range ?? [];
    return { start, end: start + text.slice(start, end).trimEnd().length };
  };
  const placeOf = (scenario: Node, name: string, turns: readonly Node[]): ScenarioPlace => {
    const ofTurns = turns.flatMap((turn) => keys.callsOfTurn.flatMap((path) => itemsOf(path.reduce(childOf, turn))));
    const own = keys.calls.length === 0 ? [] : itemsOf(keys.calls.reduce<unknown>(childOf, scenario));
    const expectedCalls = [...ofTurns, ...own].map(rangeOf).sort((a, b) => a.start - b.start);
    const agent = kind === 'data' ? childOf(scenario, ['agent']) : null;
    return {
      name,
      agent: isScalar(agent) && typeof agent.value === 'string' ? agent.value : null,
      ...rangeOf(scenario),
      turns: turns.map(rangeOf),
      expectedCalls,
    };
  };

  if (!isNode(root)) return [];
  // The oldest evaluation sets are one list of turns, and have the name of their file.
  if (kind === 'adk' && itemsOf(root).some((item) => childOf(item, ['query']) !== undefined)) {
    return [placeOf(root, basename(file).replace(/\.(evalset|test)\.json$|\.json$/, ''), itemsOf(root))];
  }
  const list = childOf(root, keys.list);
  const scenarios = isSeq(root) ? itemsOf(root) : isSeq(list) ? itemsOf(list) : [root];
  return scenarios.flatMap((scenario) => {
    const name = childOf(scenario, keys.name);
    if (!isScalar(name) || typeof name.value !== 'string' || name.value.trim() === '') return [];
    // Other files have names like those of evaluation sets.
    if (kind === 'adk' && !isSeq(childOf(scenario, keys.turns)) && !isMap(childOf(scenario, SIMULATION))) return [];
    return [placeOf(scenario, name.value, itemsOf(childOf(scenario, keys.turns)))];
  });
}
