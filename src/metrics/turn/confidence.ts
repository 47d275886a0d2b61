import type { Finding } from '../../core/finding.ts';
import type { MetricOutcome } from '../../core/result.ts';
import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { gradedQuestion, interpretGrade, UNIT } from '../shared/graded-question.ts';
import { failuresAffecting, findingsAffecting, scoreFromFindings } from '../shared/rule-based-scores.ts';
import { capFromFindings, type ScoreCap } from '../shared/score-cap.ts';

const QUESTION = gradedQuestion({
  name: 'confidence',
  instructions: `How decisive, fitting and well-founded were the agent's actions in this turn?
1 decisive throughout, every action fits the request; 0.75 minor hesitation or a suboptimal strategy; 0.5 noticeable indecision or inconsistency; 0.25 significant uncertainty, several approaches abandoned; 0 uncertain throughout, actions that contradict each other.
Against it: hedging about what could have been looked up, acting on a guess, statements taken back, retries that change nothing, the same call again, a strategy given up with no result against it, a vague answer where the record has the facts.
Not against it: changing course after an error, one retry after a timeout, checking before a change, asking for what only the user knows, a refusal that the agent's rules demand, naming a real limit, weighing ways in thought before acting.
A sure tone is no confidence: what no result bears out is not well-founded. Length and politeness do not count.`,
  score: UNIT,
});

/**
 * Hedging, contradictions, retries and abandoned strategies lower it. A signal of the session metrics.
 *
 * Without a judge, findings of these kinds give the score, each kind by the number of its signs in the turn (texts that
 * show it, calls that repeat an error). Each kind costs one band. Three or more signs cost two, and three or more
 * abandoned strategies cost three. Doubt always costs one, since agents that think aloud express doubt often. So one
 * kind is minor hesitation, two kinds are noticeable indecision, several abandoned strategies are significant
 * uncertainty, and with another kind nothing remains. More signs never raise the score.
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
  // An agent that did nothing showed neither confidence nor doubt.
  precheck: (view) => (view.turn.steps.length === 0 ? requireAnswer(view) : null),
  fromFindings: scoreByFindings,
  cap: capByFailures,
  ask: {
    question: () => QUESTION,
    interpret: interpretGrade,
    verdictInMetadata: true,
  },
});

/** The distance between two bands. */
const BAND_WIDTH = 0.25;

/** The number of signs from which a kind is more than a slip. */
const SEVERAL = 3;

/** Null without signs: the absence of findings is not evidence of confidence. */
function scoreByFindings(view: TurnView): MetricOutcome | null {
  const findings = findingsAffecting(view, 'confidence');
  if (findings.length === 0) return null;
  const { score, markers } = lowerScore(findings);
  return scoreFromFindings(findings, score, { markers });
}

/**
 * Only problems cap the judge's score, such as an error that was repeated unchanged. Observations do not: the judge gets
 * them as facts, and decides whether a word of doubt was doubt.
 */
function capByFailures(view: TurnView): ScoreCap | null {
  const failures = failuresAffecting(view, 'confidence');
  return capFromFindings(failures, lowerScore(failures).score);
}

function lowerScore(findings: readonly Finding[]): { readonly score: number; readonly markers: number } {
  const signs = new Map<string, number>();
  for (const finding of findings) signs.set(finding.rule, (signs.get(finding.rule) ?? 0) + countSigns(finding));
  const bands = [...signs].reduce((sum, [rule, count]) => sum + bandsLost(rule, count), 0);
  const markers = [...signs.values()].reduce((sum, count) => sum + count, 0);
  return { score: Math.max(0, 1 - BAND_WIDTH * bands), markers };
}

function countSigns({ calls, evidence }: Finding): number {
  return calls?.length ?? evidence.length;
}

function bandsLost(rule: string, signs: number): number {
  if (signs < SEVERAL || rule === 'hedging') return 1;
  return rule === 'abandoned-strategy' ? 3 : 2;
}
