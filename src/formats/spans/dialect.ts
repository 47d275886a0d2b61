import type { RetrievalStep, Tool } from '../../core/session.ts';
import type { AgentMessage, ExecutionMessage, Message } from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import type { Attribute } from './attributes.ts';
import type { Span } from './span.ts';

/**
 * What a span records of an agent's work: a call of a model, of a tool, a retrieval, the run of an agent, or a piece
 * of a program around those.
 */
export type SpanKind = 'model' | 'tool' | 'retrieval' | 'agent' | 'chain';

/** How an instrumentation writes agents' work into the attributes and events of spans. */
export interface SpanDialect {
  readonly name: string;
  /** What a span is; null when it is nothing of an agent's work, undefined when it is not of this dialect. */
  readonly kindOf: (span: Span) => SpanKind | null | undefined;
  /** Whether what was said was recorded with it. Cheap: nothing is parsed. */
  readonly hasContent: (span: Span) => boolean;
  /** What a model or an agent was given: a whole history mostly, or what the user asked. */
  readonly input: (span: Span, problems: Problems) => readonly Message[];
  /** What it gave back. Of an agent this may start with what it was given. */
  readonly output: (span: Span, problems: Problems) => readonly Message[];
  /** The same as it was recorded, whatever it holds: what a program around agents was called with and returned. */
  readonly raw: (span: Span) => { readonly input: Attribute | undefined; readonly output: Attribute | undefined };
  /** What else is known of a model's answer. */
  readonly details: (span: Span) => SpanAnswerDetails;
  readonly execution: (span: Span, problems: Problems) => SpanExecution;
  readonly retrieval: (span: Span) => SpanRetrieval;
  /** The tools that a model or an agent had. */
  readonly tools: (span: Span) => readonly Tool[] | undefined;
  readonly agentName: (span: Span) => string | undefined;
}

export type SpanAnswerDetails = Partial<Pick<AgentMessage, 'model' | 'finishReason' | 'usage'>>;
export type SpanExecution = Pick<
  ExecutionMessage,
  'call' | 'name' | 'arguments' | 'value' | 'valuePointer' | 'error' | 'outcome'
>;
export type SpanRetrieval = Omit<RetrievalStep, 'type' | 'pointer'>;
