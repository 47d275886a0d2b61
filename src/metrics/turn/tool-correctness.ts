import type { MetricOutcome } from '../../core/result.ts';
import { agentToolCalls, availableTools } from '../../core/session.ts';
import { HISTORY_TURNS } from '../../judge/prompting/history.ts';
import { unknownTool } from '../../rules/structure/unknown-tool.ts';
import { judgedTurn, notApplicable, requireRequest } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { gradedQuestion, interpretGrade, UNIT } from '../shared/graded-question.ts';
import { failuresAffecting, faultySteps, scoreFromFindings } from '../shared/rule-based-scores.ts';
import { toolsMetadata, userInputMetadata } from '../shared/turn-metadata.ts';

const QUESTION = gradedQuestion({
  name: 'tool_correctness',
  instructions: `Did the agent choose the right tools for what the user wanted in this turn: all that it took, and no others? Judge which tools were called, not their arguments and not what came of them.
1 every call fits and none is missing; 0.75 a slip that changes nothing, such as one call to spare; 0.5 a tool that matters is missing or wrong beside ones that fit; 0.25 most are wrong, needless or missing; 0 none fits, or none was called where the request takes one.
Calling nothing is right where the conversation or earlier results hold what it takes, where the agent's rules demand a question or a consent first, and where nothing was asked for. A call that failed or that the user refused is still a choice; another tool after it may be right. Miss no tool that the record does not show to be there. Calls of the user are not the agent's; a sub-agent is chosen as a tool is.`,
  score: UNIT,
});

/** The cap for a turn that called an unknown tool. */
const LIMIT_UNKNOWN_TOOL = 0.5;

/**
 * Detects wrong, needless and missing tools, not wrong arguments. By findings: 1 - faulty calls / calls of the turn, and
 * at most 0.5 after a call of an unknown tool.
 */
export const toolCorrectness = judgedTurn({
  name: 'tool_correctness',
  question: 'Did the agent choose the right tools, no fewer and no more?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  precheck: (view) => requireRequest(view) ?? (showsTools(view) ? null : NO_TOOLS),
  fromFindings: scoreByFindings,
  ask: {
    question: () => QUESTION,
    interpret: (answer, _, view) => ({
      ...interpretGrade(answer),
      metadata: { ...userInputMetadata(view), ...toolsMetadata(view) },
    }),
    verdictInMetadata: true,
  },
});

const NO_TOOLS = notApplicable('No tool was called, and the trace names none.');

/** Whether there were tools to choose from: in the turn, in its catalogue, or in the earlier turns of the prompt. */
function showsTools({ session, turn, index }: TurnView): boolean {
  const { length = 0 } = availableTools(session, turn) ?? [];
  const around = session.turns.slice(Math.max(0, index - HISTORY_TURNS), index + 1);
  return length > 0 || around.some(({ steps }) => steps.some(({ type }) => type === 'tool' || type === 'agent'));
}

function scoreByFindings(view: TurnView): MetricOutcome | null {
  const findings = failuresAffecting(view, 'tool_correctness');
  if (findings.length === 0) return null;
  const calls = agentToolCalls(view.turn);
  const faulty = faultySteps(calls, findings).length;
  const most = findings.some(({ rule }) => rule === unknownTool.id) ? LIMIT_UNKNOWN_TOOL : 1;
  const score = Math.min(most, 1 - faulty / Math.max(calls.length, 1));
  return scoreFromFindings(findings, score, { calls: calls.length, faulty });
}
