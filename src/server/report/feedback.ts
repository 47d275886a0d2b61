import type { Feedback, Session } from '../../core/session.ts';
import type { FeedbackTarget } from '../../protocol/panel.ts';
import type { ReportFeedback } from '../../protocol/report-values.ts';
import { isSameRule } from '../../rules/index.ts';
import { limitSentence } from './values.ts';

/** What a person thinks of something in a turn; of the session as a whole where the turn is null. */
export type FeedbackLookup = (turn: number | null, of: FeedbackTarget) => ReportFeedback | null;

export const NO_FEEDBACK: FeedbackLookup = () => null;

/** What was given since a session was read with its sidecars; null: it was taken back. */
const RECENT_FEEDBACK = new WeakMap<Session, Map<string, Feedback | null>>();

/** As the sidecars of its files say. */
export function feedbackLookup(session: Session | null): FeedbackLookup {
  if (!session) return NO_FEEDBACK;
  return (turn, of) => {
    const given = RECENT_FEEDBACK.get(session)?.get(feedbackKey(turn, of));
    const all = turn === null ? session.feedback : session.turns[turn]?.feedback;
    const found = given === undefined ? all?.findLast((one) => isFeedbackOn(one, of)) : given;
    return found ? { value: found.value, note: feedbackNote(found), at: found.at ?? null } : null;
  };
}

/** It stands in a sidecar now. */
export function rememberFeedback(
  session: Session,
  turn: number | null,
  of: FeedbackTarget,
  feedback: Feedback | null,
): void {
  const given = RECENT_FEEDBACK.get(session) ?? new Map<string, Feedback | null>();
  RECENT_FEEDBACK.set(session, given.set(feedbackKey(turn, of), feedback));
}

function feedbackKey(turn: number | null, of: FeedbackTarget): string {
  return JSON.stringify([turn, of]);
}

function feedbackNote({ note = '' }: Feedback): string | null {
  return note === '' ? null : limitSentence(note);
}

export function isFeedbackOn({ metric, rule, label }: Feedback, of: FeedbackTarget): boolean {
  switch (of.type) {
    case 'turn':
      return metric === undefined && rule === undefined && label === undefined;
    case 'metric':
      return metric === of.metric;
    case 'rule':
      return rule !== undefined && isSameRule(rule, of.rule);
    case 'label':
      return label === of.label;
  }
}
