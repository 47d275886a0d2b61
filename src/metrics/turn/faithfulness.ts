import { isProblemLevel } from '../../core/severity.ts';
import { ungroundedValue } from '../../rules/grounding/ungrounded-value.ts';
import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { findContradictions } from '../shared/contradictions.ts';
import { gradedQuestion, interpretGrade, LIKERT } from '../shared/graded-question.ts';
import { capFromFindings, lowerCap, type ScoreCap } from '../shared/score-cap.ts';

const QUESTION = gradedQuestion({
  name: 'faithfulness',
  instructions: `Does the answer contradict what the record shows? Only contradictions count, never what it leaves out.
5 no contradiction, or no statement of fact at all; 4 a misstatement that changes nothing for the user; 3 some of what it says is wrong; 2 several errors of fact; 1 severe or wholesale fabrication.
Compare each statement of fact with the knowledge, the instructions, the results and documents of this turn and of earlier ones, and what the user stated. That a call was made, succeeded or returned something, where the record shows otherwise, is a contradiction.
None: what no passage mentions, what is redacted, left out or not shown, common knowledge, correct rounding, conversion or arithmetic, an opinion, an offer, a guess that is called one. Of results that differ, the latest holds. Of other sources that differ, agreeing with one is enough.`,
  score: LIKERT,
});

/** Only contradictions count, not omissions. Earlier tool results are known facts too. */
export const faithfulness = judgedTurn({
  name: 'faithfulness',
  question: 'Does the answer agree with the knowledge and the tool results?',
  source: 'Agentest, evaluation metrics',
  scale: 'likert',
  threshold: 4,
  bands: [
    { from: 5, name: 'faithful', meaning: 'No contradiction of knowledge or tool results' },
    { from: 4, name: 'minor misstatements', meaning: 'Small inaccuracies' },
    { from: 3, name: 'some wrong information', meaning: 'Some incorrect information' },
    { from: 2, name: 'several errors', meaning: 'Several factual errors' },
    { from: 1, name: 'fabricated', meaning: 'Severe hallucinations or fabrications' },
  ],
  precheck: requireAnswer,
  cap: capByFindings,
  ask: { question: () => QUESTION, interpret: interpretGrade },
});

/**
 * By the anchors: one proven contradiction is some incorrect information, several are several errors. The judge may go
 * lower. A value without a source only excludes the perfect score, because the trace may lack the source.
 */
const LIMIT_ONE_CONTRADICTION = 3;
const LIMIT_SEVERAL_CONTRADICTIONS = 2;
const LIMIT_UNSUPPORTED_VALUE = 4;

function capByFindings(view: TurnView): ScoreCap | null {
  const contradictions = findContradictions(view);
  const fromNowhere = view.findings.filter(
    ({ rule, severity }) => rule === ungroundedValue.id && isProblemLevel(severity),
  );
  return lowerCap(
    capFromFindings(contradictions, contradictions.length > 1 ? LIMIT_SEVERAL_CONTRADICTIONS : LIMIT_ONE_CONTRADICTION),
    capFromFindings(fromNowhere, LIMIT_UNSUPPORTED_VALUE),
  );
}
