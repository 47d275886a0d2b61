import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, getString, isObject, type JsonObject, parseJson } from '../../core/json.ts';
import { outcomeOfGrade } from '../../core/recorded-outcome.ts';
import type { Pointer, Session } from '../../core/session.ts';
import {
  buildConversation,
  type LocatedText,
  type Message,
  type RecordedEvent,
} from '../chat/messages/conversation.ts';
import type { ReadResult } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { records } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { argumentsOf, definedEntries } from '../values.ts';

const FORMAT = 'toolbench';

/**
 * Reads answers of ToolBench: a tree of an agent's attempts, depth first. All nodes were executed, so all belong to the
 * turn. The path to the answer, which the file repeats for training, is not read.
 */
export function readToolBench(document: Document): ReadResult {
  const problems = new Problems(document.file);
  const sessions = withUniqueIds(sessionsOf(), problems);
  if (sessions.length === 0) {
    problems.error('no-session', '', 'No answer was found in this file: it has no object `answer_generation`.');
  }
  return { sessions, problems: problems.list() };

  function* sessionsOf(): Generator<Session> {
    for (const [pointer, value] of records(document)) {
      const session = sessionOf(value, pointer, document.file, problems);
      if (session) yield session;
      else problems.error('not-an-answer', pointer, 'Cannot read this answer: it has no object `answer_generation`.');
    }
  }
}

function rootOf(value: unknown): JsonObject | undefined {
  return getObject(getObject(value, 'tree'), 'tree');
}

function sessionOf(value: unknown, pointer: Pointer, file: string, problems: Problems): Session | undefined {
  const generation = getObject(value, 'answer_generation');
  if (!generation) return undefined;
  const { turns } = buildConversation(messagesOf(value, generation, pointer, problems), problems);
  return {
    id: `${stemOf(file)}${pointer.replace('/', '-')}`,
    source: { file, format: FORMAT, pointer },
    goal: getString(generation, 'query'),
    system: systemIn(generation),
    metadata: definedEntries({
      win: get(value, 'win'),
      finish_type: getString(generation, 'finish_type'),
      method: getString(getObject(value, 'forward_args'), 'method'),
    }),
    tools: toolsOf(get(generation, 'function')),
    // An answer was given if true, which does not make it a correct one.
    outcome: get(value, 'win') === false ? outcomeOfGrade(false, 'win', `${pointer}/win`) : undefined,
    turns,
  };
}

/** The instructions are only in the training data. */
function systemIn(generation: JsonObject): string | undefined {
  const [last] = (getArray(generation, 'train_messages') ?? []).slice(-1);
  const system = (Array.isArray(last) ? last : []).find((message) => get(message, 'role') === 'system');
  return getString(system, 'content');
}

function* messagesOf(
  value: unknown,
  generation: JsonObject,
  pointer: Pointer,
  problems: Problems,
): Generator<Message | RecordedEvent, void> {
  const place = `${pointer}/answer_generation`;
  const query = getString(generation, 'query');
  if (query !== undefined) {
    const queryPointer = `${place}/query`;
    yield { role: 'user', pointer: queryPointer, content: { text: query, pointer: queryPointer } };
  }
  const root = rootOf(value);
  if (root) yield* attemptMessages(root, `${pointer}/tree/tree`, problems);
  const answer = answerIn(generation, `${place}/final_answer`);
  if (answer) yield { role: 'answer', pointer: answer.pointer, content: answer };
}

/** `{return_type, final_answer}` as JSON, or plain text; null if the agent gave up. */
function answerIn(generation: JsonObject, pointer: Pointer): LocatedText | null {
  const text = getString(generation, 'final_answer');
  if (text === undefined || text === '') return null;
  const parsed = parseJson(text);
  if (!isObject(parsed)) return { text, pointer };
  const answer = get(parsed, 'return_type') === 'give_up_and_restart' ? undefined : getString(parsed, 'final_answer');
  return answer === undefined ? null : { text: answer, pointer };
}

/** A node of the tree, with the thought and action of its ancestors. */
interface NodeVisit {
  readonly node: unknown;
  readonly pointer: Pointer;
  readonly depth: number;
  /** The model's text for the call in this node. */
  readonly thought?: LocatedText;
  /** The tool of the arguments in this node. */
  readonly action?: { readonly name: string; readonly pointer: Pointer };
}

/** Maximum depth, far beyond that of real trees. */
const MAX_DEPTH = 1000;

/** The messages of all nodes, in the order of execution. */
function* attemptMessages(root: unknown, pointer: Pointer, problems: Problems): Generator<Message, void> {
  const stack: NodeVisit[] = [{ node: root, pointer, depth: 0 }];
  let visited = 0;
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    if (visit.depth > MAX_DEPTH) {
      problems.warn('too-deep', visit.pointer, `Branch skipped: it is more than ${MAX_DEPTH} levels deep.`);
      continue;
    }
    // Calls have no ids, and other branches may repeat the same call.
    visited += 1;
    yield* nodeMessages(visit, `node-${visited}`);
    for (const child of childrenOf(visit).reverse()) stack.push(child);
  }
}

function* nodeMessages({ node, pointer, thought, action }: NodeVisit, id: string): Generator<Message, void> {
  const text = getString(node, 'description');
  const base = { role: 'agent', pointer, content: thought ?? null, answer: null, calls: [] } as const;
  switch (get(node, 'node_type')) {
    case 'Thought':
      // If there is a call below, the thought belongs to it.
      if (text === undefined || firstOf(node, 'Action') !== undefined) return;
      yield { ...base, content: { text, pointer: `${pointer}/description` } };
      return;
    case 'Action':
      if (!text || firstOf(node, 'Action Input') !== undefined) return;
      yield { ...base, calls: [{ pointer, id, name: text, arguments: {} }] };
      return;
    case 'Action Input': {
      if (!action) return;
      const { name, pointer: called } = action;
      yield { ...base, pointer: called, calls: [{ pointer: called, id, name, arguments: argumentsOf(text) }] };
      const value = get(node, 'observation') ?? undefined;
      if (value === undefined) return;
      const outcome = outcomeOf(get(node, 'observation_code'), value);
      yield { role: 'result', pointer, call: id, name, value, valuePointer: `${pointer}/observation`, outcome };
    }
  }
}

function childrenOf({ node, pointer, depth, thought }: NodeVisit): NodeVisit[] {
  const type = get(node, 'node_type');
  const text = getString(node, 'description');
  const own = text === undefined ? undefined : { text, pointer: `${pointer}/description` };
  const [passedOn, heirIndex] =
    type === 'Thought' ? [own, firstOf(node, 'Action')] : [thought, firstOf(node, 'Action Input')];
  return (getArray(node, 'children') ?? []).map((child, index) => ({
    node: child,
    pointer: `${pointer}/children/${index}`,
    depth: depth + 1,
    thought: index === heirIndex ? passedOn : undefined,
    action: type === 'Action' && text ? { name: text, pointer } : undefined,
  }));
}

/** The index of the first child of a type. */
function firstOf(node: unknown, type: string): number | undefined {
  const index = (getArray(node, 'children') ?? []).findIndex((child) => get(child, 'node_type') === type);
  return index < 0 ? undefined : index;
}

/**
 * Codes of ToolBench's server: 0 is a tool result, which may still be an error; 3 and 4 end the run. Other codes are
 * failures: unknown tool, invalid input, timeout, API error.
 */
function outcomeOf(code: unknown, observation: unknown): 'ok' | 'error' | undefined {
  if (code === 3 || code === 4) return 'ok';
  if (typeof code === 'number' && code !== 0) return 'error';
  // Long observations are truncated and not valid JSON.
  return typeof observation === 'string' && /^\{"error": "[^"]/.test(observation) ? 'error' : undefined;
}
