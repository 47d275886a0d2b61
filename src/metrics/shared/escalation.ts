import type { ToolStep } from '../../core/session.ts';
import { nameWords, toolEffect } from '../../rules/shared/tool-effect.ts';

/** Verbs that pass a conversation or an issue on, in the words of a tool's name. */
const TRANSFER_VERB = /\b(transfer|hand|handoff|handover|forward|route|redirect|connect|reassign)\b/;

/** A person; another agent of the same system is none. */
const PERSON = /\b(humans?(?! resources)|live|representative|operator|supervisor|person|staff)\b/;

const ESCALATION = /\bescalat(e|es|ed|ion)\b/;
const HUMAN = /\bhumans?\b(?! resources)/;

/** Whether a call passed the conversation or the issue on to a human, as the name of its tool says. */
export function isEscalation({ name, outcome }: ToolStep): boolean {
  if (outcome !== 'ok' || toolEffect(name, undefined) === 'reads') return false;
  const said = nameWords(name).join(' ');
  return ESCALATION.test(said) || (TRANSFER_VERB.test(said) && PERSON.test(said));
}

/** Whether a call had a human help, by handing over or by asking. */
export function involvesHuman(step: ToolStep): boolean {
  if (step.outcome === 'error' || toolEffect(step.name, undefined) === 'reads') return false;
  const said = nameWords(step.name).join(' ');
  return HUMAN.test(said) || ESCALATION.test(said) || isEscalation(step);
}
