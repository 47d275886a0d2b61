import type { Document } from '../core/document.ts';
import { get, getArray, getNumber, getObject, getString, isObject } from '../core/json.ts';
import type { ExpectedCall, Pointer, Session, ToolStep, Turn, TurnReference } from '../core/session.ts';
import type { SyncFormat } from './format.ts';
import { stemOf, UniqueIds, uniqueTurnId, withUniqueIds } from './ids.ts';
import { Problems } from './problems.ts';
import { mostly, records, sample } from './records.ts';
import { argumentsOf, definedEntries, errorOf } from './values.ts';

/** Fair Forge datasets: questions with answers, the tools used, and the expected answers and tools. */
export const fairForge: SyncFormat = {
  name: 'fair-forge',
  title: 'Fair Forge dataset',
  description: 'A dataset of {session_id, conversation: [{query, assistant, agentic, …}]}, a list of them, or JSONL',

  detect({ value }) {
    return mostly(sample(value), isDataset) ? 'a `session_id` and a `conversation` of `query` and `assistant`' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const assistants = assistantsOfSessions(document);
    const sessions = withUniqueIds(sessionsOf(), problems);
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No dataset was found in this file: none has a list in `conversation`.');
    }
    return { sessions, problems: problems.list() };

    function* sessionsOf(): Generator<Session> {
      for (const [pointer, dataset] of records(document)) {
        const session = sessionOf(dataset, pointer, { file: document.file, assistants, problems });
        if (session) yield session;
        else problems.error('not-a-dataset', pointer, 'Cannot read this dataset: it has no list in `conversation`.');
      }
    }
  },
};

function isDataset(value: unknown): boolean {
  const [first] = getArray(value, 'conversation') ?? [];
  return (
    typeof get(value, 'session_id') === 'string' &&
    typeof get(first, 'query') === 'string' &&
    typeof get(first, 'assistant') === 'string'
  );
}

/** By the id of a session: several assistants have the same conversations, to be compared. */
function assistantsOfSessions(document: Document): ReadonlyMap<string, ReadonlySet<string>> {
  const assistants = new Map<string, Set<string>>();
  for (const [, dataset] of records(document)) {
    const session = getString(dataset, 'session_id');
    const assistant = getString(dataset, 'assistant_id');
    if (session === undefined || !assistant) continue;
    const known = assistants.get(session);
    if (known) known.add(assistant);
    else assistants.set(session, new Set([assistant]));
  }
  return assistants;
}

interface DatasetFile {
  readonly file: string;
  readonly assistants: ReadonlyMap<string, ReadonlySet<string>>;
  readonly problems: Problems;
}

function sessionOf(
  dataset: unknown,
  pointer: Pointer,
  { file, assistants, problems }: DatasetFile,
): Session | undefined {
  const conversation = getArray(dataset, 'conversation');
  if (!conversation) return undefined;
  const ids = new UniqueIds();
  const id = getString(dataset, 'session_id');
  const assistant = getString(dataset, 'assistant_id') || undefined;
  const isShared = id !== undefined && assistant !== undefined && (assistants.get(id)?.size ?? 0) > 1;
  return {
    id: isShared ? `${id}-${assistant}` : (id ?? `${stemOf(file)}${pointer.replace('/', '-')}`),
    source: { file, format: fairForge.name, pointer },
    system: getString(dataset, 'context') || undefined,
    metadata: definedEntries({ assistant_id: assistant, language: getString(dataset, 'language') }),
    task: id === undefined ? undefined : { id, agent: assistant },
    turns: conversation.flatMap((interaction, index) => {
      const place = `${pointer}/conversation/${index}`;
      if (isObject(interaction)) return turnOf(interaction, place, ids, index, problems);
      problems.warn('not-a-turn', place, 'Interaction skipped: it is not an object.');
      return [];
    }),
  };
}

function turnOf(interaction: unknown, place: Pointer, ids: UniqueIds, index: number, problems: Problems): Turn {
  const input = getString(interaction, 'query');
  const output = getString(interaction, 'assistant');
  return {
    id: uniqueTurnId(ids, getString(interaction, 'qa_id') || `t${index + 1}`, place, problems),
    pointer: place,
    input: input ?? null,
    inputPointer: input === undefined ? undefined : `${place}/query`,
    output: output || null,
    outputPointer: output ? `${place}/assistant` : undefined,
    steps: stepsOf(getArray(get(interaction, 'agentic'), 'tools_used') ?? [], `${place}/agentic/tools_used`, problems),
    reference: referenceOf(interaction),
  };
}

/** The tool calls of an answer. A missing result means that it was not recorded. */
function stepsOf(used: readonly unknown[], pointer: Pointer, problems: Problems): ToolStep[] {
  return used.flatMap((tool, index) => {
    const place = `${pointer}/${index}`;
    const name = getString(tool, 'tool_name');
    if (name === undefined) {
      problems.warn('call-without-name', place, 'Tool call skipped: it has no `tool_name`.');
      return [];
    }
    const result = get(tool, 'result');
    const error = errorOf(result);
    return {
      type: 'tool',
      pointer: place,
      resultPointer: result === undefined ? undefined : `${place}/result`,
      name,
      arguments: argumentsOf(get(tool, 'parameters')),
      result,
      error,
      outcome: error === undefined ? 'ok' : 'error',
      requestedBy: 'agent',
      step: getNumber(tool, 'step'),
    };
  });
}

function referenceOf(interaction: unknown): TurnReference | undefined {
  const response = getString(interaction, 'ground_truth_assistant');
  const expected = getObject(interaction, 'ground_truth_agentic');
  const usesToolResults = get(get(interaction, 'agentic'), 'final_answer_uses_tools');
  const orderMatters = get(expected, 'tool_sequence_matters');
  const tools = getArray(expected, 'expected_tools');
  if (response === undefined && !tools && typeof usesToolResults !== 'boolean') return undefined;
  return {
    response,
    toolCalls: tools?.flatMap(expectedCall),
    orderMatters: typeof orderMatters === 'boolean' ? orderMatters : undefined,
    usesToolResults: typeof usesToolResults === 'boolean' ? usesToolResults : undefined,
  };
}

function expectedCall(tool: unknown): ExpectedCall[] {
  const name = getString(tool, 'tool_name');
  if (name === undefined) return [];
  return [{ name, arguments: getObject(tool, 'parameters'), step: getNumber(tool, 'step') }];
}
