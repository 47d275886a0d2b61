import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import { gradedQuestion, interpretGrade, LIKERT } from '../shared/graded-question.ts';

const QUESTION = gradedQuestion({
  name: 'verbosity',
  instructions: `Is the answer as short as it can be for what was called for, and no shorter?
5 just right, every word serves a purpose; 4 slightly wordy, and acceptable; 3 clearly longer than needed; 2 too long or too short: its length gets in the way; 1 severely bloated, or so terse that it is of no use.
Measure it against the message, the user's profile and the matter: a quick question wants a quick answer, and options, terms or an explanation asked for take their room. Too long: the same said twice, the request recited, empty hedges and phrases, detail nobody needs. Too short: a bare word where context is needed.
Judge the answer at the end of the turn, not thoughts, calls or texts on the way; characters that are left out count as written. Code or data that was asked for and notices that the instructions demand are no bloat. Whether it is right does not matter here.`,
  score: LIKERT,
});

/** Higher is better: 5 if every word serves a purpose. */
export const verbosity = judgedTurn({
  name: 'verbosity',
  question: 'Is the answer as short as it can be, and no shorter?',
  source: 'Agentest, evaluation metrics',
  scale: 'likert',
  threshold: 3.5,
  bands: [
    { from: 5, name: 'just right', meaning: 'Every word is necessary' },
    { from: 4, name: 'slightly wordy', meaning: 'Wordy, and acceptable' },
    { from: 3, name: 'somewhat verbose', meaning: 'Could be more concise' },
    { from: 2, name: 'too long or too short', meaning: 'Length gets in the way' },
    { from: 1, name: 'bloated or terse', meaning: 'Severely bloated or terse' },
  ],
  precheck: requireAnswer,
  ask: { question: () => QUESTION, interpret: interpretGrade },
});
