import type { Outcome } from '../../core/result.ts';
import type { Step, Turn } from '../../core/session.ts';
import { judgedTurn, withoutRequest } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import { atFault, faultsOf, scoredByFindings } from '../shared/moved-by-findings.ts';

/** Redundant steps, needless calls and speculative work lower it. By findings: necessary steps / steps. */
export const stepEfficiency = judgedTurn({
  name: 'step_efficiency',
  question: 'Did the agent get there without needless steps?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  settled: withoutRequest,
  proven: byFindings,
});

function byFindings(view: TurnView): Outcome | null {
  const findings = faultsOf(view, 'step_efficiency');
  const work = stepsOfWork(view.turn);
  const needless = atFault(work, findings).length;
  if (needless === 0) return null;
  // The answer is a step too, and never a needless one.
  const steps = work.length + (view.turn.output === null ? 0 : 1);
  return scoredByFindings(findings, (steps - needless) / steps, { steps, needless });
}

/** What the agent did. Model calls are left out: how many of them a trace shows is a matter of its format. */
function stepsOfWork({ steps }: Turn): Step[] {
  return steps.filter((step) => step.type !== 'model' && !(step.type === 'tool' && step.requestedBy === 'user'));
}
