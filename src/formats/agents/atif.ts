import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getNumber, getObject, getString, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import { outcomeInFields } from '../../core/recorded-outcome.ts';
import type { Pointer, RecordedOutcome, Session, TokenUsage, Turn } from '../../core/session.ts';
import {
  buildConversation,
  joinTexts,
  type LocatedText,
  type Message,
  type RequestedCall,
} from '../chat/messages/conversation.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { argumentsOf, definedEntries, isoTime, jsonText, openAiUsage } from '../values.ts';

/**
 * Trajectories in the Agent Trajectory Interchange Format of Harbor and its agents: one, a list, or several by name.
 * Trajectories of sub-agents belong to the step that refers to them. The format has no flag for failed calls, so their
 * results decide.
 */
export const atif: SyncFormat = {
  name: 'atif',
  title: 'ATIF trajectory',
  description: 'A trajectory of Harbor or Terminal-Bench: {schema_version: "ATIF-v1.…", agent, steps}',

  detect({ value }) {
    const several = Array.isArray(value) || !isObject(value) ? value : Object.values(value);
    if (!isTrajectory(value) && !mostly(sample(several), isTrajectory)) return null;
    return 'a `schema_version` of ATIF and `steps` with a `source`';
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(new Trajectories(document, problems).sessions(), problems);
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No trajectory was found in this file: none has a list of `steps`.');
    }
    return { sessions, problems: problems.list() };
  },
};

function isTrajectory(value: unknown): boolean {
  if (!getString(value, 'schema_version')?.startsWith('ATIF-')) return false;
  const steps = getArray(value, 'steps');
  return steps !== undefined && (steps.length === 0 || mostly(sample(steps), isStep));
}

function isStep(value: unknown): boolean {
  return typeof get(value, 'source') === 'string';
}

interface AtifTrajectory {
  readonly value: unknown;
  readonly pointer: Pointer;
}

/** Maximum nesting of sub-agents. */
const MAX_DEPTH = 20;

class Trajectories {
  readonly #file: string;
  readonly #problems: Problems;
  readonly #all: readonly AtifTrajectory[];
  /** Trajectories by the ids that a step may refer to. */
  readonly #byId = new Map<string, AtifTrajectory>();
  /** Pointers of trajectories that are read already: each belongs to one step or is a session. */
  readonly #read = new Set<Pointer>();

  constructor(document: Document, problems: Problems) {
    this.#file = document.file;
    this.#problems = problems;
    this.#all = trajectoriesIn(document);
    for (const trajectory of this.#all) this.#register(trajectory, 0);
  }

  #register(trajectory: AtifTrajectory, depth: number): void {
    for (const key of ['session_id', 'trajectory_id'] as const) {
      const id = getString(trajectory.value, key);
      // Trajectories of a run may share its session id: the first one started the run.
      if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, trajectory);
    }
    if (depth < MAX_DEPTH) for (const inner of embeddedTrajectories(trajectory)) this.#register(inner, depth + 1);
  }

  *sessions(): Generator<Session> {
    const called = new Set(this.#all.flatMap((trajectory) => [...this.#referred(trajectory.value)]));
    const roots = this.#all.filter((trajectory) => !called.has(trajectory));
    // Include trajectories that only refer to each other in a cycle.
    for (const root of [...roots, ...this.#all]) {
      if (!this.#read.has(root.pointer)) yield this.#session(root);
    }
  }

  #session(trajectory: AtifTrajectory): Session {
    const { value, pointer } = trajectory;
    this.#read.add(pointer);
    const agent = getObject(value, 'agent');
    const number = pointer.replaceAll('/', '-');
    return {
      id: getId(value, 'session_id') || getId(value, 'trajectory_id') || `${stemOf(this.#file)}${number}`,
      source: { file: this.#file, format: atif.name, pointer },
      metadata: definedEntries({
        agent: getString(agent, 'name'),
        version: getString(agent, 'version'),
        model: getString(agent, 'model_name'),
        cost: getNumber(getObject(value, 'final_metrics'), 'total_cost_usd'),
        notes: getString(value, 'notes'),
      }),
      agentVersion: getString(agent, 'version'),
      tools: toolsOf(get(agent, 'tool_definitions')),
      outcome: outcomeOf(trajectory),
      ...buildConversation(this.#messages(trajectory, 0), this.#problems),
    };
  }

  *#messages(trajectory: AtifTrajectory, depth: number): Generator<Message> {
    const { value, pointer } = trajectory;
    let carried: Message | null = null;
    for (const [index, step] of (getArray(value, 'steps') ?? []).entries()) {
      const place = `${pointer}/steps/${index}`;
      const copied = get(step, 'is_copied_context') === true;
      const content = textOf(get(step, 'message'), `${place}/message`);
      const at = isoTime(get(step, 'timestamp'));
      switch (get(step, 'source')) {
        case 'system':
          if (content && /\S/.test(content.text)) yield { role: 'system', pointer: place, content };
          break;
        case 'user': {
          const userMessage: Message = { role: 'user', pointer: place, content, at };
          carried = copied ? userMessage : null;
          if (!copied) yield userMessage;
          break;
        }
        case 'agent':
          // Copied steps happened in another trajectory; only unanswered ones belong to this one.
          if (copied) continue;
          if (carried) yield carried;
          carried = null;
          yield {
            role: 'agent',
            pointer: place,
            content,
            reasoning: getString(step, 'reasoning_content'),
            calls: callsOf(step, place, this.#problems),
            model: getString(step, 'model_name'),
            usage: usageOf(getObject(step, 'metrics')),
            at,
          };
          break;
        default:
          this.#problems.warn('not-a-step', place, 'Step skipped: its `source` is not system, user or agent.');
          continue;
      }
      if (!copied) yield* this.#observed(step, place, at, depth);
    }
    // Add sub-agents that no step refers to.
    for (const inner of embeddedTrajectories(trajectory)) yield* this.#subAgent(inner, depth);
  }

  *#observed(step: unknown, place: Pointer, at: string | undefined, depth: number): Generator<Message> {
    const calls = getArray(step, 'tool_calls') ?? [];
    for (const [index, result] of (getArray(getObject(step, 'observation'), 'results') ?? []).entries()) {
      const pointer = `${place}/observation/results/${index}`;
      const call = getId(result, 'source_call_id');
      const text = textOf(get(result, 'content'), `${pointer}/content`);
      // A result without a call is an observation of the agent or the system.
      if (call !== undefined || calls.length > 0) {
        yield { role: 'result', pointer, call, value: text?.text, valuePointer: text?.pointer ?? pointer, at };
      }
      for (const inner of this.#referredBy(result)) yield* this.#subAgent(inner, depth);
    }
  }

  *#subAgent(trajectory: AtifTrajectory, depth: number): Generator<Message> {
    const { value, pointer } = trajectory;
    if (depth >= MAX_DEPTH || this.#read.has(pointer)) return;
    this.#read.add(pointer);
    const agent = getObject(value, 'agent');
    const tools = toolsOf(get(agent, 'tool_definitions'));
    const { turns } = buildConversation(this.#messages(trajectory, depth + 1), this.#problems);
    const turnsWithTools = tools ? turns.map((turn): Turn => ({ ...turn, tools })) : turns;
    yield { role: 'sub-agent', pointer, name: getString(agent, 'name') ?? 'agent', turns: turnsWithTools };
  }

  *#referred(value: unknown): Generator<AtifTrajectory> {
    for (const step of getArray(value, 'steps') ?? []) {
      for (const result of getArray(getObject(step, 'observation'), 'results') ?? []) yield* this.#referredBy(result);
    }
  }

  *#referredBy(result: unknown): Generator<AtifTrajectory> {
    const references = get(result, 'subagent_trajectory_ref');
    for (const reference of Array.isArray(references) ? references : [references]) {
      const id = getString(reference, 'trajectory_id') ?? getString(reference, 'session_id');
      const referred = id === undefined ? undefined : this.#byId.get(id);
      if (referred) yield referred;
    }
  }
}

/** Objects in which Harbor's verifier and its agents note rewards; the trajectory itself has no field for one. */
const REWARD_PATHS: readonly (readonly string[])[] = [
  ['verifier_result', 'rewards'],
  ['final_metrics', 'extra'],
  ['final_metrics'],
  ['extra'],
];

function outcomeOf({ value, pointer }: AtifTrajectory): RecordedOutcome | undefined {
  for (const path of REWARD_PATHS) {
    const fields = path.reduce<unknown>((inner, key) => getObject(inner, key), value);
    const outcome = outcomeInFields(fields, childPointer(pointer, ...path));
    if (outcome) return outcome;
  }
  return undefined;
}

function trajectoriesIn(document: Document): readonly AtifTrajectory[] {
  const { value } = document;
  if (Array.isArray(value) || getArray(value, 'steps')) {
    return Array.from(records(document), ([pointer, value]) => ({ value, pointer })).filter(hasSteps);
  }
  if (!isObject(value)) return [];
  const names = Object.keys(value).sort();
  return names.map((name) => ({ value: value[name], pointer: childPointer('', name) })).filter(hasSteps);
}

function hasSteps({ value }: AtifTrajectory): boolean {
  return getArray(value, 'steps') !== undefined;
}

function embeddedTrajectories({ value, pointer }: AtifTrajectory): readonly AtifTrajectory[] {
  const list = getArray(value, 'subagent_trajectories') ?? [];
  return list
    .map((inner, index) => ({ value: inner, pointer: `${pointer}/subagent_trajectories/${index}` }))
    .filter(hasSteps);
}

function callsOf(step: unknown, place: Pointer, problems: Problems): readonly RequestedCall[] {
  return (getArray(step, 'tool_calls') ?? []).flatMap((call, index): RequestedCall[] => {
    const pointer = `${place}/tool_calls/${index}`;
    const name = getString(call, 'function_name');
    if (name)
      return [{ pointer, id: getId(call, 'tool_call_id'), name, arguments: argumentsOf(get(call, 'arguments')) }];
    problems.warn('call-without-name', pointer, 'Tool call skipped: it has no tool name.');
    return [];
  });
}

function usageOf(metrics: unknown): TokenUsage | undefined {
  const usage = openAiUsage(metrics);
  return (
    usage && {
      ...usage,
      cachedTokens: getNumber(metrics, 'cached_tokens') ?? usage.cachedTokens,
      cost: getNumber(metrics, 'cost_usd') ?? usage.cost,
    }
  );
}

/** A text, or the texts of a list of parts; null if there is none. */
function textOf(content: unknown, pointer: Pointer): LocatedText | null {
  if (typeof content === 'string') return { text: content, pointer };
  if (content === undefined || content === null) return null;
  if (!Array.isArray(content)) return { text: jsonText(content), pointer };
  const texts = content.flatMap((part, index): LocatedText[] => {
    const text = getString(part, 'text');
    return text === undefined ? [] : [{ text, pointer: `${pointer}/${index}/text` }];
  });
  return joinTexts(texts, pointer);
}
