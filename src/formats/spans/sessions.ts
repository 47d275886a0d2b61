import { type NamedValue, outcomeOfScores } from '../../core/recorded-outcome.ts';
import { joinTags, type RecordedOutcome, type Session } from '../../core/session.ts';
import { stemOf, UniqueIds, uniqueTurnId } from '../ids.ts';
import type { Problems } from '../problems.ts';
import { definedEntries, jsonText } from '../values.ts';
import { NO_ATTRIBUTES } from './attributes.ts';
import type { SpanDialect } from './dialect.ts';
import { SPAN_DIALECTS } from './dialects/index.ts';
import { TRACE_TAGS } from './dialects/langfuse.ts';
import { spanScores } from './scores.ts';
import { sessionIdOf } from './session-id.ts';
import type { LogSource, Span, SpanEvent, SpanScore, SpanSource } from './span.ts';
import { buildSpanTree, classifySpans, showsAgent } from './span-tree.ts';
import { compareTimes, timeOrder } from './time.ts';
import { type SpanTrace, walkTraces } from './trace-walker.ts';

/** A trace that is read on demand, so that only the spans of one trace are in memory. */
export interface TraceSource {
  readonly id: string;
  /** The id of its session, if it is known without its spans. */
  readonly session?: string | undefined;
  readonly read: () => readonly Span[];
}

export interface SpanFile {
  readonly file: string;
  readonly format: string;
  readonly problems: Problems;
  /** The dialects that its spans may be in; all of them by default. */
  readonly dialects?: readonly SpanDialect[];
  /** Session metadata from the first span of its first trace. */
  readonly metadata?: (span: Span) => Session['metadata'];
  /** The scores of a session as a whole, where the file has any. */
  readonly sessionScores?: (session: string) => readonly SpanScore[];
}

/** Reads the sessions in the spans and log records of a file. The traces of one conversation are one session. */
export function sessionsOfSpans(
  spans: Iterable<SpanSource>,
  file: SpanFile,
  logs: Iterable<LogSource> = [],
): readonly Session[] {
  return sessionsOfTraces(tracesOf(spans, logs), file);
}

/** Reads the sessions of some traces. Reports a problem if no trace shows an agent's work. */
export function sessionsOfTraces(traces: Iterable<TraceSource>, file: SpanFile): readonly Session[] {
  const { problems, dialects = SPAN_DIALECTS } = file;
  const conversations = new Map<string, TraceSummary[]>();
  let spans = 0;
  for (const trace of traces) {
    const glance = summarizeTrace(trace, dialects, problems);
    spans += glance.spans;
    if (!glance.isAgents) continue;
    const id = trace.session || glance.session || trace.id || stemOf(file.file);
    const spanTraces = conversations.get(id);
    if (spanTraces) spanTraces.push(glance);
    else conversations.set(id, [glance]);
  }
  if (conversations.size === 0) {
    problems.error(
      'no-session',
      '',
      `No agent found in this file: none of its ${spans} spans records the work of a model, a tool or an agent.`,
    );
  }
  return Array.from(conversations, ([id, glances]) => sessionOf(id, glances, file, dialects));
}

/** Groups spans and log records by trace. */
function tracesOf(spans: Iterable<SpanSource>, logs: Iterable<LogSource>): readonly TraceSource[] {
  const traces = new Map<string, { spans: SpanSource[]; logs: LogSource[] }>();
  const traceOf = (id: string) => {
    let trace = traces.get(id);
    if (!trace) {
      trace = { spans: [], logs: [] };
      traces.set(id, trace);
    }
    return trace;
  };
  for (const span of spans) traceOf(span.traceId).spans.push(span);
  for (const log of logs) traceOf(log.traceId).logs.push(log);
  return Array.from(traces, ([id, trace]) => ({
    id,
    session: trace.spans.find(({ session }) => session !== undefined)?.session,
    read: () => readTrace(trace.spans, trace.logs),
  }));
}

/** The spans of a trace without duplicates, with their log records. Records without a span become one. */
function readTrace(sources: readonly SpanSource[], logs: readonly LogSource[]): readonly Span[] {
  const recorded = Map.groupBy(logs, ({ spanId }) => spanId);
  const spans = new Map<string, Span>();
  for (const [index, source] of sources.entries()) {
    const span = source.read();
    const key = span.spanId || `#${index}`;
    // An exporter that retries writes a span twice.
    if (spans.has(key)) continue;
    const events = eventsOf(recorded.get(span.spanId) ?? []);
    recorded.delete(span.spanId);
    spans.set(key, events.length > 0 ? { ...span, events: [...span.events, ...events] } : span);
  }
  for (const [spanId, records] of recorded) {
    const [first] = records;
    if (first) spans.set(spanId, spanFromLogs(first, eventsOf(records)));
  }
  return [...spans.values()];
}

/** In order of time, since exporters send batches in any order. A record with a time that was sent again counts once. */
function eventsOf(records: readonly LogSource[]): readonly SpanEvent[] {
  const seen = new Set<string>();
  const events = records.flatMap(({ value, read }) => {
    const event = read();
    const text = event.at === undefined ? '' : jsonText(value);
    if (seen.has(text)) return [];
    if (text !== '') seen.add(text);
    return [event];
  });
  return events.toSorted((a, b) => compareTimes(a.at, b.at));
}

function spanFromLogs({ traceId, spanId, pointer }: LogSource, events: readonly SpanEvent[]): Span {
  return {
    traceId,
    spanId,
    parentId: undefined,
    name: '',
    scope: '',
    startedAt: events[0]?.at,
    endedAt: events.at(-1)?.at,
    error: undefined,
    attributes: events[0]?.attributes ?? NO_ATTRIBUTES,
    events,
    pointer,
  };
}

/** What must be known of all traces before one is read. */
interface TraceSummary {
  readonly trace: TraceSource;
  readonly spans: number;
  readonly isAgents: boolean;
  readonly session: string | undefined;
  readonly start: number;
}

function summarizeTrace(trace: TraceSource, dialects: readonly SpanDialect[], problems: Problems): TraceSummary {
  const spans = trace.read();
  for (const { hasEndlessDuration, pointer } of spans) {
    if (!hasEndlessDuration) continue;
    problems.error('number-too-large', pointer, 'Ignored the duration of this span: it leads beyond every date.');
  }
  const acts = classifySpans(spans, dialects);
  let start = Number.POSITIVE_INFINITY;
  for (const { span } of acts) start = Math.min(start, timeOrder(span.startedAt));
  const inOrder = (some: readonly Span[]) =>
    some.toSorted((a, b) => timeOrder(a.startedAt) - timeOrder(b.startedAt) || 0);
  const session =
    trace.session ??
    sessionIdOf(inOrder(acts.map(({ span }) => span))) ??
    (acts.length > 0 ? sessionIdOf(inOrder(spans)) : undefined);
  const isAgents = acts.some(showsAgent);
  return { trace, spans: spans.length, isAgents, session, start };
}

function sessionOf(
  id: string,
  glances: readonly TraceSummary[],
  { file, format, problems, metadata = userOf, sessionScores }: SpanFile,
  dialects: readonly SpanDialect[],
): Session {
  const inOrder = glances.toSorted((a, b) => (a.start === b.start ? 0 : a.start - b.start));
  let first: Span | undefined;
  const outcomes: (RecordedOutcome | undefined)[] = [];
  const tags: unknown[] = [];
  const ids = new UniqueIds();
  function* traces(): Generator<SpanTrace> {
    for (const { trace } of inOrder) {
      const spans = trace.read();
      const nodes = buildSpanTree(spans, problems, dialects);
      const span = nodes[0]?.classified.span;
      first ??= span;
      const top = nodes.map(({ classified }) => classified.span);
      const roots = spans.filter(isRootOf(spans));
      outcomes.push(outcomeOfSpans(new Set([...roots, ...top])));
      tags.push(...roots.map(({ attributes }) => attributes.get(TRACE_TAGS, 'tags')));
      yield { id: uniqueTurnId(ids, trace.id || id, span?.pointer ?? '', problems), nodes };
    }
  }
  const { system, tools, turns } = walkTraces(traces(), problems);
  return {
    id,
    source: { file, format, pointer: first?.pointer ?? '' },
    system,
    metadata: first && metadata(first),
    tags: joinTags(tags),
    agentVersion: first && agentVersionOf(first),
    tools,
    outcome: outcomeOfScores(namedScores(sessionScores?.(id) ?? [])) ?? outcomeOfTraces(outcomes),
    turns,
  };
}

/** That of the agent itself, else that of the program around it. */
function agentVersionOf({ attributes, serviceVersion }: Span): string | undefined {
  return attributes.text('gen_ai.agent.version', 'langfuse.release', 'langfuse.version') ?? serviceVersion;
}

function isRootOf(spans: readonly Span[]): (span: Span) => boolean {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return ({ parentId }) => parentId === undefined || !ids.has(parentId);
}

/** What the scores of a whole trace say. Those of spans inside it grade single steps. */
function outcomeOfSpans(roots: Iterable<Span>): RecordedOutcome | undefined {
  return outcomeOfScores(namedScores(Array.from(roots).flatMap(spanScores)));
}

function namedScores(scores: readonly SpanScore[]): NamedValue[] {
  return scores.map(({ name, value, pointer }) => [name, value, pointer]);
}

/** One trace that failed fails the session, which succeeds only if every trace did. */
function outcomeOfTraces(outcomes: readonly (RecordedOutcome | undefined)[]): RecordedOutcome | undefined {
  const known = outcomes.flatMap((outcome) => outcome ?? []);
  const [first] = known;
  const decisive = known.find(({ status }) => status === 'failed') ?? known.find(({ status }) => status === 'unknown');
  if (decisive || !first || known.length === outcomes.length) return decisive ?? first;
  return {
    ...first,
    status: 'unknown',
    reason: `${first.reason}, of ${known.length} of ${outcomes.length} traces only`,
  };
}

function userOf({ attributes }: Span): Session['metadata'] {
  return definedEntries({ user_id: attributes.text('user.id', 'langfuse.user.id', 'ai.telemetry.metadata.userId') });
}
