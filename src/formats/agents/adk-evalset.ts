import { get, getArray, getObject, getString, isObject } from '../../core/json.ts';
import type { ExpectedCall, Pointer, TurnReference } from '../../core/session.ts';
import { functionCall, geminiContent } from '../chat/messages/gemini.ts';
import type { Expectation, SyncFormat } from '../format.ts';
import { stemOf, UniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { firstPresent, firstPresentKey } from '../values.ts';

/**
 * ADK's evaluation sets: expectations without runs. Three generations: `{eval_set_id, eval_cases}` in snake or camel
 * case, a list of `{name, data}`, and a list of `{query, expected_tool_use, reference}`.
 */
export const adkEvalset: SyncFormat = {
  name: 'adk-evalset',
  title: 'Google ADK evaluation set',
  description: 'Expected conversations of the Agent Development Kit (X.evalset.json, X.test.json, old and new)',
  expectationKeys: ['eval_cases', 'evalCases', 'expected_tool_use', 'expectedToolUse', 'reference'],

  detect({ value }) {
    if (!Array.isArray(value)) return isEvalset(value) ? 'an `eval_set_id` and `eval_cases`' : null;
    if (mostly(sample(value), isOldTurn)) return 'a list of queries with expected tool uses or references';
    return mostly(sample(value), isOldCase) ? 'a list of named cases with queries and expected tool uses' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const { value, file } = document;
    const expectations = [...(Array.isArray(value) ? oldExpectations() : casesOf(value, problems))];
    if (expectations.length === 0) {
      problems.error('no-expectation', '', 'No cases were found in this file: it has no list of `eval_cases`.');
    }
    return { sessions: [], expectations: withUniqueCaseIds(expectations, problems), problems: problems.list() };

    function* oldExpectations(): Generator<Expectation> {
      const entries = [...records(document)];
      if (!entries.some(([, entry]) => isOldCase(entry))) {
        const turns = oldTurns(entries, problems);
        if (turns.length > 0) yield { id: stemOf(file), pointer: '', turns };
        return;
      }
      for (const [pointer, entry] of entries) {
        const data = getArray(entry, 'data');
        if (!data) {
          problems.error('not-a-case', pointer, 'Cannot read this case: it has no list of turns in `data`.');
          continue;
        }
        const located = data.map((turn, index) => [`${pointer}/data/${index}`, turn] as const);
        const id = getString(entry, 'name') || `${stemOf(file)}${pointer.replace('/', '-')}`;
        yield { id, pointer, turns: oldTurns(located, problems) };
      }
    }
  },
};

function isEvalset(value: unknown): boolean {
  if (typeof firstPresent(value, 'eval_set_id', 'evalSetId') !== 'string') return false;
  const cases = firstPresent(value, 'eval_cases', 'evalCases');
  return Array.isArray(cases) && (cases.length === 0 || mostly(sample(cases), isCase));
}

function isCase(value: unknown): boolean {
  return typeof firstPresent(value, 'eval_id', 'evalId') === 'string';
}

function isOldTurn(value: unknown): boolean {
  const expects =
    Array.isArray(firstPresent(value, 'expected_tool_use', 'expectedToolUse')) ||
    typeof get(value, 'reference') === 'string';
  return typeof get(value, 'query') === 'string' && expects;
}

function isOldCase(value: unknown): boolean {
  const data = getArray(value, 'data');
  return typeof get(value, 'name') === 'string' && data !== undefined && mostly(sample(data, 20), isOldTurn);
}

/** A case whose user is played by a model. */
export interface SimulatedCase {
  readonly id: string;
  /** The first message of the user. */
  readonly startingPrompt: string | undefined;
  /** What the user is to achieve. */
  readonly plan: string | undefined;
  /** A name, an object, or undefined. */
  readonly persona: unknown;
}

/** The cases of an evaluation set that say whom a model plays, instead of a conversation. */
export function simulatedCases(value: unknown): SimulatedCase[] {
  const cases: readonly unknown[] = getArray(value, firstPresentKey(value, 'eval_cases', 'evalCases') ?? '') ?? [];
  return cases.flatMap((evalCase, index) => {
    const simulation = getArray(evalCase, 'conversation') ? undefined : simulationOf(evalCase);
    if (simulation === undefined) return [];
    return [
      {
        id: caseId(evalCase, index),
        startingPrompt: getString(simulation, 'starting_prompt') ?? getString(simulation, 'startingPrompt'),
        plan: getString(simulation, 'conversation_plan') ?? getString(simulation, 'conversationPlan'),
        persona: firstPresent(simulation, 'user_persona', 'userPersona'),
      },
    ];
  });
}

function simulationOf(evalCase: unknown): unknown {
  return firstPresent(evalCase, 'conversation_scenario', 'conversationScenario');
}

function caseId(evalCase: unknown, index: number): string {
  const id = firstPresent(evalCase, 'eval_id', 'evalId');
  return typeof id === 'string' ? id : `case-${index + 1}`;
}

function* casesOf(value: unknown, problems: Problems): Generator<Expectation> {
  const casesKey = firstPresentKey(value, 'eval_cases', 'evalCases') ?? '';
  for (const [index, evalCase] of (getArray(value, casesKey) ?? []).entries()) {
    const pointer = `/${casesKey}/${index}`;
    const conversation = getArray(evalCase, 'conversation');
    if (conversation) {
      const place = `${pointer}/conversation`;
      const turns = conversation.flatMap((invocation, turn) =>
        invocationTurn(invocation, `${place}/${turn}`, problems),
      );
      yield { id: caseId(evalCase, index), pointer, turns };
    } else if (simulationOf(evalCase)) {
      problems.warn(
        'conversation-scenario',
        pointer,
        'Case skipped: it describes a simulated user, not a conversation to compare with.',
      );
    } else {
      problems.error('not-a-case', pointer, 'Cannot read this case: it has no list in `conversation`.');
    }
  }
}

type ExpectedTurn = Expectation['turns'][number];

function invocationTurn(invocation: unknown, pointer: Pointer, problems: Problems): ExpectedTurn[] {
  if (!isObject(invocation)) {
    problems.warn('not-a-turn', pointer, 'Invocation skipped: it is not an object.');
    return [];
  }
  const user = geminiContent(firstPresent(invocation, 'user_content', 'userContent'), '');
  const response = geminiContent(firstPresent(invocation, 'final_response', 'finalResponse'), '').text?.text;
  const toolCalls = expectedCalls(firstPresent(invocation, 'intermediate_data', 'intermediateData'));
  return [{ pointer, input: user.text?.text ?? null, reference: { response: response || undefined, toolCalls } }];
}

/**
 * ADK omits empty lists: intermediate data without calls expects no calls; no intermediate data means no expectation.
 */
function expectedCalls(data: unknown): ExpectedCall[] | undefined {
  if (!isObject(data)) return undefined;
  const events = firstPresent(data, 'invocation_events', 'invocationEvents');
  if (Array.isArray(events))
    return events.flatMap((event) => toExpectedCalls(geminiContent(get(event, 'content'), '').calls));
  const uses = firstPresent(data, 'tool_uses', 'toolUses');
  return Array.isArray(uses) ? toExpectedCalls(uses.flatMap((use) => functionCall(use, '') ?? [])) : [];
}

function toExpectedCalls(calls: readonly { readonly name: string; readonly arguments: unknown }[]): ExpectedCall[] {
  return calls.map(({ name, arguments: value }) => ({ name, arguments: isObject(value) ? value : undefined }));
}

function oldTurns(turns: Iterable<readonly [Pointer, unknown]>, problems: Problems): ExpectedTurn[] {
  const read: ExpectedTurn[] = [];
  for (const [pointer, turn] of turns) {
    const input = getString(turn, 'query');
    if (input === undefined) {
      problems.warn('not-a-turn', pointer, 'Turn skipped: it has no `query`.');
      continue;
    }
    const uses = firstPresent(turn, 'expected_tool_use', 'expectedToolUse');
    const reference: TurnReference = {
      response: getString(turn, 'reference') || undefined,
      toolCalls: Array.isArray(uses) ? uses.flatMap(oldToolUse) : undefined,
    };
    read.push({ pointer, input, reference });
  }
  return read;
}

function oldToolUse(use: unknown): ExpectedCall[] {
  const name = firstPresent(use, 'tool_name', 'toolName');
  if (typeof name !== 'string') return [];
  const key = firstPresentKey(use, 'tool_input', 'toolInput');
  return [{ name, arguments: key === undefined ? undefined : getObject(use, key) }];
}

function withUniqueCaseIds(expectations: readonly Expectation[], problems: Problems): Expectation[] {
  const ids = new UniqueIds();
  return expectations.map((expectation) => {
    const id = ids.claim(expectation.id);
    if (id !== expectation.id) {
      problems.warn(
        'duplicate-case-id',
        expectation.pointer,
        `Another case of this file has the id "${expectation.id}". This one is renamed to "${id}".`,
      );
    }
    return { ...expectation, id };
  });
}
