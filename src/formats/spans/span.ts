import type { Pointer } from '../../core/session.ts';
import type { Attribute, Attributes } from './attributes.ts';

/** A span in a common form for all span formats. */
export interface Span {
  /** As written: hexadecimal, Base64 or decimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  /** The instrumentation that recorded the span. */
  readonly scope: string;
  /** ISO 8601, with nanoseconds if they were recorded. */
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  /** A duration that leads beyond every date, and is ignored. */
  readonly hasEndlessDuration?: true;
  /** The error message; undefined if the span did not fail. */
  readonly error: string | undefined;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** Scores by people or other tools that the file keeps next to the span. */
  readonly scores?: readonly SpanScore[];
  readonly pointer: Pointer;
  /** Of the program that recorded it, as its resource says. */
  readonly serviceVersion?: string;
}

/** A score of a span, by people or by other tools. */
export interface SpanScore {
  readonly name: string;
  readonly value: number | string;
  readonly pointer: Pointer;
}

/** An event of a span, or a log record that refers to the span. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
  readonly at?: string | undefined;
  /** Of a log record. */
  readonly body: Attribute | undefined;
}

/** A span that is read on demand, so that only the spans of one session are in memory. */
export interface SpanSource {
  readonly traceId: string;
  /** The id of its session, if the file has it next to the spans. */
  readonly session?: string;
  readonly read: () => Span;
}

/** A log record of a span. */
export interface LogSource {
  readonly traceId: string;
  readonly spanId: string;
  readonly value: unknown;
  readonly read: () => SpanEvent;
  readonly pointer: Pointer;
}
