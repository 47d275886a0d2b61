import type { Outcome } from '../../core/result.ts';
import { toolCalls } from '../../core/session.ts';
import { judgedTurn, vacuous, withoutRequest } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import { atFault, faultsOf, scoredByFindings } from '../shared/moved-by-findings.ts';

/**
 * The share of the tool calls whose arguments serve the task: one verdict per call. By findings: the share of the calls
 * that no finding about arguments names.
 */
export const argumentCorrectness = judgedTurn({
  name: 'argument_correctness',
  question: 'Did each tool call have the right arguments for the task?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  settled: (view) => (toolCalls(view.turn).length === 0 ? NO_CALLS : withoutRequest(view)),
  proven: byFindings,
});

const NO_CALLS = vacuous(1, 'judge', 'The turn has no tool calls, so no argument can be wrong.');

function byFindings(view: TurnView): Outcome | null {
  const findings = faultsOf(view, 'argument_correctness');
  const calls = toolCalls(view.turn);
  const faulty = atFault(calls, findings).length;
  return faulty === 0 ? null : scoredByFindings(findings, 1 - faulty / calls.length, { calls: calls.length, faulty });
}
