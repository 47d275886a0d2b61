import * as z from 'zod';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { agentToolCalls } from '../../core/session.ts';
import { defineQuestion } from '../../judge/question.ts';
import { isEscalation } from '../../rules/shared/escalation.ts';
import { codeSpan } from '../../rules/shared/message-format.ts';
import { judgedSession, notApplicable } from '../judged-metric.ts';
import type { SessionView } from '../metric.ts';
import { evidenceAt } from '../shared/evidence.ts';
import { BINARY, evidenceIds, REASON } from '../shared/graded-question.ts';
import { textOrEmpty } from '../shared/text.ts';

/** One object for all sessions, so that its answer schema is built once. */
const QUESTION = defineQuestion({
  name: 'resolution_rate',
  context: 'session',
  instructions: `Did the agent resolve the issue that the user came with, without passing it on?
- issue: what the user came with, in one sentence, several together; null where nothing was to be resolved (a greeting, small talk).
- escalated: true if the agent passed the user or the issue on to a human, another team, a ticket or another channel, or sent the user there, whatever came of it; not for another agent of the same system that goes on here.
- score: 1 only if the whole issue is settled at the end and not escalated, else 0; null without an issue. Settled is what a result shows to be done, or told as it was needed. A request that policy rules out is settled by saying so, why, and what is possible instead. Thanks, silence and the agent's own claims settle nothing, and what the user still complains of is not settled.
- first_contact: true only with a score of 1, if the user mentions no earlier contact about it and did not have to ask for the same thing twice.`,
  answer: ({ id }) =>
    z
      .object({
        issue: z.string().nullish().describe('one sentence, or null'),
        evidence: evidenceIds(id),
        reason: REASON,
        escalated: z.boolean(),
        score: BINARY.nullish(),
        first_contact: z.boolean(),
      })
      .superRefine(({ issue = null, escalated, score = null, first_contact }, { addIssue }) => {
        const refuse = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message });
        if (issue === null && score !== null) refuse('score', 'without an issue it is null');
        if (issue !== null && score === null) refuse('score', 'there is an issue, so that it is 0 or 1');
        if (escalated && score === 1) refuse('score', 'it cannot be 1 where escalated is true');
        if (first_contact && score !== 1) refuse('first_contact', 'it cannot be true where the score is not 1');
      }),
});

/** 0 or 1 per session, with whether it was at first contact and whether it was escalated. */
export const resolutionRate = judgedSession({
  name: 'resolution_rate',
  question: "Was the user's issue resolved without escalation?",
  source: 'ADK, metrics and scoring',
  scale: 'binary',
  threshold: 0.8,
  bands: [
    { from: 1, name: 'resolved', meaning: 'Resolved without escalation' },
    { from: 0, name: 'not resolved', meaning: 'Not resolved, or escalated' },
  ],
  precheck: (view) => requireIssue(view) ?? findEscalation(view),
  ask: {
    question: () => QUESTION,
    interpret({ issue = null, evidence, reason, escalated, score = null, first_contact }) {
      const details = { reason, cited: evidence, metadata: { issue, first_contact, escalated } };
      return score === null ? { status: 'not_applicable', ...details } : { score, ...details };
    },
  },
});

const NO_USER = notApplicable('The session has no user message, so there is no issue to resolve.');
const NOTHING_RECORDED = notApplicable('This session was not recorded.');

function requireIssue({ session: { turns } }: SessionView): MetricOutcome | null {
  const isBlank = turns.every(({ captured, output }) => captured === false && textOrEmpty(output) === '');
  if (turns.length > 0 && isBlank) return NOTHING_RECORDED;
  return turns.some(({ input }) => textOrEmpty(input) !== '') ? null : NO_USER;
}

/** A call that transfers the issue proves the answer without a judge. */
function findEscalation({ session: { turns } }: SessionView): MetricOutcome | null {
  const evidence = turns.flatMap((turn, index) =>
    agentToolCalls(turn)
      .filter(isEscalation)
      .map(
        (step): Evidence => evidenceAt(turn, step.pointer, `${codeSpan(step.name)} transfers it in turn ${index + 1}`),
      ),
  );
  const [first] = evidence;
  if (!first) return null;
  return {
    status: 'scored',
    score: 0,
    source: 'rules',
    reason: `Escalated: ${first.note}.`,
    evidence,
    metadata: { issue: null, first_contact: false, escalated: true },
  };
}
