import { fileOf } from './live-file.ts';
import { factsOfLine, type SpanFacts, type TracePart } from './trace-parts.ts';

/** Files of lines in one folder, each line an export of OTLP with the spans of one trace. */
export interface LineFolder {
  /** Whether so many more bytes may be written; deletes old files for it, but none of those in use. */
  makeRoom(bytes: number, inUse: ReadonlySet<string>): Promise<boolean>;
  append(file: string, lines: string): Promise<void>;
  /** The lines of a trace in a file. */
  read(traceId: string, file: string): Promise<readonly string[]>;
  /** Moves the lines of a trace to the end of another file. @returns whether nothing is left, and the first file is gone */
  move(traceId: string, from: string, to: string): Promise<boolean>;
}

export interface LiveTracesOptions {
  readonly folder: LineFolder;
  /** A session without news for so long is complete. */
  readonly quietMs: number;
  readonly now: () => number;
  /** Files of traces that an earlier process has written. */
  readonly known?: ReadonlyMap<string, string>;
}

/** What changed by some exports. */
export interface LiveChanges {
  /** Files in which a turn is finished, with the span above each of its spans; and those that have lost one to another session. */
  readonly turns: readonly string[];
  /** Files whose session is complete. */
  readonly complete: readonly string[];
  /** Files that are gone, since what was in them turned out to belong to another session. */
  readonly gone: readonly string[];
}

/** The quota allows no more. */
export class FolderFull extends Error {
  override readonly name = 'FolderFull';
}

/** Of spans that show no agent yet, in UTF-16 code units. */
const MAX_PENDING = 32 * 1024 * 1024;

/** Traces whose file is remembered, for spans that come late. */
const MAX_TRACES = 100_000;

interface LiveTrace {
  file: string | null;
  /** Lines that are not written yet: so far, the trace may be of any program. */
  pending: string[];
  pendingSize: number;
  showsAgent: boolean;
  /** Whether the rest is known. It is read from the file where spans come after an earlier process, or after their session was complete. */
  isLoaded: boolean;
  session: SpanFacts['session'];
  readonly spans: Set<string>;
  /** Spans that others are below, and that have not arrived. */
  readonly missing: Set<string>;
}

interface LiveSession {
  lastNews: number;
  readonly traces: Set<LiveTrace>;
}

/**
 * Sorts traces into one file per session as they arrive, in any order. A trace is always in one file. Without a conversation id it has a
 * file of its own; when its conversation becomes known, it moves to the file of that. Calls must not overlap.
 */
export class LiveTraces {
  readonly #options: LiveTracesOptions;
  /** By id, in the order of their last news. */
  readonly #traces = new Map<string, LiveTrace>();
  readonly #sessions = new Map<string, LiveSession>();
  #pendingSize = 0;
  #skippedSpans = 0;

  constructor(options: LiveTracesOptions) {
    this.#options = options;
    for (const [traceId, file] of options.known ?? []) {
      this.#traces.set(traceId, { ...newTrace(), file, showsAgent: true, isLoaded: false });
    }
  }

  /** Spans that were not kept, because nothing in their traces showed an agent. */
  get skippedSpans(): number {
    return this.#skippedSpans;
  }

  /** Spans that wait in memory for one that shows an agent. */
  get pendingSpans(): number {
    let count = 0;
    for (const trace of this.#traces.values()) if (trace.pending.length > 0) count += trace.spans.size;
    return count;
  }

  /** Writes what arrived. @throws FolderFull, or the system's error; what was not written can be sent again */
  async add(parts: readonly TracePart[]): Promise<LiveChanges> {
    const { folder } = this.#options;
    const size = parts.reduce((sum, { line }) => sum + line.length, 0);
    if (!(await folder.makeRoom(size, this.#inUse(parts)))) throw new FolderFull();
    const lines = new Map<string, string[]>();
    const touched = new Set<LiveTrace>();
    const gone: string[] = [];
    const left: string[] = [];
    for (const part of parts) {
      const trace = await this.#traceOf(part.traceId);
      note(trace, part.spans);
      if (!trace.showsAgent) {
        this.#hold(trace, part.line);
        continue;
      }
      touched.add(trace);
      const file = trace.session ? fileOf(trace.session.id) : (trace.file ?? fileOf(part.traceId));
      if (trace.file !== null && trace.file !== file) {
        const list = (await folder.move(part.traceId, trace.file, file)) ? gone : left;
        list.push(trace.file);
        this.#leave(trace, trace.file);
      }
      trace.file = file;
      const ofFile = lines.get(file) ?? [];
      ofFile.push(...trace.pending, part.line);
      lines.set(file, ofFile);
    }
    await Promise.all(Array.from(lines, ([file, ofFile]) => folder.append(file, ofFile.join(''))));
    for (const trace of touched) this.#release(trace);
    this.#forgetOldest();
    return { turns: [...new Set([...this.#finishedTurns(touched), ...left])], complete: [], gone };
  }

  /** What is complete by now, since nothing came for a while or the program said so. */
  complete(ended: Iterable<string> = []): LiveChanges {
    const now = this.#options.now();
    const files = new Set(Array.from(ended, fileOf));
    for (const [file, { lastNews }] of this.#sessions) if (now - lastNews >= this.#options.quietMs) files.add(file);
    const complete = [...files].filter((file) => {
      for (const trace of this.#sessions.get(file)?.traces ?? []) {
        trace.spans.clear();
        trace.missing.clear();
        trace.isLoaded = false;
      }
      return this.#sessions.delete(file);
    });
    return { turns: [], complete, gone: [] };
  }

  /** The files of sessions in progress, those that go on with these parts among them. */
  #inUse(parts: readonly TracePart[]): ReadonlySet<string> {
    const files = new Set(this.#sessions.keys());
    for (const { traceId, spans } of parts) {
      const { file, session } = this.#traces.get(traceId) ?? {};
      if (file) files.add(file);
      for (const { id } of [session, ...spans.map((span) => span.session)].filter((named) => !!named)) {
        files.add(fileOf(id));
      }
    }
    return files;
  }

  async #traceOf(traceId: string): Promise<LiveTrace> {
    const trace = this.#traces.get(traceId) ?? newTrace();
    this.#traces.delete(traceId);
    this.#traces.set(traceId, trace);
    if (!trace.isLoaded && trace.file !== null) {
      for (const line of await this.#options.folder.read(traceId, trace.file)) note(trace, factsOfLine(line));
      trace.isLoaded = true;
    }
    return trace;
  }

  #hold(trace: LiveTrace, line: string): void {
    trace.pending.push(line);
    trace.pendingSize += line.length;
    this.#pendingSize += line.length;
    for (const [id, oldest] of this.#traces) {
      if (this.#pendingSize <= MAX_PENDING) break;
      if (oldest.pending.length > 0) this.#drop(id, oldest);
    }
  }

  #release(trace: LiveTrace): void {
    this.#pendingSize -= trace.pendingSize;
    trace.pending = [];
    trace.pendingSize = 0;
  }

  #drop(id: string, trace: LiveTrace): void {
    if (trace.pending.length > 0) this.#skippedSpans += trace.spans.size;
    this.#release(trace);
    this.#traces.delete(id);
  }

  #forgetOldest(): void {
    for (const [id, trace] of this.#traces) {
      if (this.#traces.size <= MAX_TRACES) break;
      this.#drop(id, trace);
    }
  }

  #leave(trace: LiveTrace, file: string): void {
    const session = this.#sessions.get(file);
    session?.traces.delete(trace);
    if (session?.traces.size === 0) this.#sessions.delete(file);
  }

  #finishedTurns(touched: ReadonlySet<LiveTrace>): readonly string[] {
    const finished = new Set<string>();
    const now = this.#options.now();
    for (const trace of touched) {
      if (trace.file === null) continue;
      const session = this.#sessions.get(trace.file) ?? { lastNews: now, traces: new Set<LiveTrace>() };
      this.#sessions.set(trace.file, session);
      session.lastNews = now;
      session.traces.add(trace);
      if (trace.missing.size === 0) finished.add(trace.file);
    }
    return [...finished];
  }
}

function newTrace(): LiveTrace {
  return {
    file: null,
    pending: [],
    pendingSize: 0,
    showsAgent: false,
    isLoaded: true,
    session: null,
    spans: new Set(),
    missing: new Set(),
  };
}

function note(trace: LiveTrace, spans: readonly SpanFacts[]): void {
  for (const { spanId, parentId, showsAgent, session } of spans) {
    if (spanId !== null) {
      trace.spans.add(spanId);
      trace.missing.delete(spanId);
    }
    if (parentId !== null && !trace.spans.has(parentId)) trace.missing.add(parentId);
    trace.showsAgent ||= showsAgent;
    if (session && (!trace.session || isBefore(session.order, trace.session.order))) trace.session = session;
  }
}

function isBefore(
  [other, start]: readonly [number, number],
  [thanOther, thanStart]: readonly [number, number],
): boolean {
  return other === thanOther ? start < thanStart : other < thanOther;
}
