import type { Finding } from '../../core/finding.ts';
import type { Outcome } from '../../core/result.ts';
import { judgedTurn } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import { movedBy, scoredByFindings } from '../shared/moved-by-findings.ts';

/**
 * Hedging, contradictions, retries and abandoned strategies lower it. A signal of the session metrics.
 *
 * Where no model is asked, findings of these kinds answer it, each kind by the number of its signs (texts that show
 * it, calls that repeat an error) in the turn. Every kind that shows costs one band; one that shows three times or
 * more costs two, and strategies abandoned so often cost three. Doubt costs one however often: who thinks aloud doubts
 * aloud. So one kind once or twice is minor hesitation, two kinds are noticeable indecision, several abandoned
 * strategies are significant uncertainty, and another kind on top of them leaves nothing. More signs never raise it.
 */
export const confidence = judgedTurn({
  name: 'confidence',
  question: "Were the agent's actions decisive, fitting and well-founded?",
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  bands: [
    { from: 1, name: 'fully confident', meaning: 'Fully confident, decisive execution' },
    { from: 0.75, name: 'minor hesitation', meaning: 'Minor hesitation or a suboptimal strategy' },
    { from: 0.5, name: 'noticeable indecision', meaning: 'Noticeable indecision or inconsistency' },
    { from: 0.25, name: 'significant uncertainty', meaning: 'Several abandoned approaches' },
    { from: 0, name: 'completely uncertain', meaning: 'Contradictory actions' },
  ],
  proven: shownByFindings,
});

/** The distance between two bands. */
const BAND = 0.25;

/** From how many signs on a kind is no slip any more. */
const SEVERAL = 3;

/** Null where nothing shows: that no rule found anything is no praise. */
function shownByFindings(view: TurnView): Outcome | null {
  const findings = movedBy(view, 'confidence');
  if (findings.length === 0) return null;
  const signs = new Map<string, number>();
  for (const finding of findings) signs.set(finding.rule, (signs.get(finding.rule) ?? 0) + signsOf(finding));
  const bands = [...signs].reduce((sum, [rule, count]) => sum + bandsLost(rule, count), 0);
  const markers = [...signs.values()].reduce((sum, count) => sum + count, 0);
  return scoredByFindings(findings, Math.max(0, 1 - BAND * bands), { markers });
}

function signsOf({ calls, evidence }: Finding): number {
  return calls?.length ?? evidence.length;
}

function bandsLost(rule: string, signs: number): number {
  if (signs < SEVERAL || rule === 'hedging') return 1;
  return rule === 'abandoned-strategy' ? 3 : 2;
}
