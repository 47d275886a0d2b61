import type { RetrievalStep, Tool } from '../../core/session.ts';
import type { AgentMessage, ExecutionMessage, Message } from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import type { Attribute } from './attributes.ts';
import type { Span } from './span.ts';

/**
 * The part of an agent's work that a span records: a model call, a tool call, a retrieval, an agent run, or a part of
 * the program around them.
 */
export type SpanKind = 'model' | 'tool' | 'retrieval' | 'agent' | 'chain';

/** How an instrumentation records an agent's work in the attributes and events of spans. */
export interface SpanDialect {
  readonly name: string;
  /** The kind of a span; null if it is not part of an agent's work, undefined if it is in another dialect. */
  readonly kindOf: (span: Span) => SpanKind | null | undefined;
  /** Whether the content was recorded. Cheap: nothing is parsed. */
  readonly hasContent: (span: Span) => boolean;
  /** The input of a model or an agent: usually the whole history, or what the user asked. */
  readonly input: (span: Span, problems: Problems) => readonly Message[];
  /** The output of a model or an agent. An agent's output may begin with its input. */
  readonly output: (span: Span, problems: Problems) => readonly Message[];
  /** The recorded input and output as they are, for a program around agents. */
  readonly raw: (span: Span) => { readonly input: Attribute | undefined; readonly output: Attribute | undefined };
  /** Other properties of a model's answer. */
  readonly details: (span: Span) => SpanAnswerDetails;
  readonly execution: (span: Span, problems: Problems) => SpanExecution;
  readonly retrieval: (span: Span) => SpanRetrieval;
  /** The tools available to a model or an agent. */
  readonly tools: (span: Span) => readonly Tool[] | undefined;
  readonly agentName: (span: Span) => string | undefined;
}

export type SpanAnswerDetails = Partial<Pick<AgentMessage, 'model' | 'finishReason' | 'usage'>>;
export type SpanExecution = Pick<
  ExecutionMessage,
  'call' | 'name' | 'arguments' | 'value' | 'valuePointer' | 'error' | 'outcome'
>;
export type SpanRetrieval = Omit<RetrievalStep, 'type' | 'pointer'>;
