import type { Document } from '../../core/document.ts';
import { get, getArray, getString, isObject } from '../../core/json.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { type Attribute, Attributes } from './attributes.ts';
import { COMPLETION, langSmith as dialect, EXTRA, INPUTS, OUTPUTS, PROMPT, RUN_TYPE } from './dialects/langsmith.ts';
import { fieldOf, type LocatedField, scoreEvent, textOf } from './located-fields.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { Span, SpanEvent, SpanSource } from './span.ts';
import { preciseIsoTime } from './time.ts';

/** LangSmith runs. A trace is usually one turn; the traces of a conversation are a session. */
export const langSmith: SyncFormat = {
  name: 'langsmith',
  title: 'LangSmith runs',
  description:
    'Runs of LangSmith as trees, as a list or lines, or as batches {post, patch}; traces of one thread are joined',
  joins: 'session-id',

  detect({ value, lines }) {
    const entries = Array.isArray(value) ? sample(value) : [value];
    if (mostly(entries, isRun)) return lines ? 'a LangSmith run on every line' : 'a LangSmith run with a `run_type`';
    if (mostly(entries, isBatch)) return 'a batch of LangSmith runs in `post` and `patch`';
    const runs = getArray(value, 'runs');
    return runs && mostly(sample(runs), isRun) ? 'an object with LangSmith runs in `runs`' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sources = spansOf(runsOf(document, problems));
    const file = { file: document.file, format: langSmith.name, problems, dialects: [dialect] };
    return { sessions: sessionsOfSpans(sources, file), problems: problems.list() };
  },
};

const RUN_TYPES: ReadonlySet<unknown> = new Set(['llm', 'chain', 'tool', 'retriever', 'embedding', 'prompt', 'parser']);

/** Keys of runs in a batch, in a page of the API, and in a parent run. */
const LISTS = ['post', 'patch', 'runs', 'child_runs'] as const;

function isRun(value: unknown): boolean {
  if (!RUN_TYPES.has(get(value, 'run_type')) || idOf(value) === undefined) return false;
  const inputs = get(value, 'inputs');
  return (
    getString(value, 'trace_id') !== undefined ||
    getArray(value, 'child_runs') !== undefined ||
    isObject(inputs) ||
    typeof inputs === 'string'
  );
}

/** Whether a value is a batch of an SDK: started runs and updates of finished runs. */
function isBatch(value: unknown): boolean {
  const sent = [...sample(getArray(value, 'post') ?? []), ...sample(getArray(value, 'patch') ?? [])];
  return mostly(sent, (run) => isRun(run) || (idOf(run) !== undefined && getString(run, 'dotted_order') !== undefined));
}

function idOf(run: unknown): string | undefined {
  return getString(run, 'id') || getString(run, 'run_id') || undefined;
}

/** The parts of one run, in file order. */
interface LangSmithRun {
  readonly id: string;
  readonly parts: LocatedField[];
  /** The ids of the parent run and of the root run. */
  readonly parent: string | undefined;
  readonly root: string;
}

/** The runs of a document at any level. The entries of a batch in `post` and `patch` are parts of one run. */
function runsOf(document: Document, problems: Problems): readonly LangSmithRun[] {
  const runs = new Map<string, LangSmithRun>();
  const open: (LocatedField & { readonly parent?: LangSmithRun })[] = [];
  for (const [pointer, value] of records(document)) open.push({ value, pointer });
  open.reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, pointer, parent } = next;
    const id = idOf(value);
    let run = id === undefined ? undefined : runs.get(id);
    if (id !== undefined && !run) {
      run = { id, parts: [], parent: parent?.id, root: parent?.root ?? id };
      runs.set(id, run);
    }
    run?.parts.push({ value, pointer });
    const lists = LISTS.filter((key) => getArray(value, key));
    if (!run && lists.length === 0) {
      problems.warn('not-a-run', pointer, 'Entry skipped: it has no run `id`.');
    }
    for (const key of lists.toReversed()) {
      const inner = getArray(value, key) ?? [];
      for (let index = inner.length - 1; index >= 0; index -= 1) {
        open.push({ value: inner[index], pointer: `${pointer}/${key}/${index}`, ...(run && { parent: run }) });
      }
    }
  }
  return [...runs.values()];
}

/** A segment of a dotted order, the times and ids of a run and its ancestors: `20240101T120000000000Z<id>.…`. */
const SEGMENT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3,9})Z(.+)$/;

function spansOf(runs: readonly LangSmithRun[]): readonly SpanSource[] {
  const sessions = new Map<string, string>();
  const placed = runs.map((run) => {
    const path = textOf(run.parts, 'dotted_order')?.split('.') ?? [];
    const [, ...first] = SEGMENT.exec(path[0] ?? '') ?? [];
    const traceId = textOf(run.parts, 'trace_id') ?? first.at(-1) ?? run.root;
    const session = sessionOf(run.parts);
    if (session !== undefined && !sessions.has(traceId)) sessions.set(traceId, session);
    return { run, path, traceId };
  });
  return placed.map(({ run, path, traceId }) => ({
    traceId,
    session: sessions.get(traceId),
    read: () => spanOf(run, path, traceId),
  }));
}

/** The session id in the metadata. `session_id` of a run is that of its project. */
function sessionOf(parts: readonly LocatedField[]): string | undefined {
  const metadata = get(parseQuotedJson(fieldOf(parts, 'extra')?.value), 'metadata');
  for (const key of ['session_id', 'conversation_id', 'thread_id'] as const) {
    const id = getString(metadata, key);
    if (id) return id;
  }
  return undefined;
}

function spanOf({ id, parts, parent }: LangSmithRun, path: readonly string[], traceId: string): Span {
  const entries = new Map<string, Attribute>();
  for (const [key, ...fields] of FIELDS) {
    const field = fieldOf(parts, ...fields);
    if (field) entries.set(key, field);
  }
  const above = SEGMENT.exec(path.at(-2) ?? '')?.at(-1);
  return {
    traceId,
    spanId: id,
    parentId: textOf(parts, 'parent_run_id') ?? parent ?? above,
    name: textOf(parts, 'name') ?? '',
    scope: 'langsmith',
    startedAt: momentOfSegment(path.at(-1)) ?? utc(preciseIsoTime(fieldOf(parts, 'start_time')?.value)),
    endedAt: utc(preciseIsoTime(fieldOf(parts, 'end_time')?.value)),
    error: failureOf(parts),
    attributes: new Attributes(entries),
    events: feedbackOf(parts),
    pointer: parts[0]?.pointer ?? '',
  };
}

const FIELDS = [
  [RUN_TYPE, 'run_type'],
  [INPUTS, 'inputs'],
  [OUTPUTS, 'outputs'],
  [EXTRA, 'extra'],
  [PROMPT, 'prompt_tokens'],
  [COMPLETION, 'completion_tokens'],
  ['tags', 'tags'],
] as const;

function momentOfSegment(segment: string | undefined): string | undefined {
  const [, year, month, day, hour, minute, second, fraction] = SEGMENT.exec(segment ?? '') ?? [];
  if (fraction === undefined) return undefined;
  const moment = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}Z`;
  return Number.isNaN(Date.parse(moment)) ? undefined : moment;
}

/** Adds the time zone, which LangSmith's API omits. */
function utc(moment: string | undefined): string | undefined {
  return moment !== undefined && /T[\d:.]+$/.test(moment) ? `${moment}Z` : moment;
}

/** The error of a run, without its stack trace. */
function failureOf(parts: readonly LocatedField[]): string | undefined {
  const error = textOf(parts, 'error');
  if (error === undefined) {
    return textOf(parts, 'status') === 'error' ? 'The run has the status "error" and no message.' : undefined;
  }
  const python = error.indexOf('Traceback (most recent call last):');
  if (python > 0) return error.slice(0, python).trimEnd();
  const stack = error.indexOf('\n    at ');
  if (stack < 0) return error;
  // The message precedes the stack trace twice, separated by a blank line.
  const messages = error.slice(0, stack);
  const second = messages.lastIndexOf('\n\n');
  return second > 0 ? messages.slice(0, second) : messages;
}

/** Mean feedback scores of a run, by name. */
function feedbackOf(parts: readonly LocatedField[]): readonly SpanEvent[] {
  const field = fieldOf(parts, 'feedback_stats');
  const stats = parseQuotedJson(field?.value);
  if (!field || !isObject(stats)) return [];
  return Object.entries(stats).flatMap(([name, stat]) => scoreEvent(name, get(stat, 'avg'), field.pointer) ?? []);
}
