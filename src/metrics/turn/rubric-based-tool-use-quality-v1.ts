import type { MetricOutcome } from '../../core/result.ts';
import { availableTools } from '../../core/session.ts';
import { judgedTurn, notApplicable } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { askRubrics, requireRubrics, rubricOptions } from '../shared/rubrics.ts';

const INSTRUCTIONS = `Does each of the statements below hold of how the agent used its tools in this turn?
Look at the calls: which were made, with what arguments, in what order, how often, and what the agent did about their results and errors. Not at the wording of the answer, and not at what the agent says that it called.
"yes" where the calls have what the statement says; "no" where they lack it or have it in part only: a statement that demands a call is "no" where none was made; null only where the statement has a condition that did not come up in this turn, or where the record leaves out what would tell.
Read each statement by its words, ask no more than it says, and judge it alone. Calls of sub-agents, searches for documents, and calls that failed or that the user refused were made by the agent; calls of the user were not. Calls of earlier turns count only where the statement is about the whole conversation.`;

/** As for the final response, with rubrics about the use of tools. */
export const rubricBasedToolUseQualityV1 = judgedTurn({
  name: 'rubric_based_tool_use_quality_v1',
  question: 'Does the use of tools meet the rubrics?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['rubrics'],
  options: rubricOptions,
  precheck: (view, options) => requireRubrics(view, options) ?? requireTools(view),
  ask: askRubrics('rubric_based_tool_use_quality_v1', INSTRUCTIONS),
});

const NO_TOOLS = notApplicable('The agent used no tools in this turn, and the trace names none.');

/** A rubric may require a call that was not made, so a turn with tools but without calls is judged too. */
function requireTools({ session, turn }: TurnView): MetricOutcome | null {
  const used = turn.steps.some((step) => (step.type === 'tool' ? step.requestedBy === 'agent' : step.type !== 'model'));
  return used || (availableTools(session, turn)?.length ?? 0) > 0 ? null : NO_TOOLS;
}
