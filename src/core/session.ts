import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type * as schemas from './schemas/session.ts';

/** An RFC 6901 JSON pointer. In a JSON Lines file its first token is the zero-based number of the line. */
export type Pointer = z.infer<typeof schemas.pointerSchema>;
export interface Source extends DeepReadonly<z.infer<typeof schemas.sourceSchema>> {}
export interface Session extends DeepReadonly<z.infer<typeof schemas.sessionSchema>> {}
export interface ScenarioLocation extends DeepReadonly<z.infer<typeof schemas.scenarioLocationSchema>> {}
export interface Suppression extends DeepReadonly<z.infer<typeof schemas.suppressionSchema>> {}
export interface Feedback extends DeepReadonly<z.infer<typeof schemas.feedbackSchema>> {}
export interface RecordedOutcome extends DeepReadonly<z.infer<typeof schemas.recordedOutcomeSchema>> {}
export interface SessionEnding extends DeepReadonly<z.infer<typeof schemas.sessionEndingSchema>> {}
export interface Task extends DeepReadonly<z.infer<typeof schemas.taskSchema>> {}
export interface Tool extends DeepReadonly<z.infer<typeof schemas.toolSchema>> {}
export interface SessionReference extends DeepReadonly<z.infer<typeof schemas.sessionReferenceSchema>> {}
export type ImportedScores = DeepReadonly<z.infer<typeof schemas.importedScoresSchema>>;
export interface ImportedFailure extends DeepReadonly<z.infer<typeof schemas.importedFailureSchema>> {}
export interface Turn extends DeepReadonly<z.infer<typeof schemas.turnSchema>> {}
export interface TurnReference extends DeepReadonly<z.infer<typeof schemas.turnReferenceSchema>> {}
export interface ExpectedCall extends DeepReadonly<z.infer<typeof schemas.expectedCallSchema>> {}
export type Step = ModelStep | ToolStep | RetrievalStep | AgentStep;
export interface ModelStep extends DeepReadonly<z.infer<typeof schemas.modelStepSchema>> {}
export interface TokenUsage extends DeepReadonly<z.infer<typeof schemas.tokenUsageSchema>> {}
export type ToolOutcome = z.infer<typeof schemas.toolOutcomeSchema>;
export interface ToolStep extends DeepReadonly<z.infer<typeof schemas.toolStepSchema>> {}
export interface RetrievalStep extends DeepReadonly<z.infer<typeof schemas.retrievalStepSchema>> {}
export interface AgentStep extends DeepReadonly<z.infer<typeof schemas.agentStepSchema>> {}

/** The agent's tool calls of a turn, in order; a simulated user's own calls are not the agent's. */
export function agentToolCalls(turn: Turn): ToolStep[] {
  return turn.steps.filter((step): step is ToolStep => step.type === 'tool' && step.requestedBy === 'agent');
}

/** The tools that were available in a turn; undefined when the trace does not say. */
export function availableTools(session: Session, turn: Turn): readonly Tool[] | undefined {
  return turn.tools ?? session.tools;
}

/** The file that a turn was read from. */
export function turnFile(session: Session, turn: Turn): string {
  return turn.file ?? session.source.file;
}

/** All tags of these lists, each once; undefined where there is none. Whatever is no text is left out. */
export function joinTags(lists: Iterable<unknown>): string[] | undefined {
  const tags = Array.from(lists, (list) => (Array.isArray(list) ? list : [])).flat();
  const names = new Set(tags.filter((tag) => typeof tag === 'string' && tag !== ''));
  return names.size === 0 ? undefined : [...names];
}
