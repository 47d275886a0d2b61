import { createContext, useContext } from 'react';
import type { FeedbackTarget } from '../../src/protocol/panel.ts';
import type { JsonTarget, ReportEvidence } from '../../src/protocol/report-values.ts';
import type { Host } from '../host.ts';

/** What a person's thumb says, and perhaps why. */
export interface FeedbackValue {
  readonly value: 'up' | 'down';
  readonly note: string | null;
}

/** What can be done from anywhere in a report. The same object for as long as the session is the same. */
export interface Actions {
  readonly host: Host;
  readonly session: string;
  /** Shows a value in its file; with `focus` the cursor goes there too. */
  readonly reveal: (target: JsonTarget, focus: boolean) => void;
  /** Marks what is cited in the transcript of a turn; by the id of what cites it. */
  readonly choose: (turn: number, id: string, evidence: readonly ReportEvidence[]) => void;
  /** Selects a turn and brings it into sight, whatever tab is open. */
  readonly goTo: (turn: number) => void;
  readonly copy: (turn: number | null) => void;
  readonly openRule: (rule: string) => void;
  /** Null takes it back. */
  readonly saveFeedback: (turn: number | null, of: FeedbackTarget, feedback: FeedbackValue | null) => void;
  readonly showPrompt: (turn: number | null, metric: string) => void;
  /** Says something to those who do not see the page. */
  readonly announce: (sentence: string) => void;
}

export const ActionsContext = createContext<Actions | null>(null);

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('This is used within a report.');
  return actions;
}
