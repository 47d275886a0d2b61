import { get, getArray, getId, getObject, getString } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer, Tool } from '../../core/session.ts';
import type { LocatedText } from '../chat/messages/conversation.ts';
import { inspectUsage, type SampleContext } from '../chat/messages/inspect.ts';
import { toolsOf } from '../tools.ts';
import { isoTime } from '../values.ts';

/** The events and attachments of an Inspect AI sample. */
export interface SampleEvents extends SampleContext {
  /** Undefined if no model call is recorded. */
  readonly tools: readonly Tool[] | undefined;
  /** Agents that ran as tools, by call id. Handoffs are not included, since their messages are the sample's. */
  readonly subAgents: Map<string, InspectSubAgent>;
}

export interface InspectSubAgent {
  readonly name: string;
  readonly pointer: Pointer;
  readonly tools: readonly Tool[] | undefined;
  /** All its messages: input and output of its last model call. */
  readonly messages: readonly (readonly [Pointer, unknown])[];
}

/**
 * Maximum number of messages of all sub-agents of a sample. They share a pool, so a small file could refer to very
 * many.
 */
const MAX_SUB_AGENT_MESSAGES = 100_000;

/** Reads the events of a sample; `pointer` is the sample's. */
export function eventsOf(sample: unknown, pointer: Pointer): SampleEvents {
  const events = getArray(sample, 'events') ?? [];
  const answers = new Map<string, ReturnType<typeof answerOf>>();
  const ends = new Map<string, string>();
  const spans = new AgentSpans(events);
  const tools = new Map<string, Tool>();
  const lastOf = new Map<string, number>();
  let called = false;
  for (const [index, event] of events.entries()) {
    if (get(event, 'event') === 'tool') {
      const end = isoTime(get(event, 'completed'));
      if (end !== undefined) ends.set(getId(event, 'id') ?? '', end);
    }
    if (get(event, 'event') !== 'model') continue;
    const message = messageOf(event);
    const id = getString(message, 'id');
    if (id !== undefined) answers.set(id, answerOf(event));
    const agent = spans.agentAround(getString(event, 'span_id'));
    if (agent !== undefined) {
      lastOf.set(agent, index);
      continue;
    }
    called = true;
    for (const tool of toolsOf(get(event, 'tools')) ?? []) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
  const subAgents = new Map<string, InspectSubAgent>();
  let messageCount = 0;
  for (const [span, { call, name }] of spans.agents) {
    const last = lastOf.get(span);
    if (last === undefined || messageCount > MAX_SUB_AGENT_MESSAGES) continue;
    const event = events[last];
    const place = `${pointer}/events/${last}`;
    const messages = historyOf(event, place, sample, pointer);
    subAgents.set(call, { name, pointer: place, tools: toolsOf(get(event, 'tools')), messages });
    messageCount += messages.length;
  }
  const resolve = (text: LocatedText) => resolveAttachment(text, sample, pointer);
  return { answers, ends, resolve, tools: called ? [...tools.values()] : undefined, subAgents };
}

/** The spans of agents that ran as tools, and what they contain. */
class AgentSpans {
  /** The call of each agent span. */
  readonly agents = new Map<string, { readonly call: string; readonly name: string }>();
  readonly #parents = new Map<string, string>();
  readonly #nearest = new Map<string, string | undefined>();

  constructor(events: readonly unknown[]) {
    const names = new Map<string, string>();
    for (const event of events) {
      if (get(event, 'event') !== 'span_begin') continue;
      const id = getString(event, 'id') ?? '';
      names.set(id, getString(event, 'name') ?? '');
      const parent = getString(event, 'parent_id');
      if (parent !== undefined) this.#parents.set(id, parent);
    }
    for (const event of events) {
      const span = getString(event, 'agent_span_id');
      const call = getId(event, 'id');
      if (get(event, 'event') !== 'tool' || span === undefined || call === undefined) continue;
      // `agent` is set for a handoff.
      if (getString(event, 'agent') === undefined) {
        this.agents.set(span, { call, name: names.get(span) || getString(event, 'function') || 'agent' });
      }
    }
  }

  /** The nearest agent span that contains a span, or the span itself. Visits each span once. */
  agentAround(span: string | undefined): string | undefined {
    const passed: string[] = [];
    let at = span;
    while (at !== undefined && !this.#nearest.has(at)) {
      const isAgent = this.agents.has(at);
      // Set before continuing, to end cycles.
      this.#nearest.set(at, isAgent ? at : undefined);
      passed.push(at);
      if (isAgent) break;
      at = this.#parents.get(at);
    }
    const nearest = at === undefined ? undefined : this.#nearest.get(at);
    for (const event of passed) this.#nearest.set(event, nearest);
    return nearest;
  }
}

function messageOf(event: unknown): unknown {
  return get(getArray(getObject(event, 'output'), 'choices')?.[0], 'message');
}

function answerOf(event: unknown) {
  const output = getObject(event, 'output');
  const startedAt = isoTime(get(event, 'timestamp'));
  const completedAt = isoTime(get(event, 'completed'));
  return {
    at: startedAt ?? completedAt,
    endedAt: startedAt === undefined ? undefined : completedAt,
    model: getString(output, 'model') ?? getString(event, 'model'),
    finishReason: getString(getArray(output, 'choices')?.[0], 'stop_reason'),
    usage: inspectUsage(getObject(output, 'usage')),
  };
}

/** The messages of an event: in the event itself, or as ranges of indices into a shared pool. */
function historyOf(
  event: unknown,
  pointer: Pointer,
  sample: unknown,
  samplePointer: Pointer,
): readonly (readonly [Pointer, unknown])[] {
  const history: (readonly [Pointer, unknown])[] = [];
  for (const [index, message] of (getArray(event, 'input') ?? []).entries()) {
    history.push([`${pointer}/input/${index}`, message]);
  }
  const pool = getArray(getObject(sample, 'events_data'), 'messages') ?? [];
  for (const range of getArray(event, 'input_refs') ?? []) {
    const [from, to] = [endOf(range, 0), Math.min(endOf(range, 1), pool.length)];
    // A history is never longer than the pool.
    for (let index = from; index < to && history.length <= pool.length; index += 1) {
      history.push([`${samplePointer}/events_data/messages/${index}`, pool[index]]);
    }
  }
  const answer = messageOf(event);
  if (answer !== undefined) history.push([`${pointer}/output/choices/0/message`, answer]);
  return history;
}

function endOf(range: unknown, end: 0 | 1): number {
  const value: unknown = Array.isArray(range) ? range[end] : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0;
}

const REFERENCE = 'attachment://';

function resolveAttachment(text: LocatedText, sample: unknown, pointer: Pointer): LocatedText {
  if (!text.text.startsWith(REFERENCE)) return text;
  const hash = text.text.slice(REFERENCE.length);
  const content = getString(getObject(sample, 'attachments'), hash);
  return content === undefined ? text : { text: content, pointer: childPointer(pointer, 'attachments', hash) };
}
