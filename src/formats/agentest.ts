import { get, getArray, getNumber, getObject, getString, isObject } from '../core/json.ts';
import { type NamedValue, outcomeOfEnd, outcomeOfGrades } from '../core/recorded-outcome.ts';
import type { ImportedFailure, Pointer, RecordedOutcome, Session, ToolStep, Turn } from '../core/session.ts';
import { NO_FAILURE, SEVERITIES } from '../core/severity.ts';
import { endingOfError } from './ending.ts';
import type { SyncFormat } from './format.ts';
import { UniqueIds, uniqueTurnId, withUniqueIds } from './ids.ts';
import { Problems } from './problems.ts';
import { mostly, sample } from './records.ts';
import { argumentsOf, definedEntries, errorOf } from './values.ts';

/**
 * Reports of Agentest's JSON reporter, for a single run or a comparison of agents. The structure follows its code,
 * which differs from its documentation.
 */
export const agentest: SyncFormat = {
  name: 'agentest',
  title: 'Agentest results',
  description: 'The .agentest/results.json of a run, or of a comparison of agents',

  detect({ value }) {
    const scenarios = sample(getArray(value, 'scenarios') ?? []);
    if (get(value, 'mode') === 'comparison') {
      const compares = mostly(scenarios, (scenario) => mostly(sample(getArray(scenario, 'agents') ?? []), isScenario));
      return compares ? 'a comparison with `scenarios` of `agents` and their conversations' : null;
    }
    if (getNumber(getObject(value, 'summary'), 'totalScenarios') === undefined) return null;
    return mostly(scenarios, isScenario) ? 'a `summary` and `scenarios` with conversations' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(sessionsOf(document.value, document.file, problems), problems);
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No conversations were found in this file: its `scenarios` have none.');
    }
    return { sessions, problems: problems.list() };
  },
};

function isScenario(value: unknown): boolean {
  const conversations = getArray(value, 'conversations');
  return (
    typeof get(value, 'name') === 'string' &&
    conversations !== undefined &&
    (conversations.length === 0 || getArray(conversations[0], 'turns') !== undefined)
  );
}

function* sessionsOf(report: unknown, file: string, problems: Problems): Generator<Session> {
  for (const [index, scenario] of (getArray(report, 'scenarios') ?? []).entries()) {
    const pointer = `/scenarios/${index}`;
    const agents = getArray(scenario, 'agents');
    const name = getString(scenario, 'name');
    if (!agents) {
      yield* conversationsOf(scenario, { name, agent: undefined, pointer, file, problems });
      continue;
    }
    for (const [position, result] of agents.entries()) {
      const agent = getString(result, 'agent');
      const place = `${pointer}/agents/${position}`;
      yield* conversationsOf(result, {
        name: name ?? getString(result, 'name'),
        agent,
        pointer: place,
        file,
        problems,
      });
    }
  }
}

interface ScenarioLocation {
  readonly name: string | undefined;
  readonly agent: string | undefined;
  readonly pointer: Pointer;
  readonly file: string;
  readonly problems: Problems;
}

function* conversationsOf(scenario: unknown, place: ScenarioLocation): Generator<Session> {
  const { name, agent, file, problems } = place;
  const conversations = getArray(scenario, 'conversations');
  if (!conversations) {
    problems.error('not-a-scenario', place.pointer, 'Cannot read this scenario: it has no list of `conversations`.');
    return;
  }
  for (const [index, conversation] of conversations.entries()) {
    const pointer = `${place.pointer}/conversations/${index}`;
    const turns = getArray(conversation, 'turns');
    if (!turns) {
      problems.error('not-a-conversation', pointer, 'Cannot read this conversation: it has no list of `turns`.');
      continue;
    }
    const trial = getString(conversation, 'conversationId');
    const error = getString(conversation, 'error');
    if (error !== undefined) {
      problems.warn('run-failed', `${pointer}/error`, `This conversation ended early ("${error.slice(0, 200)}").`);
    }
    const evaluation = getObject(conversation, 'evaluation');
    const goalCompletion = get(getObject(evaluation, 'goalCompletion'), 'value');
    yield {
      id: trial ?? `${name ?? 'conversation'}-${index + 1}`,
      source: { file, format: agentest.name, pointer },
      metadata: definedEntries({ error, trajectory: getObject(conversation, 'trajectory') }),
      task: name === undefined ? undefined : { id: name, trial, agent },
      scores: isScore(goalCompletion) ? { goal_completion: goalCompletion } : undefined,
      scoreReasons: isScore(goalCompletion)
        ? reasonOf('goal_completion', get(evaluation, 'goalCompletion'))
        : undefined,
      outcome: outcomeOf(scenario, conversation, { scenario: place.pointer, conversation: pointer }),
      ending: endingOfError(error, `${pointer}/error`),
      turns: turnsOf(
        turns,
        `${pointer}/turns`,
        turnScores(evaluation, failuresById(scenario, place.pointer), trial ?? ''),
        problems,
      ),
    };
  }
}

/**
 * An error fails a conversation, as in Agentest. Otherwise the goal, the trajectory and, where the scenario has no other
 * conversation, the scenario's verdict must agree.
 */
function outcomeOf(
  scenario: unknown,
  conversation: unknown,
  pointers: { readonly scenario: Pointer; readonly conversation: Pointer },
): RecordedOutcome | undefined {
  if (getString(conversation, 'error') !== undefined) {
    return outcomeOfEnd('failed', 'the conversation ended with an error', `${pointers.conversation}/error`);
  }
  const goal = get(getObject(getObject(conversation, 'evaluation'), 'goalCompletion'), 'value');
  const isOnly = getArray(scenario, 'conversations')?.length === 1;
  const grades: readonly NamedValue[] = [
    ['goalCompletion', isScore(goal) ? goal : null, `${pointers.conversation}/evaluation/goalCompletion/value`],
    [
      'trajectory.matched',
      get(getObject(conversation, 'trajectory'), 'matched'),
      `${pointers.conversation}/trajectory/matched`,
    ],
    ['passed', isOnly ? get(scenario, 'passed') : null, `${pointers.scenario}/passed`],
  ];
  return outcomeOfGrades(grades.filter(([, value]) => value !== undefined && value !== null));
}

function turnsOf(
  turns: readonly unknown[],
  pointer: Pointer,
  scores: ReadonlyMap<unknown, TurnScores>,
  problems: Problems,
): Turn[] {
  const ids = new UniqueIds();
  return turns.flatMap((turn, index) => {
    const place = `${pointer}/${index}`;
    if (!isObject(turn)) {
      problems.warn('not-a-turn', place, 'Turn skipped: it is not an object.');
      return [];
    }
    const turnIndex = getNumber(turn, 'turnIndex') ?? index;
    const input = getString(turn, 'userMessage');
    const output = getString(turn, 'agentMessage');
    return {
      id: uniqueTurnId(ids, `t${turnIndex + 1}`, place, problems),
      pointer: place,
      input: input ?? null,
      inputPointer: input === undefined ? undefined : `${place}/userMessage`,
      output: output || null,
      outputPointer: output ? `${place}/agentMessage` : undefined,
      steps: stepsOf(getArray(turn, 'toolCalls') ?? [], `${place}/toolCalls`, problems),
      ...scores.get(turnIndex),
    };
  });
}

/** Only executed calls are recorded, so a call without a result returned nothing. */
function stepsOf(calls: readonly unknown[], pointer: Pointer, problems: Problems): ToolStep[] {
  return calls.flatMap((call, index) => {
    const place = `${pointer}/${index}`;
    const name = getString(call, 'name');
    if (name === undefined) {
      problems.warn('call-without-name', place, 'Tool call skipped: it has no tool name.');
      return [];
    }
    const result = get(call, 'result');
    const error = errorOf(result);
    return {
      type: 'tool',
      pointer: place,
      resultPointer: result === undefined ? undefined : `${place}/result`,
      name,
      arguments: argumentsOf(get(call, 'args')),
      result,
      error,
      outcome: error === undefined ? 'ok' : 'error',
      requestedBy: 'agent',
    };
  });
}

type TurnScores = Pick<Turn, 'scores' | 'scoreReasons' | 'importedFailures'>;

/** The names of Agentest's metrics under which Turnwise knows others. */
const METRIC_NAMES: ReadonlyMap<string, string> = new Map([['coherence', 'conversation_coherence']]);

/** The file's scores by turn index, under Turnwise's metric names, with their reasons and failure groups. */
function turnScores(
  evaluation: unknown,
  failures: ReadonlyMap<string, ImportedFailure>,
  conversation: string,
): ReadonlyMap<unknown, TurnScores> {
  const turns = new Map<unknown, TurnScores>();
  let failureCount = 0;
  for (const turn of getArray(evaluation, 'turnEvaluations') ?? []) {
    const scores = new Map<string, number | string>();
    const reasons: [string, string][] = [];
    const groups: [string, ImportedFailure][] = [];
    for (const [written, result] of Object.entries(getObject(turn, 'metrics') ?? {})) {
      const name = METRIC_NAMES.get(written) ?? written;
      const value = get(result, 'value');
      // Agentest numbers the failures of a conversation in this order, errors of metrics included.
      if (typeof value === 'string' && value !== NO_FAILURE) {
        failureCount += 1;
        const failure = failures.get(`${conversation}-F${failureCount}`);
        if (failure && isScore(value)) groups.push([name, failure]);
      }
      if (!isScore(value)) continue;
      scores.set(name, value);
      reasons.push(...Object.entries(reasonOf(name, result) ?? {}));
    }
    if (scores.size === 0) continue;
    turns.set(get(turn, 'turnIndex'), {
      scores: Object.fromEntries(scores),
      ...(reasons.length > 0 && { scoreReasons: Object.fromEntries(reasons) }),
      ...(groups.length > 0 && { importedFailures: Object.fromEntries(groups) }),
    });
  }
  return turns;
}

function reasonOf(name: string, result: unknown): Readonly<Record<string, string>> | undefined {
  const reason = getString(result, 'reason')?.trim();
  return reason ? { [name]: reason } : undefined;
}

/** The deduplicated errors of a scenario, by the ids of their failures. */
function failuresById(scenario: unknown, pointer: Pointer): ReadonlyMap<string, ImportedFailure> {
  const failures = new Map<string, ImportedFailure>();
  for (const [index, error] of (getArray(scenario, 'errors') ?? []).entries()) {
    const title = getString(error, 'label');
    const severity = SEVERITIES.find((known) => known === get(error, 'severity'));
    if (title === undefined || severity === undefined) continue;
    const explanation = getString(error, 'explanation') ?? title;
    for (const id of getArray(error, 'occurrences') ?? []) {
      if (typeof id === 'string')
        failures.set(id, { group: `${pointer}/errors/${index}`, title, explanation, severity });
    }
  }
  return failures;
}

/** The value of a failed metric is its error, which is not a label. */
function isScore(value: unknown): value is number | string {
  return typeof value === 'string' ? value !== '' && !value.startsWith('error:') : Number.isFinite(value);
}
