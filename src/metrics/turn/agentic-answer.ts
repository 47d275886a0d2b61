import { judgedTurn } from '../judged-metric.ts';
import { gradedQuestion, interpretGrade, UNIT } from '../shared/graded-question.ts';
import { requireReferenceAnswer, scoreMissingAnswer } from '../shared/reference-answer.ts';

const INSTRUCTIONS = `How correct is the answer of this turn, measured by the reference answer that goes with this question? The reference holds, even where you or the record would say otherwise.
1 says all that the reference says, in whatever words, and nothing against it; 0.7 to 0.99 the essence is right, a minor detail is missing or vague; 0.4 to 0.69 a part is right, something essential is missing; 0.1 to 0.39 little of it is right; 0 nothing of it is there, or the essence is contradicted.
Compare figures, names, dates, conditions and the decision itself. Equal values that are written differently are equal; wording, order, tone and length do not matter. More than the reference has costs nothing unless it contradicts it. "I do not know", a question in return and a promise to look say none of it, unless the reference does the same.
Cite the passages of the answer that agree or disagree.`;

/** How correct the answer is, compared with the reference; a part of `agentic`. */
export const agenticAnswer = judgedTurn({
  name: 'agentic_answer',
  question: 'Is the answer correct, measured by the reference answer?',
  source: 'Fair Forge, agentic metric',
  scale: 'unit',
  threshold: 0.7,
  needs: ['reference'],
  precheck: (view) => requireReferenceAnswer(view) ?? scoreMissingAnswer(view),
  ask: {
    // One object per turn, so that no other question sees the reference.
    question: ({ turn }) =>
      gradedQuestion({
        name: 'agentic_answer',
        instructions: INSTRUCTIONS,
        score: UNIT,
        data: { reference_answer: turn.reference?.response ?? '' },
      }),
    interpret: interpretGrade,
  },
});
