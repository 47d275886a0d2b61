import type { Feedback } from '../core/session.ts';
import type { FeedbackTarget } from '../protocol/panel.ts';
import type { ReportFeedback } from '../protocol/report-values.ts';
import { isSameRule } from '../rules/index.ts';
import type { Transcript } from './transcript.ts';
import { limitSentence } from './values.ts';

/** A user's feedback on something in a turn; on the session as a whole where the turn is null. */
export type FeedbackLookup = (turn: number | null, of: FeedbackTarget) => ReportFeedback | null;

export const NO_FEEDBACK: FeedbackLookup = () => null;

/** Feedback from the sidecars of the session's files. */
export function feedbackLookup(transcript: Transcript | null): FeedbackLookup {
  if (!transcript) return NO_FEEDBACK;
  const { session, recentFeedback } = transcript;
  return (turn, of) => {
    const recent = recentFeedback.get(feedbackKey(turn, of));
    const all = turn === null ? session.feedback : session.turns[turn]?.feedback;
    const entry = recent === undefined ? all?.findLast((candidate) => isFeedbackOn(candidate, of)) : recent;
    return entry ? { value: entry.value, note: feedbackNote(entry), at: entry.at ?? null } : null;
  };
}

/** Whether feedback on the session as a whole was written since the session was read. */
export function hasRecentFeedback(transcript: Transcript | null): boolean {
  return transcript?.recentFeedback.has(feedbackKey(null, { type: 'turn' })) ?? false;
}

/** Identifies what feedback is on. */
export function feedbackKey(turn: number | null, of: FeedbackTarget): string {
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
