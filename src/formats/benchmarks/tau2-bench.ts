import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getNumber, getObject, getString, isObject } from '../../core/json.ts';
import { outcomeOfEnd, outcomeOfReward } from '../../core/recorded-outcome.ts';
import type { ExpectedCall, Pointer, RecordedOutcome, Session, Tool } from '../../core/session.ts';
import { buildConversation, type Message } from '../chat/messages/conversation.ts';
import { callsOf, openAiMessage } from '../chat/messages/openai.ts';
import { endingOfStatus } from '../ending.ts';
import type { ReadResult } from '../format.ts';
import { withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { toolsOf } from '../tools.ts';
import { definedEntries, isoTime } from '../values.ts';

const FORMAT = 'tau2-bench';

/**
 * Reads results of tau2-bench: simulations of tasks, each with messages and a reward. Tool calls of the simulated user
 * are not the agent's.
 */
export function readTau2Bench({ file, value }: Document): ReadResult {
  const problems = new Problems(file);
  const sessions = withUniqueIds(new Tau2Results(value, file, problems).sessions(), problems);
  if (sessions.length === 0) {
    problems.error('no-session', '', 'No simulations were found in this file: its list `simulations` is empty.');
  }
  return { sessions, problems: problems.list() };
}

/** Reasons for a regular end of a conversation. */
const REGULAR_ENDS: ReadonlySet<unknown> = new Set(['user_stop', 'agent_stop']);

/** Reasons for an early end that tau2-bench blames on the agent: its evaluator gives them the reward 0. */
const FAILED_ENDS: ReadonlySet<unknown> = new Set(['max_steps', 'too_many_errors', 'agent_error']);

const ENDINGS = {
  user_stop: 'regular',
  agent_stop: 'regular',
  max_steps: 'limit',
  too_many_errors: 'agent-error',
  agent_error: 'agent-error',
} as const;

class Tau2Results {
  readonly #results: unknown;
  readonly #file: string;
  readonly #problems: Problems;
  readonly #simulations: readonly unknown[];
  /** By id; null where the simulations are of other tasks. */
  readonly #tasks: ReadonlyMap<string, unknown> | null;

  constructor(results: unknown, file: string, problems: Problems) {
    this.#results = results;
    this.#file = file;
    this.#problems = problems;
    this.#simulations = getArray(results, 'simulations') ?? [];
    this.#tasks = this.#trustedTasks();
  }

  /**
   * The tasks by id; null if simulations were checked against actions of other tasks, as in renumbered submissions:
   * goals would belong to other conversations, and simulations of one id would be attempts of different tasks.
   */
  #trustedTasks(): ReadonlyMap<string, unknown> | null {
    const tasks = new Map((getArray(this.#results, 'tasks') ?? []).map((task) => [getId(task, 'id') ?? '', task]));
    const mismatches = this.#simulations.flatMap((simulation, index) => {
      const task = tasks.get(getId(simulation, 'task_id') ?? '');
      const checked = checkedActions(simulation);
      return task === undefined || !checked || haveSameIds(checked, listedActions(task) ?? []) ? [] : index;
    });
    const [first] = mismatches;
    if (first === undefined) return tasks;
    this.#problems.warn(
      'task-mismatch',
      `/simulations/${first}`,
      `In ${mismatches.length} of ${this.#simulations.length} simulations, the checked actions differ from those of the named task. The tasks of this file are not used: its sessions have no goal and are attempts of no task; the checked actions are expected.`,
    );
    return null;
  }

  *sessions(): Generator<Session> {
    for (const [index, simulation] of this.#simulations.entries()) {
      const pointer = `/simulations/${index}`;
      if (isObject(simulation)) yield this.#session(simulation, pointer);
      else this.#problems.error('not-a-simulation', pointer, 'Cannot read this simulation: it is not an object.');
    }
  }

  #session(simulation: unknown, pointer: Pointer): Session {
    const info = getObject(this.#results, 'info');
    const environment = getObject(info, 'environment_info');
    const agent = getObject(info, 'agent_info');
    const taskId = getId(simulation, 'task_id');
    const task = this.#tasks?.get(taskId ?? '');
    const actions = checkedActions(simulation) ?? listedActions(task);
    const trial = getId(simulation, 'trial');
    const reward = getNumber(getObject(simulation, 'reward_info'), 'reward');
    const termination = getString(simulation, 'termination_reason');
    if (termination !== undefined && !REGULAR_ENDS.has(termination)) {
      const why = `This simulation ended early ("${termination.slice(0, 200)}").`;
      this.#problems.warn('run-failed', `${pointer}/termination_reason`, why);
    }
    const { system, turns } = buildConversation(this.#messages(simulation, pointer), this.#problems);
    const named = [getString(agent, 'implementation'), getString(agent, 'llm')].filter(Boolean).join(' ');
    return {
      id: getId(simulation, 'id') || `task-${taskId ?? pointer.slice('/simulations/'.length)}-trial-${trial ?? 0}`,
      source: { file: this.#file, format: FORMAT, pointer },
      system: getString(simulation, 'policy') ?? getString(environment, 'policy') ?? system,
      metadata: definedEntries({
        termination_reason: termination,
        duration: getNumber(simulation, 'duration'),
        agent_cost: getNumber(simulation, 'agent_cost'),
      }),
      task:
        taskId === undefined || this.#tasks === null
          ? undefined
          : { id: taskId, trial, dataset: getString(environment, 'domain_name'), agent: named || undefined },
      tools: toolsIn(get(environment, 'tool_defs')),
      ...scenarioOf(task),
      reference: actions && { toolCalls: actions.flatMap(expectedCall) },
      scores: reward === undefined ? undefined : { reward },
      outcome: outcomeOf(simulation, pointer),
      ending: endingOfStatus(termination, `${pointer}/termination_reason`, ENDINGS),
      turns,
    };
  }

  *#messages(simulation: unknown, pointer: Pointer): Generator<Message> {
    const messages = getArray(simulation, 'messages');
    if (!messages) {
      const ticks = getArray(simulation, 'ticks') ? ' Those of a spoken one are in `ticks`, which are not read.' : '';
      this.#problems.warn('no-content', pointer, `This simulation has no list of \`messages\`.${ticks}`);
    }
    for (const [index, message] of (messages ?? []).entries()) {
      const place = `${pointer}/messages/${index}`;
      const inner = getArray(message, 'tool_messages');
      if (!inner) yield* this.#message(message, place);
      for (const [position, result] of (inner ?? []).entries()) {
        yield* this.#message(result, `${place}/tool_messages/${position}`);
      }
    }
  }

  *#message(message: unknown, place: Pointer): Generator<Message> {
    const at = isoTime(get(message, 'timestamp'));
    const error = get(message, 'error');
    for (const read of openAiMessage(message, place, this.#problems)) {
      switch (read.role) {
        case 'user':
          yield { ...read, at, calls: callsOf(message, place, this.#problems) };
          break;
        case 'agent':
          yield { ...read, at, model: getString(getObject(message, 'raw_data'), 'model') };
          break;
        case 'result': {
          // Some submissions lack the flag, so the text decides.
          const outcome = typeof error !== 'boolean' ? undefined : error ? 'error' : 'ok';
          yield { ...read, at, call: getId(message, 'id'), outcome };
          break;
        }
        default:
          yield read;
      }
    }
  }
}

/** The reward; without one, what an early end means. */
function outcomeOf(simulation: unknown, pointer: Pointer): RecordedOutcome | undefined {
  const reward = get(getObject(simulation, 'reward_info'), 'reward');
  const graded = outcomeOfReward(reward, 'reward', `${pointer}/reward_info/reward`);
  const termination = getString(simulation, 'termination_reason');
  if (graded || termination === undefined || REGULAR_ENDS.has(termination)) return graded;
  const status = FAILED_ENDS.has(termination) ? 'failed' : 'unknown';
  return outcomeOfEnd(status, `the simulation ended by ${termination.slice(0, 40)}`, `${pointer}/termination_reason`);
}

function checkedActions(simulation: unknown): readonly unknown[] | undefined {
  return getArray(getObject(simulation, 'reward_info'), 'action_checks')?.map((check) => get(check, 'action'));
}

function listedActions(task: unknown): readonly unknown[] | undefined {
  return getArray(getObject(task, 'evaluation_criteria'), 'actions');
}

/** The instructions of the simulated user, as one text or in parts. */
function scenarioOf(task: unknown): Pick<Session, 'goal' | 'profile'> {
  const scenario = getObject(task, 'user_scenario');
  const instructions = get(scenario, 'instructions');
  return {
    goal: typeof instructions === 'string' ? instructions : texts(instructions, 'reason_for_call', 'task_instructions'),
    profile: [texts(scenario, 'persona'), texts(instructions, 'known_info')].filter(Boolean).join('\n\n') || undefined,
  };
}

function texts(value: unknown, ...keys: readonly string[]): string | undefined {
  return keys.flatMap((key) => getString(value, key) || []).join('\n\n') || undefined;
}

/** Expected calls of the agent, with the arguments to compare; all arguments if none are named. */
function expectedCall(action: unknown): ExpectedCall[] {
  const name = getString(action, 'name');
  if (name === undefined || get(action, 'requestor') === 'user') return [];
  const allArguments = getObject(action, 'arguments');
  const compared = getArray(action, 'compare_args');
  if (!compared || !allArguments) return [{ name, arguments: allArguments }];
  const comparedArguments = Object.entries(allArguments).filter(([key]) => compared.includes(key));
  return [comparedArguments.length === 0 ? { name } : { name, arguments: Object.fromEntries(comparedArguments) }];
}

function haveSameIds(actions: readonly unknown[], others: readonly unknown[]): boolean {
  return (
    actions.length === others.length &&
    actions.every((action, index) => getId(action, 'action_id') === getId(others[index], 'action_id'))
  );
}

/** Tools as a list or an object by name, in the form of OpenAI or tau2. */
function toolsIn(definitions: unknown): Tool[] | undefined {
  const list = isObject(definitions)
    ? Object.keys(definitions)
        .sort()
        .map((name) => definitions[name])
    : definitions;
  return toolsOf(Array.isArray(list) ? list.map(definition) : undefined);
}

function definition(tool: unknown): unknown {
  const parameters = getObject(tool, 'params');
  if (!parameters) return tool;
  const description = texts(tool, 'short_desc', 'long_desc') ?? getString(tool, 'doc');
  return { name: get(tool, 'name'), description, parameters };
}
