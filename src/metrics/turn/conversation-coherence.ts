import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import { gradedQuestion, interpretGrade, LIKERT } from '../shared/graded-question.ts';

const QUESTION = gradedQuestion({
  name: 'conversation_coherence',
  instructions: `Is the answer of this turn consistent with itself and with what came before?
5 nothing in it contradicts anything; 4 a minor lapse that misleads nobody; 3 a contradiction, or something settled earlier is forgotten; 2 several of these, or reasoning that does not hold together; 1 incoherent or nonsensical.
Compare it with the agent's own earlier statements, with what the user said and decided, with the agent's instructions and knowledge, and with itself: do its conclusions follow from its reasons? A first turn has nothing before it but the instructions and the knowledge.
No contradiction: news from a result, a mistake corrected openly, a plan changed for a reason that is given, a user who thought better of it, the same in other words, a refusal. Earlier turns are shown in short, so what is not shown neither contradicts nor was forgotten. Whether the facts are right is another question.`,
  score: LIKERT,
});

/** Agentest's `coherence`; here that is the name of PandaProbe's embedding metric. */
export const conversationCoherence = judgedTurn({
  name: 'conversation_coherence',
  question: 'Is the answer consistent with itself and with what was said before?',
  source: 'Agentest, evaluation metrics',
  scale: 'likert',
  threshold: 4,
  bands: [
    { from: 5, name: 'consistent', meaning: 'Perfectly consistent with the conversation' },
    { from: 4, name: 'mostly consistent', meaning: 'Minor lapses' },
    { from: 3, name: 'some contradictions', meaning: 'Some inconsistencies or contradictions' },
    { from: 2, name: 'confusing', meaning: 'Several contradictions or confusing logic' },
    { from: 1, name: 'incoherent', meaning: 'Incoherent or nonsensical' },
  ],
  precheck: requireAnswer,
  ask: { question: () => QUESTION, interpret: interpretGrade },
});
