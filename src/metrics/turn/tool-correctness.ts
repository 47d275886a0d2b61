import type { Outcome } from '../../core/result.ts';
import { toolCalls } from '../../core/session.ts';
import { unknownTool } from '../../rules/unknown-tool.ts';
import { judgedTurn, withoutRequest } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import { atFault, faultsOf, scoredByFindings } from '../shared/moved-by-findings.ts';

/** The most that a turn gets that called a tool which there is not. */
const WITH_UNKNOWN_TOOL = 0.5;

/**
 * Catches wrong tools, needless ones and missing ones; not their arguments. By findings: 1 - calls at fault / calls of
 * the turn, and at most 0.5 once an unknown tool was called.
 */
export const toolCorrectness = judgedTurn({
  name: 'tool_correctness',
  question: 'Did the agent choose the right tools, no fewer and no more?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  settled: withoutRequest,
  proven: byFindings,
});

function byFindings(view: TurnView): Outcome | null {
  const findings = faultsOf(view, 'tool_correctness');
  if (findings.length === 0) return null;
  const calls = toolCalls(view.turn);
  const faulty = atFault(calls, findings).length;
  const most = findings.some(({ rule }) => rule === unknownTool.id) ? WITH_UNKNOWN_TOOL : 1;
  const score = Math.min(most, 1 - faulty / Math.max(calls.length, 1));
  return scoredByFindings(findings, score, { calls: calls.length, faulty });
}
