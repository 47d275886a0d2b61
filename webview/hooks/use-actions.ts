import { createContext, useContext } from 'react';
import type { FeedbackTarget } from '../../src/protocol/panel.ts';
import type { JsonTarget, ReportEvidence } from '../../src/protocol/report-values.ts';
import type { Host } from '../host.ts';

/** A thumbs up or down, with an optional note. */
export interface FeedbackValue {
  readonly value: 'up' | 'down';
  readonly note: string | null;
}

/** Actions available anywhere in a report. The object is stable as long as the session is the same. */
export interface Actions {
  readonly host: Host;
  readonly session: string;
  /** Shows a value in its file; `focus` also moves the cursor there. */
  readonly reveal: (target: JsonTarget, focus: boolean) => void;
  /** Highlights evidence in the transcript of a turn. @param id of the citing item. */
  readonly choose: (turn: number, id: string, evidence: readonly ReportEvidence[]) => void;
  /** Opens the transcript, selects a turn, or a problem of it, and scrolls to it. */
  readonly goTo: (turn: number, problem?: number | null) => void;
  readonly copy: (turn: number | null) => void;
  /** Copies an issue about the session as Markdown. */
  readonly copyIssue: () => void;
  /** Starts an edit of a finding in the editor. @param turn zero-based. */
  readonly editFinding: (edit: 'suppress' | 'severity', uri: string, turn: number, rule: string) => void;
  readonly openRule: (rule: string) => void;
  /** Null removes the feedback. */
  readonly saveFeedback: (turn: number | null, of: FeedbackTarget, feedback: FeedbackValue | null) => void;
  readonly showPrompt: (turn: number | null, metric: string) => void;
  /** Announces a sentence to screen readers and shows it as a toast. */
  readonly announce: (sentence: string) => void;
}

export const ActionsContext = createContext<Actions | null>(null);

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('useActions must be used within a report.');
  return actions;
}
