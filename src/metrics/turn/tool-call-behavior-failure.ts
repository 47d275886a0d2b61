import type { MetricOutcome } from '../../core/result.ts';
import { agentToolCalls, availableTools } from '../../core/session.ts';
import { TOOL_FAILURES } from '../../core/severity.ts';
import { notApplicable } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { failureMetric, requireAction } from './failure-label.ts';

/**
 * Failures in the agent's use of tools, by Agentest's labels. A turn without calls is judged too if tools were available:
 * a missing call is one of the failures.
 */
export const toolCallBehaviorFailure = failureMetric({
  name: 'tool_call_behavior_failure',
  question: 'Which failure, if any, do the tool calls of the turn show?',
  family: TOOL_FAILURES,
  instructions: `Which of these failures does the agent's use of its tools in this turn show?
- wrong tool: what it wanted done needed another of its tools. Not: another way to the same end.
- wrong arguments: the right tool with values that are wrong, lacking or made up, by what the user said, earlier results or its instructions. Not: an optional value left out, or another spelling of the same.
- ignored tool result: what it then said or did disregards or contradicts what a call returned. Not: parts of a result that it did not need.
- missing tool call: it answered or acted without a call that one of its tools could have made and that was needed, such as a guess instead of a look-up. Not: what instructions, knowledge or earlier results tell, or a call that had to wait for the user.
- unnecessary tool call: it asked for what it already knew, or for what the request did not need. Not: making sure before a change, or looking again at what may have changed.
- repeated tool call: the same tool with the same arguments, though nothing had changed since. Not: a retry after an error, polling, a further page, or tests run again after an edit.
A call that failed and was made good, and one that the user rejected, are no failures by themselves; neither is exploring files in a coding task. Calls of the user are not the agent's; those of its sub-agents are.`,
  precheck: (view) => requireAction(view) ?? requireTools(view),
});

const NO_TOOLS = notApplicable('The turn has no tool calls, and the trace names no tools.');

function requireTools({ session, turn }: TurnView): MetricOutcome | null {
  const hasCalls = agentToolCalls(turn).length > 0 || turn.steps.some(({ type }) => type === 'agent');
  const hasTools = (availableTools(session, turn) ?? []).length > 0;
  return hasCalls || hasTools ? null : NO_TOOLS;
}
