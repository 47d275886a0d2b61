import type { ToolStep } from '../../core/session.ts';
import { nameWords, toolEffect } from './tool-effect.ts';

/** Verbs in tool names that transfer a conversation or an issue. */
const TRANSFER_VERB = /\b(transfer|hand|handoff|handover|forward|route|redirect|connect|reassign)\b/;

/** Words for a person, not for another agent of the same system. */
const PERSON = /\b(humans?(?! resources)|live|representative|operator|supervisor|person|staff)\b/;

const ESCALATION = /\bescalat(e|es|ed|ion)\b/;
const HUMAN = /\bhumans?\b(?! resources)/;

/** Whether a call transferred the conversation or the issue to a human, by the name of its tool. */
export function isEscalation({ name, outcome }: ToolStep): boolean {
  if (outcome !== 'ok' || toolEffect(name, undefined) === 'reads') return false;
  const words = nameWords(name).join(' ');
  return ESCALATION.test(words) || (TRANSFER_VERB.test(words) && PERSON.test(words));
}

/** Whether a call involved a human, by a transfer or by a question. */
export function involvesHuman(step: ToolStep): boolean {
  if (step.outcome === 'error' || toolEffect(step.name, undefined) === 'reads') return false;
  const words = nameWords(step.name).join(' ');
  return HUMAN.test(words) || ESCALATION.test(words) || isEscalation(step);
}
